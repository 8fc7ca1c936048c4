import type { DynamoDBRecord } from 'aws-lambda';
import { configuredAccess, signedFetch } from '../../../shared/runtime/aws.ts';

/** The last record that was handled: its shard, and its number in it. */
export type Position = { readonly shard: string; readonly sequenceNumber: string };

/** An open shard; `iterator` is undefined behind the last record of a closed one. */
type Open = { readonly arn: string; readonly shard: string; readonly iterator: string | undefined };

const STREAMS = 'DynamoDBStreams_20120810';
const TIMEOUT_MS = 5_000;
// The most that Lambda passes to a function by default.
const BATCH = 100;

/** Reads the stream of a table in order, one shard after the other, from a position or else from the oldest record. */
export class TableStream {
  readonly #call: Call;
  readonly #tableName: string;
  #position: Position | undefined;
  #open: Open | undefined;

  constructor(endpoint: string, tableName: string, position?: Position) {
    this.#call = streamCalls(endpoint);
    this.#tableName = tableName;
    this.#position = position;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** Returns the records behind the position, at most 100, none if there are none now. After a failure it begins anew there. */
  async read(): Promise<DynamoDBRecord[]> {
    try {
      return await this.#readOpen();
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  /** Takes a record as handled. */
  confirm({ dynamodb }: DynamoDBRecord): void {
    if (this.#open) this.#position = { shard: this.#open.shard, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
  }

  /** Begins anew behind the position, with records that were read and not confirmed. */
  rewind(): void {
    this.#open = undefined;
  }

  async #readOpen(): Promise<DynamoDBRecord[]> {
    for (;;) {
      this.#open ??= await this.#openFirst();
      const { arn, shard, iterator } = this.#open;
      if (iterator === undefined) {
        const shards = await this.#listShards(arn);
        const next = shards[shards.indexOf(shard) + 1];
        if (!next) return [];
        this.#open = await this.#openShard(arn, next);
      } else {
        type Page = { readonly Records: DynamoDBRecord[]; readonly NextShardIterator?: string };
        const page = await this.#call<Page>(`${STREAMS}.GetRecords`, { ShardIterator: iterator, Limit: BATCH });
        this.#open = { arn, shard, iterator: page.NextShardIterator };
        if (page.Records.length > 0 || page.NextShardIterator) return page.Records;
      }
    }
  }

  async #openFirst(): Promise<Open> {
    type Answer = { readonly Table: { readonly LatestStreamArn?: string } };
    const { Table } = await this.#call<Answer>('DynamoDB_20120810.DescribeTable', { TableName: this.#tableName });
    const { LatestStreamArn: arn } = Table;
    const shards = arn ? await this.#listShards(arn) : [];
    const isOpen = shards.includes(this.#position?.shard ?? '');
    const shard = isOpen ? this.#position?.shard : shards[0];
    if (!arn || !shard) throw new Error(`the table ${this.#tableName} has no stream`);
    // The record of the position may be too old for the stream to hold it.
    const after = isOpen ? this.#position?.sequenceNumber : undefined;
    return this.#openShard(arn, shard, after).catch(() => this.#openShard(arn, shard));
  }

  /** Returns the shards of a stream, the oldest first. Neither engine has so many that they come in pages. */
  async #listShards(StreamArn: string): Promise<string[]> {
    type Answer = { readonly StreamDescription: { readonly Shards: { readonly ShardId: string }[] } };
    const { StreamDescription } = await this.#call<Answer>(`${STREAMS}.DescribeStream`, { StreamArn });
    return StreamDescription.Shards.map(({ ShardId }) => ShardId);
  }

  /** Opens a shard behind a record, or else with the oldest one. */
  async #openShard(arn: string, shard: string, SequenceNumber?: string): Promise<Open> {
    const ShardIteratorType = SequenceNumber === undefined ? 'TRIM_HORIZON' : 'AFTER_SEQUENCE_NUMBER';
    const input = { StreamArn: arn, ShardId: shard, ShardIteratorType, SequenceNumber };
    type Answer = { readonly ShardIterator: string };
    const { ShardIterator } = await this.#call<Answer>(`${STREAMS}.GetShardIterator`, input);
    return { arn, shard, iterator: ShardIterator };
  }
}

type Call = <Answer>(target: string, input: object) => Promise<Answer>;

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
