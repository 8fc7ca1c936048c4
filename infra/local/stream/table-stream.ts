import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { configuredAccess, signedFetch } from '../../../shared/runtime/aws.ts';

/** The last record that was handled: its shard, and its number in it. */
export type Position = { readonly shard: string; readonly sequenceNumber: string };

type Shard = { readonly ShardId: string };
/** An open shard; `iterator` is undefined behind the last record of a closed one. */
type Open = { readonly arn: string; readonly shard: Shard; readonly iterator: string | undefined };

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
        const shards = await listShards(this.#call, arn);
        const next = shards[shards.findIndex(({ ShardId }) => ShardId === shard.ShardId) + 1];
        if (!next) return [];
        this.#open = await openShard(this.#call, arn, next);
      } else {
        type Page = { readonly Records: DynamoDBRecord[]; readonly NextShardIterator?: string };
        const page = await this.#call<Page>(`${STREAMS}.GetRecords`, { ShardIterator: iterator, Limit: BATCH });
        this.#open = { arn, shard, iterator: page.NextShardIterator };
        if (page.Records.length > 0 || page.NextShardIterator) return page.Records.map(restoreEmptyMaps);
      }
    }
  }

  async #openFirst(): Promise<Open> {
    type Described = { readonly Table: { readonly LatestStreamArn?: string } };
    const { Table } = await this.#call<Described>('DynamoDB_20120810.DescribeTable', { TableName: this.#tableName });
    const { LatestStreamArn: arn } = Table;
    const shards = arn ? await listShards(this.#call, arn) : [];
    const known = shards.find(({ ShardId }) => ShardId === this.#position?.shard);
    const shard = known ?? shards[0];
    if (!arn || !shard) throw new Error(`the table ${this.#tableName} has no stream`);
    const after = known && this.#position?.sequenceNumber;
    // The record of the position may be too old for the stream to hold it.
    return openShard(this.#call, arn, shard, after).catch(() => openShard(this.#call, arn, shard));
  }
}

const STREAMS = 'DynamoDBStreams_20120810';
const TIMEOUT_MS = 5_000;
// The most that Lambda passes to a function by default.
const BATCH = 100;

type Call = <Answer>(target: string, asked: object) => Promise<Answer>;

/** Calls DynamoDB without the SDK, whose answers do not hold records as Lambda passes them on. */
function streamCalls(endpoint: string): Call {
  const send = signedFetch('dynamodb', configuredAccess());
  return async <Answer>(target: string, asked: object) => {
    const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': target };
    const answer = await send(endpoint, TIMEOUT_MS, { method: 'POST', headers, body: JSON.stringify(asked) });
    if (!answer.ok) throw new Error(`${target} was answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
}

/** Returns the shards of a stream, the oldest first. */
async function listShards(call: Call, StreamArn: string): Promise<Shard[]> {
  type Answer = { readonly StreamDescription: { readonly Shards: Shard[]; readonly LastEvaluatedShardId?: string } };
  const shards: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const { StreamDescription } = await call<Answer>(`${STREAMS}.DescribeStream`, { StreamArn, ExclusiveStartShardId });
    shards.push(...StreamDescription.Shards);
    ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

/** Opens a shard behind a record, or else with the oldest one. */
async function openShard(call: Call, arn: string, shard: Shard, after?: string): Promise<Open> {
  const start =
    after === undefined
      ? { ShardIteratorType: 'TRIM_HORIZON' }
      : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
  const asked = { StreamArn: arn, ShardId: shard.ShardId, ...start };
  const answer = await call<{ readonly ShardIterator: string }>(`${STREAMS}.GetShardIterator`, asked);
  return { arn, shard, iterator: answer.ShardIterator };
}

/*
 * The streams of DynamoDB Local (3.3) leave out the type of an empty map: `{}` instead of `{"M":{}}`, which is what AWS
 * writes and the SDK reads.
 */
function restoreEmptyMaps(record: DynamoDBRecord): DynamoDBRecord {
  const { NewImage, OldImage } = record.dynamodb ?? {};
  const images = {
    ...(NewImage && { NewImage: restoreAll(NewImage) }),
    ...(OldImage && { OldImage: restoreAll(OldImage) }),
  };
  return { ...record, dynamodb: { ...record.dynamodb, ...images } };
}

const restoreAll = (attributes: Readonly<Record<string, AttributeValue>>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, restore(value)]));

function restore(value: AttributeValue): AttributeValue {
  if (value.M) return { M: restoreAll(value.M) };
  if (value.L) return { L: value.L.map(restore) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}
