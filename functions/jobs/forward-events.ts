import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { eventBus } from '../../shared/deps.ts';
import { forwardRecords } from '../../shared/events/forward-records.ts';
import { logInfo } from '../../shared/runtime/log.ts';

/** Runs on the new events of feeds in the table's stream. Lambda sends those that the bus did not take again. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const { events, answer } = await forwardRecords(Records, eventBus());
  logInfo('events forwarded', { records: Records.length, events });
  return answer;
}
