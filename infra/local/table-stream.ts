import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { configuredAccess, signedFetch } from '../../shared/runtime/aws.ts';
import { awsConfig, tableConfig } from '../../shared/runtime/config.ts';
import { partitionStart } from '../../shared/store/keys.ts';
import { STOCK_LEVELS, type StreamSource } from '../jobs.ts';

export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
export type StreamFunction = { readonly source: StreamSource; readonly handler: StreamHandler };

/** The last record that was handled: its shard, and its number in it. */
type Position = { readonly shard: string; readonly sequenceNumber: string };
type Page = { readonly Records: DynamoDBRecord[]; readonly NextShardIterator?: string };
type Call = <Answer>(target: string, input: object) => Promise<Answer>;

const STREAMS = 'DynamoDBStreams_20120810';
const TIMEOUT_MS = 5_000;
// The most that Lambda passes to a function by default.
const BATCH = 100;
const IDLE_MS = 200;
const FAILED_MS = 1_000;

/**
 * Reads the table's stream until it is stopped: `handle` reads from the stream and returns the number of records. A later start
 * continues at the position in the file, or without one at the oldest record.
 */
export function runStream(file: string, handle: (stream: TableStream) => Promise<number>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(): Promise<void> {
    const stream = openStream(readPosition(file));
    while (!signal.aborted) {
      const before = stream.position();
      // The function has logged its failure.
      const count = await handle(stream).catch(() => undefined);
      // Records that are read again do no harm: events that are published already stay as they are.
      const after = stream.position();
      if (after !== before) await writeFile(file, JSON.stringify(after)).catch(() => undefined);
      if (!count) await pause(count === 0 ? IDLE_MS : FAILED_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = follow();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}

function readPosition(file: string): Position | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Passes the next records of a stream to a function, as Lambda does: those that it is meant to get, and after a failure those from the
 * first that failed again. Returns all records that were read. Throws what the function throws.
 */
export async function passRecords(
  stream: TableStream,
  { source, handler }: StreamFunction,
): Promise<readonly DynamoDBRecord[]> {
  const records = await stream.read();
  const own = records.filter((record) => isMeant(record, source));
  const failure = own.length > 0 ? await findFailure(own, handler) : undefined;
  const last = (failure ? records.slice(0, records.indexOf(failure)) : records).at(-1);
  if (last) stream.confirm(last);
  if (failure) throw new Error(`${source.handler} could not handle every record`);
  return records;
}

async function findFailure(records: DynamoDBRecord[], handler: StreamHandler): Promise<DynamoDBRecord | undefined> {
  const { batchItemFailures } = await handler({ Records: records });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return records.find(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
}

export function isMeant(record: DynamoDBRecord, source: StreamSource): boolean {
  const { eventName, dynamodb } = record;
  const { pk, sk } = dynamodb?.Keys ?? {};
  const isNew = eventName === 'INSERT';
  if (pk?.S?.startsWith(partitionStart(source.kind))) return isNew && (sk?.S?.startsWith(source.newItems) ?? false);
  if (!source.stock || !pk?.S?.startsWith(STOCK_LEVELS.pk) || !sk?.S?.startsWith(STOCK_LEVELS.sk)) return false;
  return isNew || [dynamodb?.NewImage, dynamodb?.OldImage].some((level) => level?.available?.N === '0');
}

export type TableStream = ReturnType<typeof openStream>;

/** Reads the stream of the table in order, one shard after the other, behind a position or else from the oldest record. */
export function openStream(from?: Position) {
  const endpoint = awsConfig().AWS_ENDPOINT_URL_DYNAMODB;
  if (!endpoint) throw new Error('AWS_ENDPOINT_URL_DYNAMODB is not set');
  const call = streamCalls(endpoint);
  const { TABLE_NAME: TableName } = tableConfig();
  let position = from;
  let shard = '';
  /** The iterator at the end of an open shard, so that an idle stream takes one call a read. */
  let waiting: string | undefined;

  async function getRecords(ShardIterator: string): Promise<DynamoDBRecord[]> {
    const { Records, NextShardIterator } = await call<Page>(`${STREAMS}.GetRecords`, { ShardIterator, Limit: BATCH });
    waiting = Records.length === 0 ? NextShardIterator : undefined;
    return Records;
  }

  /** Returns the iterator behind the position, or else of the oldest record of a shard. */
  async function findStart(StreamArn: string, ShardId: string): Promise<string> {
    const find = async (start: object) => {
      const input = { StreamArn, ShardId, ...start };
      return (await call<{ ShardIterator: string }>(`${STREAMS}.GetShardIterator`, input)).ShardIterator;
    };
    const oldest = { ShardIteratorType: 'TRIM_HORIZON' };
    if (ShardId !== position?.shard) return find(oldest);
    const next = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.sequenceNumber };
    // The record of the position may be too old for the stream to hold it.
    return find(next).catch(() => find(oldest));
  }

  /** Returns the shards of the stream, the oldest first. Neither engine has so many that they come in pages. */
  async function listShards() {
    const { Table } = await call<{ Table: { LatestStreamArn?: string } }>('DynamoDB_20120810.DescribeTable', {
      TableName,
    });
    const { LatestStreamArn: arn } = Table;
    if (!arn) throw new Error(`the table ${TableName} has no stream`);
    type Stream = { StreamDescription: { Shards: { ShardId: string }[] } };
    const { StreamDescription } = await call<Stream>(`${STREAMS}.DescribeStream`, { StreamArn: arn });
    return { arn, shards: StreamDescription.Shards.map(({ ShardId }) => ShardId) };
  }

  return {
    position: () => position,
    /** Returns the records behind the position, at most 100, none if there are none now. */
    async read(): Promise<DynamoDBRecord[]> {
      const last = waiting;
      waiting = undefined;
      const records = last === undefined ? [] : await getRecords(last);
      if (records.length > 0 || waiting) return records;
      const { arn, shards } = await listShards();
      const first = shards.indexOf(position?.shard ?? '');
      for (shard of shards.slice(Math.max(first, 0))) {
        const found = await getRecords(await findStart(arn, shard));
        if (found.length > 0 || waiting) return found;
      }
      return [];
    },
    /** Takes a record of the last ones as handled. */
    confirm({ dynamodb }: DynamoDBRecord): void {
      position = { shard, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
    },
  };
}

/** Calls DynamoDB without the SDK, whose answers do not hold records as Lambda passes them on. */
function streamCalls(endpoint: string): Call {
  const send = signedFetch('dynamodb', configuredAccess());
  return async <Answer>(target: string, input: object) => {
    const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': target };
    const answer = await send(endpoint, TIMEOUT_MS, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${target} was answered ${answer.status}`);
    return JSON.parse(await answer.text(), restoreEmptyMap) as Answer;
  };
}

/** DynamoDB Local (3.3) writes an empty map of a record as `{}` instead of `{"M":{}}`, which the SDK reads. */
function restoreEmptyMap(name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && name !== 'M' && Object.keys(value).length === 0 ? { M: {} } : value;
}
