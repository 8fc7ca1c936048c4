import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { eventBusConfig } from './config.ts';

// Only jobs call these services, so that their clients are in no bundle of a route.

// Whoever calls tries again, so that the SDK does so once only, for a connection that died while the function was frozen.
const limits = (requestTimeout: number) => ({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
});

/** The most entries of one PutEvents; ten events of ours are some 4 KB of the 256 KB that it takes. */
export const BUS_BATCH = 10;
const SOURCE = 'botica';

/** An event as the bus gets it; `detail` is any JSON. */
export type BusEvent = { readonly type: string; readonly time: string; readonly detail: object };

/** Puts at most ten events on the bus, and returns those that it did not take. Throws if it refuses the request. */
export type EventBus = <One extends BusEvent>(events: readonly One[]) => Promise<readonly Refused<One>[]>;
type Refused<One> = { readonly event: One; readonly error: Error };

/** Returns the bus that the configuration names, if it names one. The request goes to the region of an ARN. */
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

/** Returns an error whose code is for the log, which leaves out messages. */
const toError = ({ ErrorCode: code = 'no answer' }: PutEventsResultEntry = {}): Error =>
  Object.assign(new Error('EventBridge did not take an event'), { code });
