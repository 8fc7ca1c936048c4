import type { DynamoDBRecord } from 'aws-lambda';
import { configuredAccess, type SignedFetch, signedFetch } from '../../../shared/runtime/aws.ts';
import { restoreEmptyMaps } from './empty-maps.ts';

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
