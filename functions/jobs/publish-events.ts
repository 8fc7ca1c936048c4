import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { eventBus, table } from '../../shared/deps.ts';
import { publishRecords } from '../../shared/events/publish-events.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/** Runs on new order events in the table's stream. Lambda repeats those that failed. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const deps = { table: table(), now: now(), bus: eventBus() };
  const { events, unpublished, answer } = await publishRecords(Records, deps);
  logInfo('events published', { records: Records.length, events, failed: answer.batchItemFailures.length });
  if (unpublished > 0) reportMetrics({ eventsUnpublished: unpublished });
  return answer;
}
