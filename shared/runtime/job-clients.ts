import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { eventBusConfig } from './config.ts';

// Only jobs use these services, so their clients are in no route's bundle.

// Callers retry themselves; the SDK retries once, for a connection that died while the function was frozen.
const limits = (requestTimeout: number) => ({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
});

/** PutEvents takes ten entries; ten of our events are some 4 KB of the 256 KB that it takes. */
export const BUS_BATCH = 10;
const SOURCE = 'botica';

export type BusEvent = { readonly type: string; readonly time: string; readonly detail: object };

/** Puts at most ten events on the bus and returns the refused ones. Throws if the whole request is refused. */
export type EventBus = <Event extends BusEvent>(events: readonly Event[]) => Promise<readonly Refused<Event>[]>;
type Refused<Event> = { readonly event: Event; readonly error: Error };

/** Returns the configured bus, if any. Requests go to the region of its ARN. */
export function openEventBus(): EventBus | undefined {
  const { EVENT_BUS: EventBusName } = eventBusConfig();
  if (EventBusName === undefined) return undefined;
  const [, , , region] = EventBusName.split(':');
  const client = new EventBridgeClient({ ...limits(3_000), ...(region && { region }) });
  return async (events) => {
    const Entries = events.map(({ type, time, detail }) => ({
      EventBusName,
      Source: SOURCE,
      DetailType: type,
      Time: new Date(time),
      Detail: JSON.stringify(detail),
    }));
    const { Entries: outcomes = [] } = await client.send(new PutEventsCommand({ Entries }));
    return events.flatMap((event, index) =>
      outcomes[index]?.EventId ? [] : { event, error: toError(outcomes[index]) },
    );
  };
}

/** The log shows the code, as it omits messages. */
const toError = ({ ErrorCode: code = 'no answer' }: PutEventsResultEntry = {}): Error =>
  Object.assign(new Error('EventBridge did not take an event'), { code });
