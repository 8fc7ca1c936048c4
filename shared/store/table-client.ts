import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableClientConfig } from '../runtime/config.ts';
import { perContainer } from '../runtime/container.ts';
import { isMeasured, publishMeasure } from '../runtime/metrics.ts';

// One call is sent at most 4 times by the SDK. A hung DynamoDB costs 4 × 1.2 s and ends well before the gateway's 29 s.
export const MAX_SENDINGS = 4;
const TIMEOUTS = { connectionTimeout: 500, requestTimeout: 1_200, throwOnRequestTimeout: true };
// A search asks for the orders of up to 100 patients at once. The SDK has 50 connections, so that half of them would wait.
const AGENT = { maxSockets: 100, keepAlive: true };
const CONNECTIONS = { ...TIMEOUTS, httpAgent: AGENT, httpsAgent: AGENT };

const kept = /* @__PURE__ */ perContainer((): { settings?: string; client?: DynamoDBDocumentClient } => ({}));

/** Returns the client of this container. Another is made only when the settings that the SDK takes from the environment have changed. */
export function tableClient(): DynamoDBDocumentClient {
  const settings = JSON.stringify(tableClientConfig());
  const former = kept();
  if (former.client && former.settings === settings) return former.client;
  return Object.assign(former, { settings, client: makeClient() }).client;
}

function makeClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ maxAttempts: MAX_SENDINGS, requestHandler: CONNECTIONS });
  // It copies each input and output for a log that nobody reads: 6 % of the work of a request that reads many items.
  client.middlewareStack.remove('loggerMiddleware');
  measureCapacity(client);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

type Answered = {
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

/** Publishes the round trips and capacity units of each call of the client, as DynamoDB counts them, while anybody listens. */
function measureCapacity(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        if (!isMeasured()) return next(call);
        const started = performance.now();
        let answered: Answered = {};
        try {
          const asked = { ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' as const } };
          const result = await next(asked);
          answered = result.output as Answered;
          return result;
        } catch (error) {
          answered = error as Answered;
          throw error;
        } finally {
          publishMeasure({ ...spent(commandName, answered), durationMs: performance.now() - started });
        }
      },
    { step: 'initialize', name: 'measureCapacity' },
  );
}

function spent(command: string, { ConsumedCapacity = [], $metadata }: Answered) {
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const kind = READS.has(command) ? { readUnits: units } : { writeUnits: units };
  return { part: 'dynamodb', roundTrips: $metadata?.attempts ?? 1, ...kind };
}
