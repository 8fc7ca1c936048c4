import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { configuredAccess, type SignedFetch, signedFetch } from '../../../shared/runtime/aws.ts';

/** The last record that was handled: its shard, and its number in it. */
export type Position = { readonly shard: string; readonly sequenceNumber: string };

/** An open shard; `iterator` is undefined behind the last record of a closed one. */
type Open = { readonly arn: string; readonly shard: Shard; readonly iterator: string | undefined };

/** Reads the stream of a table in order, one shard after the other, from a position or else from the oldest record. */
export class TableStream {
  readonly #api: StreamApi;
  readonly #tableName: string;
  #position: Position | undefined;
  #open: Open | undefined;

  constructor(api: StreamApi, tableName: string, position?: Position) {
    this.#api = api;
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
    if (this.#open) {
      this.#position = { shard: this.#open.shard.ShardId, sequenceNumber: dynamodb?.SequenceNumber ?? '' };
    }
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
        const next = await this.#openNext(arn, shard);
        if (!next) return [];
        this.#open = next;
      } else {
        const { Records, NextShardIterator } = await this.#api.readRecords(iterator);
        this.#open = { arn, shard, iterator: NextShardIterator };
        if (Records.length > 0 || NextShardIterator) return Records;
      }
    }
  }

  async #openFirst(): Promise<Open> {
    const arn = await this.#api.findStream(this.#tableName);
    const shards = arn ? await this.#api.listShards(arn) : [];
    const known = shards.find(({ ShardId }) => ShardId === this.#position?.shard);
    const shard = known ?? shards[0];
    if (!arn || !shard) throw new Error(`the table ${this.#tableName} has no stream`);
    return { arn, shard, iterator: await this.#openShard(arn, shard) };
  }

  async #openNext(arn: string, { ShardId }: Shard): Promise<Open | undefined> {
    const shards = await this.#api.listShards(arn);
    const shard = shards[shards.findIndex((one) => one.ShardId === ShardId) + 1];
    return shard && { arn, shard, iterator: await this.#api.openShard(arn, shard, undefined) };
  }

  async #openShard(arn: string, shard: Shard): Promise<string> {
    const after = this.#position?.shard === shard.ShardId ? this.#position.sequenceNumber : undefined;
    try {
      return await this.#api.openShard(arn, shard, after);
    } catch {
      // The record of the position may be too old for the stream to hold it.
      return this.#api.openShard(arn, shard, undefined);
    }
  }
}

export type Shard = { readonly ShardId: string };
type Page = { readonly Records: DynamoDBRecord[]; readonly NextShardIterator?: string };

const TIMEOUT_MS = 5_000;
// The most that Lambda passes to a function by default.
const BATCH = 100;

/** The calls of the API of DynamoDB streams, whose answers hold records as Lambda passes them on, unlike those of the SDK. */
export class StreamApi {
  readonly #send: SignedFetch;
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
    this.#send = signedFetch('dynamodb', configuredAccess());
  }

  /** Returns the ARN of the stream of a table, undefined if it has none. */
  async findStream(tableName: string): Promise<string | undefined> {
    type Answer = { Table: { LatestStreamArn?: string } };
    const { Table } = await this.#call<Answer>('DynamoDB_20120810.DescribeTable', { TableName: tableName });
    return Table.LatestStreamArn;
  }

  /** Returns the shards of a stream, the oldest first. */
  async listShards(StreamArn: string): Promise<Shard[]> {
    type Answer = { StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string } };
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const asked = { StreamArn, ExclusiveStartShardId };
      const { StreamDescription } = await this.#call<Answer>('DynamoDBStreams_20120810.DescribeStream', asked);
      shards.push(...StreamDescription.Shards);
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  /** Returns an iterator of a shard that begins behind a record, or else with the oldest one. */
  async openShard(StreamArn: string, { ShardId }: Shard, after: string | undefined): Promise<string> {
    const start =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
    const asked = { StreamArn, ShardId, ...start };
    const answer = await this.#call<{ ShardIterator: string }>('DynamoDBStreams_20120810.GetShardIterator', asked);
    return answer.ShardIterator;
  }

  /** Returns the next records of an iterator, and the iterator behind them, undefined at the end of a closed shard. */
  async readRecords(ShardIterator: string): Promise<Page> {
    const asked = { ShardIterator, Limit: BATCH };
    const page = await this.#call<Page>('DynamoDBStreams_20120810.GetRecords', asked);
    return { ...page, Records: page.Records.map(restoreEmptyMaps) };
  }

  async #call<Answer>(target: string, asked: object): Promise<Answer> {
    const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': target };
    const body = JSON.stringify(asked);
    const answer = await this.#send(this.#endpoint, TIMEOUT_MS, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${target} was answered ${answer.status}`);
    return (await answer.json()) as Answer;
  }
}

/*
 * The streams of DynamoDB Local (3.3) leave out the type of an empty map: `{}` instead of `{"M":{}}`, which is what AWS
 * writes and the SDK reads.
 */

type Attributes = Record<string, AttributeValue>;

/** Returns a record whose empty maps have their type. */
function restoreEmptyMaps(record: DynamoDBRecord): DynamoDBRecord {
  const { NewImage, OldImage } = record.dynamodb ?? {};
  const images = {
    ...(NewImage && { NewImage: restoreAll(NewImage) }),
    ...(OldImage && { OldImage: restoreAll(OldImage) }),
  };
  return { ...record, dynamodb: { ...record.dynamodb, ...images } };
}

const restoreAll = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, restore(value)]));

function restore(value: AttributeValue): AttributeValue {
  if (value.M) return { M: restoreAll(value.M) };
  if (value.L) return { L: value.L.map(restore) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}
