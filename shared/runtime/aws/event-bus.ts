import { awsConfig, eventBusConfig } from '../config.ts';
import { configuredAccess, signedFetch } from './signed-fetch.ts';

const TIMEOUT_MS = 3_000;
/** The most entries of one PutEvents; ten events of ours are some 4 KB of the 256 KB that it takes. */
export const BUS_BATCH = 10;
const SOURCE = 'botica';

/** An event as the bus gets it; `detail` is any JSON. */
export type BusEvent = { readonly type: string; readonly time: string; readonly detail: object };

/** Puts at most ten events on the bus, and returns those that it did not take. Throws if it refuses the request. */
export type EventBus = <One extends BusEvent>(events: readonly One[]) => Promise<readonly Refused<One>[]>;
type Refused<One> = { readonly event: One; readonly error: EventBusError };

class EventBusError extends Error {
  override readonly name = 'EventBusError';
  /** EventBridge's code of the error, for the log, which leaves out messages. */
  readonly code: string;

  constructor(code: string) {
    super(`EventBridge answered ${code}`);
    this.code = code;
  }
}

type Answer = { readonly Entries: readonly { readonly EventId?: string; readonly ErrorCode?: string }[] };

/** Returns the bus that the configuration names. The request goes to the region of an ARN. */
export function openEventBus(): EventBus {
  const { EVENT_BUS: EventBusName } = eventBusConfig();
  const access = configuredAccess();
  const region = EventBusName.startsWith('arn:') ? (EventBusName.split(':')[3] ?? access.region) : access.region;
  const url = awsConfig().AWS_ENDPOINT_URL_EVENTBRIDGE ?? `https://events.${region}.amazonaws.com/`;
  const send = signedFetch('events', { ...access, region });
  const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AWSEvents.PutEvents' };
  return async (events) => {
    const Entries = events.map((event) => ({ EventBusName, ...toEntry(event) }));
    const answer = await send(url, TIMEOUT_MS, { method: 'POST', headers, body: JSON.stringify({ Entries }) });
    if (!answer.ok) throw new EventBusError(await readCode(answer));
    const { Entries: outcomes } = (await answer.json()) as Answer;
    return events.flatMap((event, index) => {
      const { EventId, ErrorCode = 'no answer' } = outcomes[index] ?? {};
      return EventId ? [] : { event, error: new EventBusError(ErrorCode) };
    });
  };
}

/** Returns the code of a refusal, such as `AccessDeniedException`, or else its status. */
async function readCode(answer: Response): Promise<string> {
  const [, code] = /"__type"\s*:\s*"(?:[^"]*#)?(\w+)"/.exec(await answer.text()) ?? [];
  return code ?? String(answer.status);
}

const toEntry = ({ type, time, detail }: BusEvent) => ({
  Source: SOURCE,
  DetailType: type,
  Time: Date.parse(time) / 1_000,
  Detail: JSON.stringify(detail),
});
