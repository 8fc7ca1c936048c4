import type { MetricName } from '../../../shared/runtime/metrics.ts';
import type { JobAlarm } from './alarms.ts';

/** Alarms on the webhooks of clients. */
export const WEBHOOK_ALARMS = {
  webhooksDisabled: {
    above: 0,
    minutes: 60,
    meaning:
      'A webhook failed for a day, or its receiver is gone, and gets no more events. Its owner was mailed; see `webhooks list`.',
  },
  webhooksGivenUp: {
    above: 0,
    minutes: 60,
    meaning:
      'An event was given up after three days of tries. See `webhooks deliveries --status given_up`, then `webhooks replay`.',
  },
  webhookBacklogMinutes: {
    above: 15,
    minutes: 5,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Events have waited a quarter of an hour for their first try. See `webhooks list`: a thousand orders wait for a receiver that fails, or the log of deliver-webhooks says why.',
  },
} as const satisfies Partial<Record<MetricName, JobAlarm>>;
