import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { Refusal } from '../domain/fault.ts';
import { tableConfig } from '../runtime/config.ts';
import type { Key } from './keys.ts';

export type Item = Record<string, unknown>;
export type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** Without the table's name, which the table adds itself. */
export type Write =
  | { readonly Put: Omit<NonNullable<Action['Put']>, 'TableName'> }
  | { readonly Update: Omit<NonNullable<Action['Update']>, 'TableName'> }
  | { readonly Delete: Omit<NonNullable<Action['Delete']>, 'TableName'> };

/** A transaction or update whose condition did not hold: nothing was written. `failed` lists the places of the writes. */
export class ConditionFailed extends Error {
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition did not hold');
    this.name = 'ConditionFailed';
    this.failed = failed;
  }
}

// One call is sent at most 4 times by the SDK. A hung DynamoDB costs 4 × 1.2 s and ends well before the gateway's 29 s.
const CALL_LIMITS = { maxAttempts: 4, connectionTimeout: 500, requestTimeout: 1_200 };
// The SDK does not retry a cancelled transaction: that is ours to do, with full jitter.
const CONFLICT_TRIES = 10;
const CONFLICT_BUDGET_MS = 5_000;
// 50 writers of one item that is held for 15 ms each: with 20 and 800 one of them gives up in 3 % of such crowds, with
// these in none of 300.
const CONFLICT_BASE_MS = 50;
const CONFLICT_CAP_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

// What the SDK sends again by itself, plain throttling above all, is not among it: 10 times 4 sendings would be a storm.
const RETRYABLE = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** The single table: reads are always consistent, and every failure to reach it is `unavailable`. */
export class Table {
  readonly #name: string;
  readonly #client: DynamoDBDocumentClient;

  constructor(name: string, client: DynamoDBDocumentClient) {
    this.#name = name;
    this.#client = client;
  }

  /** One item by its key, or undefined. */
  async get<Stored extends Item>(key: Key): Promise<Stored | undefined> {
    const command = new GetCommand({ TableName: this.#name, Key: key, ConsistentRead: true });
    const { Item: item } = await reached(() => this.#client.send(command));
    return item as Stored | undefined;
  }

  /** Up to 100 items in one round trip, in the order of their keys; undefined where there is none. */
  async getAll(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const found = new Map<string, Item>();
    let wanted = distinct(keys);
    for (let tries = 1; wanted.length > 0; tries++) {
      if (tries > CALL_LIMITS.maxAttempts) throw unavailable(undefined);
      const command = new BatchGetCommand({ RequestItems: { [this.#name]: { Keys: wanted, ConsistentRead: true } } });
      const answer = await reached(() => this.#client.send(command));
      for (const item of answer.Responses?.[this.#name] ?? []) found.set(nameOf(item as Key), item);
      wanted = (answer.UnprocessedKeys?.[this.#name]?.Keys ?? []) as Key[];
    }
    return keys.map((key) => found.get(nameOf(key)));
  }

  /** Every item of one partition that passes the filter, in the order of its sort keys. */
  async query(pk: string, filter?: { readonly expression: string; readonly values: Item }): Promise<Item[]> {
    const items: Item[] = [];
    const conditions = {
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: filter?.expression,
      ExpressionAttributeValues: { ...filter?.values, ':pk': pk },
    };
    for await (const page of this.pages(conditions)) items.push(...page);
    return items;
  }

  /** The pages of any query, each fetched when it is asked for. */
  async *pages(query: Omit<QueryCommandInput, 'TableName' | 'ConsistentRead'>): AsyncGenerator<Item[]> {
    let start = query.ExclusiveStartKey;
    do {
      const input = { ...query, TableName: this.#name, ConsistentRead: true, ExclusiveStartKey: start };
      const answer = await reached(() => this.#client.send(new QueryCommand(input)));
      yield answer.Items ?? [];
      start = answer.LastEvaluatedKey;
    } while (start);
  }

  /** One conditional update; answers the item as it is afterwards. Throws ConditionFailed. */
  async update(update: Omit<UpdateCommandInput, 'TableName'>): Promise<Item> {
    const command = new UpdateCommand({ TableName: this.#name, ReturnValues: 'ALL_NEW', ...update });
    const { Attributes } = await withRetries(() => this.#client.send(command));
    return Attributes ?? {};
  }

  /** All of the writes or none. Throws ConditionFailed when one of their conditions did not hold. */
  async transact(writes: readonly Write[]): Promise<void> {
    const command = new TransactWriteCommand({
      // One token for all tries: a try that was applied although its answer was lost is not applied again.
      ClientRequestToken: randomUUID(),
      TransactItems: writes.map((write) => this.#named(write)),
    });
    await withRetries(() => this.#client.send(command));
  }

  #named(write: Write): Action {
    const [kind, action] = Object.entries(write)[0] as [string, object];
    return { [kind]: { TableName: this.#name, ...action } } as Action;
  }
}

/** The table named by the configuration, over connections that are kept between requests. */
export function openTable(): Table {
  const client = new DynamoDBClient({
    maxAttempts: CALL_LIMITS.maxAttempts,
    requestHandler: {
      connectionTimeout: CALL_LIMITS.connectionTimeout,
      requestTimeout: CALL_LIMITS.requestTimeout,
      throwOnRequestTimeout: true,
    },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return new Table(tableConfig().TABLE_NAME, documents);
}

const nameOf = (key: Key) => `${key.pk} ${key.sk}`;
const distinct = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }])).values(),
];

const unavailable = (cause: unknown) => new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });

async function reached<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    throw isOurFault(cause) ? cause : unavailable(cause);
  }
}

// A request that DynamoDB calls malformed is a defect of ours: it must be seen as one, not retried by the caller.
const isOurFault = (error: unknown) =>
  error instanceof Error && /^(ValidationException|ResourceNotFoundException|SerializationException)$/.test(error.name);

async function withRetries<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + CONFLICT_BUDGET_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const failed = failedConditions(error);
      if (failed) throw new ConditionFailed(failed);
      if (!isRetryable(error)) throw isOurFault(error) ? error : unavailable(error);
      const wait = Math.random() * Math.min(CONFLICT_CAP_MS, CONFLICT_BASE_MS * 2 ** tries);
      if (tries === CONFLICT_TRIES || Date.now() + wait > deadline) throw unavailable(error);
      await pause(wait);
    }
  }
}

function failedConditions(error: unknown): number[] | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return [0];
  const failed = reasonsOf(error).flatMap((reason, index) => (reason === 'ConditionalCheckFailed' ? [index] : []));
  return failed.length > 0 ? failed : undefined;
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return RETRYABLE.has(error.name) || reasonsOf(error).some((reason) => RETRYABLE.has(reason));
}

const reasonsOf = (error: Error): string[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []).map(({ Code }) => Code ?? '') : [];
