import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod';
import { awsConfig, tableConfig } from '../../../shared/runtime/config.ts';
import { keyStart, type StreamSource } from '../../stream-jobs.ts';
import { type Position, TableStream } from './table-stream.ts';

const IDLE_MS = 200;
const FAILED_MS = 1_000;

const position = z.object({ shard: z.string(), sequenceNumber: z.string() });

/**
 * Passes what is written to the table to a function until it is stopped. Its position stands in a file, so that a later
 * start continues there; without the file it begins with the oldest record: events that are published already stay as they are.
 */
export function runStream(job: StreamFunction, file: string): { stop(): Promise<void> } {
  const leaving = new AbortController();
  const running = follow(job, file, leaving.signal);
  return {
    stop: async () => {
      leaving.abort();
      await running;
    },
  };
}

async function follow(job: StreamFunction, file: string, signal: AbortSignal): Promise<void> {
  const stream = openStream(await readPosition(file));
  while (!signal.aborted) {
    const before = stream.position;
    // The function has logged its failure, and an engine that is away comes back.
    const passed = await passRecords(stream, job).catch(() => 'failed' as const);
    if (stream.position !== before) await writePosition(file, stream.position);
    const waitMs = passed === 'failed' ? FAILED_MS : IDLE_MS;
    if (passed === 'failed' || passed === 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Opens the stream of the table that the configuration names. */
export function openStream(from?: Position): TableStream {
  const endpoint = awsConfig().AWS_ENDPOINT_URL_DYNAMODB;
  if (!endpoint) throw new Error('AWS_ENDPOINT_URL_DYNAMODB is not set');
  return new TableStream(endpoint, tableConfig().TABLE_NAME, from);
}

// After a start without a position, records are read again: events that are published already stay as they are.
async function writePosition(file: string, position: Position | undefined): Promise<void> {
  await writeFile(file, JSON.stringify(position)).catch(() => undefined);
}

async function readPosition(file: string): Promise<Position | undefined> {
  try {
    return position.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
export type StreamFunction = { readonly source: StreamSource; readonly handler: StreamHandler };

/**
 * Passes the next records of a stream to a function, as Lambda does: those that it is meant to get, and after a failure those from the
 * first that failed again. Returns how many records were read. Throws what the function throws.
 */
export async function passRecords(stream: TableStream, { source, handler }: StreamFunction): Promise<number> {
  const records = await stream.read();
  const own = records.filter((record) => isMeant(record, source));
  try {
    const failure = own.length > 0 ? await findFailure(own, handler) : undefined;
    const last = (failure ? records.slice(0, records.indexOf(failure)) : records).at(-1);
    if (last) stream.confirm(last);
    if (failure) throw new Error(`${source.handler} could not handle every record`);
    return records.length;
  } catch (error) {
    stream.rewind();
    throw error;
  }
}

/** Returns the first record that the function could not handle. */
async function findFailure(records: DynamoDBRecord[], handler: StreamHandler): Promise<DynamoDBRecord | undefined> {
  const { batchItemFailures } = await handler({ Records: records });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return records.find(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
}

function isMeant({ eventName, dynamodb }: DynamoDBRecord, source: StreamSource): boolean {
  const { pk, sk } = dynamodb?.Keys ?? {};
  if (!pk?.S?.startsWith(keyStart(source))) return false;
  return eventName === 'INSERT' && (sk?.S?.startsWith(source.newItems) ?? false);
}
