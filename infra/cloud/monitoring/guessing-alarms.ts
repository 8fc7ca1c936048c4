import type { Settings } from '../settings.ts';
import { type AlarmRow, every } from './alarms.ts';
import { requestMetric } from './request-metrics.ts';

type GuessingMetricName = Exclude<Parameters<typeof requestMetric>[0], 'answers5xx'>;
type GuessingAlarm = Pick<AlarmRow, 'above' | 'meaning'> & { readonly minutes: number };

const ROWS: Readonly<Record<GuessingMetricName, GuessingAlarm>> = {
  answered401: {
    // A session meets one when its token ends, after 15 minutes; guessing from one address may go on at 500 in 5 minutes.
    above: 250,
    minutes: 5,
    meaning:
      'More than 250 requests in 5 minutes were answered 401. Somebody guesses passwords or tokens: the logs of the functions name the clients.',
  },
  answered403: {
    // A client that works meets none; one whose key was removed tries every few seconds.
    above: 150,
    minutes: 5,
    meaning:
      'More than 150 requests in 5 minutes were answered 403. Somebody guesses API keys, or a client still sends a retired one.',
  },
  answered429: {
    // One a second: callers that wait as `Retry-After` says are far below.
    above: 300,
    minutes: 5,
    meaning:
      'More than 300 requests in 5 minutes were answered 429. The access log names the key; talk to its client, or disable it.',
  },
  takenContacts: {
    // People mistype an address now and then; a list that is tried has hundreds.
    above: 60,
    minutes: 60,
    meaning:
      'More than 60 orders in an hour had an e-mail or phone of somebody else. Somebody may try out who is a patient: the dashboard shows the client.',
  },
  invalidCoupons: {
    // Guessing below this rate, a code of six letters holds out for a century.
    above: 300,
    minutes: 60,
    meaning: 'More than 300 invalid coupons in an hour. Somebody guesses codes: the dashboard shows the API key.',
  },
};

/** Alarms on waves of refusals: a single guess is refused anyway, and a wave has somebody behind it. */
export const guessingAlarms = (settings: Settings): AlarmRow[] =>
  (Object.entries(ROWS) as [GuessingMetricName, GuessingAlarm][]).map(([name, { minutes, ...row }]) => ({
    name,
    metric: requestMetric(name, settings).with(every(minutes)),
    ...row,
  }));
