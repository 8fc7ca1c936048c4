import { APIGatewayClient, paginateGetUsage } from '@aws-sdk/client-api-gateway';
import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { eventBusConfig, usagePlanConfig } from './config.ts';

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

/** Returns the bus that the configuration names. The request goes to the region of an ARN. */
export function openEventBus(): EventBus {
  const { EVENT_BUS: EventBusName } = eventBusConfig();
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

/** Invokes a Lambda function, which runs by itself then. Throws if Lambda does not take the event. */
export type Invoke = (event: object) => Promise<void>;

/** Returns what invokes a function (`<name>` or `<name>:<alias>`) asynchronously. */
export function functionInvoker(named: string): Invoke {
  const [FunctionName, Qualifier] = named.split(':');
  const client = new LambdaClient(limits(2_000));
  return async (event) => {
    const Payload = JSON.stringify(event);
    await client.send(new InvokeCommand({ FunctionName, Qualifier, InvocationType: 'Event', Payload }));
  };
}

/** One day of one API key: its requests, and how many were left of its month after them. */
type DayOfKey = { readonly gatewayKeyId: string; readonly requests: number; readonly left: number };

/** Returns the days (in UTC) of all API keys from the day of one time to that of another. */
type ReadKeyUsage = (from: Date, to: Date) => Promise<readonly DayOfKey[]>;

// The most that GetUsage returns at once.
const USAGE_PAGE = 500;

/** Opens the usage plan of the configuration. Its quota begins anew with each month in UTC. */
export function openKeyUsage(): ReadKeyUsage {
  const { USAGE_PLAN_ID: usagePlanId } = usagePlanConfig();
  const client = new APIGatewayClient(limits(5_000));
  return async (from, to) => {
    const asked = { usagePlanId, startDate: toDate(from), endDate: toDate(to) };
    const found: DayOfKey[] = [];
    for await (const { items = {} } of paginateGetUsage({ client, pageSize: USAGE_PAGE }, asked)) {
      for (const [gatewayKeyId, days] of Object.entries(items)) {
        // A pair for each day: the requests of the day, and what was left of the month after it.
        found.push(...days.map(([requests = 0, left = 0]) => ({ gatewayKeyId, requests, left })));
      }
    }
    return found;
  };
}

const toDate = (time: Date): string => time.toISOString().slice(0, 10);
