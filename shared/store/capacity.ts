import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isMeasured, publishMeasure } from '../runtime/metrics.ts';

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
export function measureCapacity(client: DynamoDBClient): void {
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
