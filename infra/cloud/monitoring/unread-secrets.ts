import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import type { Settings } from '../settings.ts';
import { type AlarmRow, every } from './alarms.ts';
import { getNamespace } from './metrics.ts';

/** Returns the number of failed reads in each period; without any there is no data. */
export const unreadSecrets = (settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName: UNREAD_SECRETS, statistic: Stats.SUM });

export const secretAlarm = (settings: Settings): AlarmRow => ({
  name: UNREAD_SECRETS,
  metric: unreadSecrets(settings).with(every(15)),
  // One that is slow for once is read 10 s later. After an hour without, users get 503, and no invoice is issued.
  above: 2,
  meaning:
    'Functions could not read a secret three times in 15 minutes, and stop an hour after they last could. Run doctor, and repair the secret.',
});
