import type { DynamoDBRecord } from 'aws-lambda';
import type { Shard, StreamApi } from './stream-api.ts';

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
