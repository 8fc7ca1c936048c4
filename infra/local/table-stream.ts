import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod';
import { configuredAccess, signedFetch } from '../../shared/runtime/aws.ts';
import { awsConfig, tableConfig } from '../../shared/runtime/config.ts';
import { partitionStart } from '../../shared/store/keys.ts';
import { STOCK_LEVELS, type StreamSource } from '../jobs.ts';

export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
export type StreamFunction = { readonly source: StreamSource; readonly handler: StreamHandler };

/** The last record that was handled: its shard, and its number in it. */
type Position = z.infer<typeof position>;
type Call = <Answer>(target: string, input: object) => Promise<Answer>;
type Described = { readonly Table: { readonly LatestStreamArn?: string } };
type Stream = { readonly StreamDescription: { readonly Shards: { readonly ShardId: string }[] } };
type Start = { readonly ShardIterator: string };
type Page = { readonly Records: DynamoDBRecord[]; readonly NextShardIterator?: string };

const position = z.object({ shard: z.string(), sequenceNumber: z.string() });

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
    const stream = openStream(await readPosition(file));
    while (!signal.aborted) {
      const before = stream.position;
      // The function has logged its failure.
      const count = await handle(stream).catch(() => undefined);
      // Records that are read again do no harm: events that are published already stay as they are.
      if (stream.position !== before) await writeFile(file, JSON.stringify(stream.position)).catch(() => undefined);
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

async function readPosition(file: string): Promise<Position | undefined> {
  try {
    return position.parse(JSON.parse(await readFile(file, 'utf8')));
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

export function openStream(from?: Position): TableStream {
  const endpoint = awsConfig().AWS_ENDPOINT_URL_DYNAMODB;
  if (!endpoint) throw new Error('AWS_ENDPOINT_URL_DYNAMODB is not set');
  return new TableStream(streamCalls(endpoint), tableConfig().TABLE_NAME, from);
}

/** Reads the stream of a table in order, one shard after the other, from a position or else from the oldest record. */
export class TableStream {
  readonly #call: Call;
  readonly #tableName: string;
  #position: Position | undefined;
  #shard = '';
  /** The iterator at the end of an open shard, so that an idle stream takes one call a read. */
  #waiting: string | undefined;

  constructor(call: Call, tableName: string, from?: Position) {
    this.#call = call;
    this.#tableName = tableName;
    this.#position = from;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** Returns the records behind the position, at most 100, none if there are none now. */
  async read(): Promise<DynamoDBRecord[]> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const records = waiting === undefined ? [] : await this.#get(waiting);
    return records.length > 0 || this.#waiting ? records : this.#readShards();
  }

  async #readShards(): Promise<DynamoDBRecord[]> {
    const { arn, shards } = await this.#listShards();
    const first = shards.indexOf(this.#position?.shard ?? '');
    for (const shard of shards.slice(Math.max(first, 0))) {
      this.#shard = shard;
      const records = await this.#get(await this.#findStart(arn, shard));
      if (records.length > 0 || this.#waiting) return records;
    }
    return [];
  }

  async #get(ShardIterator: string): Promise<DynamoDBRecord[]> {
    const input = { ShardIterator, Limit: BATCH };
    const { Records, NextShardIterator } = await this.#call<Page>(`${STREAMS}.GetRecords`, input);
    if (Records.length === 0) this.#waiting = NextShardIterator;
    return Records;
  }

  /** Takes a record of the last ones as handled. */
  confirm({ dynamodb }: DynamoDBRecord): void {
    this.#position = { shard: this.#shard, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
  }

  /** Returns the shards of the stream, the oldest first. Neither engine has so many that they come in pages. */
  async #listShards(): Promise<{ readonly arn: string; readonly shards: readonly string[] }> {
    const table = await this.#call<Described>('DynamoDB_20120810.DescribeTable', { TableName: this.#tableName });
    const { LatestStreamArn: arn } = table.Table;
    if (!arn) throw new Error(`the table ${this.#tableName} has no stream`);
    const { StreamDescription } = await this.#call<Stream>(`${STREAMS}.DescribeStream`, { StreamArn: arn });
    return { arn, shards: StreamDescription.Shards.map(({ ShardId }) => ShardId) };
  }

  /** Returns the iterator behind the position, or else of the oldest record of a shard. */
  async #findStart(StreamArn: string, shard: string): Promise<string> {
    const find = async (start: object) => {
      const input = { StreamArn, ShardId: shard, ...start };
      return (await this.#call<Start>(`${STREAMS}.GetShardIterator`, input)).ShardIterator;
    };
    const oldest = { ShardIteratorType: 'TRIM_HORIZON' };
    if (shard !== this.#position?.shard) return find(oldest);
    const { sequenceNumber: SequenceNumber } = this.#position;
    // The record of the position may be too old for the stream to hold it.
    return find({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber }).catch(() => find(oldest));
  }
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
