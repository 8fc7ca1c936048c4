import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { UNREAD_SECRET } from '../../../shared/runtime/secret.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { Settings } from '../settings.ts';
import { type AlarmRow, every } from './alarms.ts';
import { getNamespace } from './metrics.ts';

const METRIC = 'unreadSecrets';

/** Counts the failed reads of secrets in the logs of the functions that may read one. */
export function countUnreadSecrets(functions: readonly PharmacyFunction[], settings: Settings): void {
  for (const { log } of functions.filter(({ readsSecrets }) => readsSecrets)) {
    log.addMetricFilter(METRIC, {
      filterPattern: FilterPattern.stringValue('$.message', '=', UNREAD_SECRET),
      metricNamespace: getNamespace(settings),
      metricName: METRIC,
      metricValue: '1',
    });
  }
}

/** Returns the number of failed reads in each period; without any there is no data. */
export const unreadSecrets = (settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName: METRIC, statistic: Stats.SUM });

export const secretAlarm = (settings: Settings): AlarmRow => ({
  name: METRIC,
  metric: unreadSecrets(settings).with(every(15)),
  // One that is slow for once is read 10 s later. After an hour without, users get 503, and no invoice is issued.
  above: 2,
  meaning:
    'Functions could not read a secret three times in 15 minutes, and stop an hour after they last could. Run doctor, and repair the secret.',
});
