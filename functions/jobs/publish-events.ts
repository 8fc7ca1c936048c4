import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { catalogBucket, eventBus, table } from '../../shared/deps.ts';
import { publishRecords } from '../../shared/events/publish-events.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';
import { followStock, isStockRecord } from '../../shared/stock/follow-stock.ts';

/** Runs on new order events and on stock that ends or begins in the table's stream. Lambda repeats the records that failed. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const [levels, orders] = [Records.filter(isStockRecord), Records.filter((record) => !isStockRecord(record))];
  const [{ events, unpublished, answer }, failedLevels] = await Promise.all([
    publishRecords(orders, { table: table(), now: now(), bus: eventBus() }),
    followStock(levels, { table: table(), bucket: catalogBucket }),
  ]);
  const failures = failedLevels.map((itemIdentifier) => ({ itemIdentifier }));
  const batchItemFailures = [...answer.batchItemFailures, ...failures];
  logInfo('events published', { records: Records.length, events, failed: batchItemFailures.length });
  if (unpublished > 0) reportMetrics({ eventsUnpublished: unpublished });
  return { batchItemFailures };
}
