import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { keyStart, type StreamSource } from '../../stream-jobs.ts';
import type { TableStream } from './table-stream.ts';

export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
export type StreamFunction = { readonly source: StreamSource; readonly handler: StreamHandler };

/**
 * Passes the next records of a stream to a function, as Lambda does: those that it is meant to get, and after a failure those from the
 * first that failed again. Returns how many records were read. Throws what the function throws.
 */
export async function passRecords(stream: TableStream, { source, handler }: StreamFunction): Promise<number> {
  const read = await stream.read();
  const own = read.filter((record) => isMeant(record, source));
  const failed = own.length > 0 ? await findFailed(own, handler, stream) : undefined;
  const done = failed ? read.slice(0, read.indexOf(failed)) : read;
  const last = done.at(-1);
  if (last) stream.confirm(last);
  if (!failed) return read.length;
  stream.rewind();
  throw new Error(`${source.handler} could not handle every record`);
}

async function findFailed(
  records: DynamoDBRecord[],
  handler: StreamHandler,
  stream: TableStream,
): Promise<DynamoDBRecord | undefined> {
  try {
    const { batchItemFailures } = await handler({ Records: records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return records.find(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
  } catch (error) {
    stream.rewind();
    throw error;
  }
}

function isMeant({ eventName, dynamodb }: DynamoDBRecord, source: StreamSource): boolean {
  const { pk, sk } = dynamodb?.Keys ?? {};
  if (!pk?.S?.startsWith(keyStart(source))) return false;
  const { newItems } = source;
  return newItems === undefined || (eventName === 'INSERT' && (sk?.S?.startsWith(newItems) ?? false));
}
