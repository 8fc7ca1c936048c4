import { METRIC_NAMES, type MetricName } from '../../../shared/runtime/metrics.ts';
import type { Settings } from '../settings.ts';
import { type AlarmRow, every } from './alarm.ts';
import { jobMetric } from './metrics.ts';

type JobAlarm = Omit<AlarmRow, 'name' | 'metric' | 'above'> & {
  readonly minutes: number;
  readonly above: number | ((settings: Settings) => number);
};

/** `silence`: missing data can mean that the job no longer runs. */
const ROWS: Readonly<Record<MetricName, JobAlarm>> = {
  catalogAgeHours: {
    above: (settings) => settings.catalogMaximumAgeDays * 24,
    minutes: 30,
    periods: 2,
    silence: 'alarming',
    meaning:
      'The catalog is older than the settings allow, cannot be opened, or there is none. Publish or activate one.',
  },
  unsentMail: {
    above: 0,
    minutes: 10,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Invoice mails have waited for half an hour, or were given up. See `invoices list`, check SES, and resend.',
  },
  unsettledInvoices: {
    above: 0,
    minutes: 10,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Invoices, complements or credit notes have not been issued for half an hour. See `invoices list`, and check that the provider answers.',
  },
  notIssued: {
    above: 0,
    minutes: 60,
    meaning:
      'A document was not issued, and no job tries again. See `invoices list --status not_issued`; correct its reason, then `invoices issue`.',
  },
  totalDiffers: {
    above: 0,
    minutes: 60,
    meaning:
      'A document was issued with another total than its sale. See `invoices list --status total_differs`, and replace it.',
  },
  pueUnpaid: {
    above: 0,
    minutes: 60,
    meaning:
      'An invoice says paid in its month (PUE), and was not. See `invoices list --status pue_unpaid`, and replace it.',
  },
  complementDue: {
    above: 0,
    minutes: 60,
    meaning:
      'A payment complement is not issued, and its last day (`invoices list`) is in two days or past. See its reason there.',
  },
  cancellationRejected: {
    above: 0,
    minutes: 60,
    meaning: 'A receiver rejected the cancellation of an invoice. See `invoices list`, and contact them.',
  },
  globalInvoicesLate: {
    above: 0,
    // Two runs of the hourly job, one of which may be late.
    minutes: 120,
    silence: 'alarming',
    meaning:
      'A global invoice was refused or is late (SAT: 24 hours after its month), or paid orders of earlier months have no invoice. See `invoices global`.',
  },
  paymentExceptions: {
    above: 0,
    minutes: 60,
    meaning:
      'A payment waits for somebody: money beside the total, a dispute, a reference that was not made, a refund that failed. See `payments list`, then `payments handled`.',
  },
  eventsUnpublished: {
    above: 0,
    minutes: 5,
    meaning:
      'An event of an order could not be read, or the event bus did not take it. See `events unpublished` and the log of publish-events, and publish what could not be read with `events republish`; what the bus did not take is tried again with the next events.',
  },
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
      'An event was given up after three days of tries. `webhooks list` shows of which webhook; see `webhooks deliveries <id> --status given_up`, then `webhooks replay <id> --given-up`.',
  },
  webhookBacklogMinutes: {
    above: 15,
    minutes: 5,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Events have waited a quarter of an hour for their first try. See `webhooks list`: a thousand orders wait for a receiver that fails, or the log of deliver-webhooks says why.',
  },
};

// Only stages with a payment provider have this data.
const PAYMENT_METRICS: readonly MetricName[] = ['paymentExceptions'];

export const jobAlarms = (settings: Settings): AlarmRow[] =>
  METRIC_NAMES.filter((name) => settings.payments.provider !== 'none' || !PAYMENT_METRICS.includes(name)).map(
    (name) => {
      const { minutes, above, ...row } = ROWS[name];
      const metric = jobMetric(name, settings).with(every(minutes));
      return { name, metric, above: typeof above === 'number' ? above : above(settings), ...row };
    },
  );
