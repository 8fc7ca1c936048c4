import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { perContainer } from '../runtime/async.ts';
import { tableClientConfig } from '../runtime/config.ts';
import { isMeasured, publishMeasure } from '../runtime/metrics.ts';

// The SDK sends a call at most 4 times. A hung DynamoDB takes 4 × 1.2 s, well below the gateway's 29 s.
export const MAX_SENDINGS = 4;
const TIMEOUTS = { connectionTimeout: 500, requestTimeout: 1_200, throwOnRequestTimeout: true };
// A search reads the orders of up to 100 patients at once; with the SDK's 50 connections, half would wait.
const AGENT = { maxSockets: 100, keepAlive: true };
const CONNECTIONS = { ...TIMEOUTS, httpAgent: AGENT, httpsAgent: AGENT };

const current = /* @__PURE__ */ perContainer((): { settings?: string; client?: DynamoDBDocumentClient } => ({}));

/** Returns the container's client, or a new one if the SDK's environment settings have changed. */
export function tableClient(): DynamoDBDocumentClient {
  const settings = JSON.stringify(tableClientConfig());
  const cached = current();
  if (cached.client && cached.settings === settings) return cached.client;
  return Object.assign(cached, { settings, client: makeClient() }).client;
}

function makeClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ maxAttempts: MAX_SENDINGS, requestHandler: CONNECTIONS });
  // It copies each input and output for an unused log: 6 % of the work of a request that reads many items.
  client.middlewareStack.remove('loggerMiddleware');
  measureCapacity(client);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

type CallOutcome = {
  readonly ConsumedCapacity?: Consumed | readonly Consumed[];
  readonly $metadata?: { readonly attempts?: number };
};
type Consumed = { readonly CapacityUnits?: number };

const READS = new Set([
  'GetItemCommand',
  'BatchGetItemCommand',
  'TransactGetItemsCommand',
  'QueryCommand',
  'ScanCommand',
]);

/** Publishes each call's round trips and capacity units, as counted by DynamoDB, while anybody listens. */
function measureCapacity(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        if (!isMeasured()) return next(call);
        const startedAt = performance.now();
        let outcome: CallOutcome = {};
        try {
          const input = { ...call.input, ReturnConsumedCapacity: 'TOTAL' as const };
          const result = await next({ ...call, input });
          outcome = result.output as CallOutcome;
          return result;
        } catch (error) {
          outcome = error as CallOutcome;
          throw error;
        } finally {
          publishMeasure({ ...toMeasure(commandName, outcome), durationMs: performance.now() - startedAt });
        }
      },
    { step: 'initialize', name: 'measureCapacity' },
  );
}

function toMeasure(command: string, { ConsumedCapacity = [], $metadata }: CallOutcome) {
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const kind = READS.has(command) ? { readUnits: units } : { writeUnits: units };
  return { part: 'dynamodb', roundTrips: $metadata?.attempts ?? 1, ...kind };
}
