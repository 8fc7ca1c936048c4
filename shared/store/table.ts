import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
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
import { unavailable } from '../domain/refusal.ts';
import { tableConfig } from '../runtime/config.ts';
import { callLimit } from '../runtime/time-limit.ts';
import { tellCapacity } from './capacity.ts';
import type { Key } from './keys.ts';
import { failedConditions, isDoneBefore, isOurFault, isRetryable, STAMP } from './table-failures.ts';

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
// The SDK does not retry a cancelled transaction: that is ours to do, with full jitter, as long as the request has time.
const CONFLICT_TRIES = 10;
// 50 writers of one item that is held for 15 ms each: with 20 and 800 one of them gives up in 3 % of such crowds, with
// these in none of 300.
const CONFLICT_BASE_MS = 50;
const CONFLICT_CAP_MS = 1_000;

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
    const { Item: item } = await reached(() => this.#client.send(command, callLimit()));
    return item && (unstamped(item) as Stored);
  }

  /** Up to 100 items in one round trip, in the order of their keys; undefined where there is none. */
  async getAll(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const found = new Map<string, Item>();
    let wanted = distinct(keys);
    for (let tries = 1; wanted.length > 0; tries++) {
      if (tries > CALL_LIMITS.maxAttempts) throw unavailable();
      const command = new BatchGetCommand({ RequestItems: { [this.#name]: { Keys: wanted, ConsistentRead: true } } });
      const answer = await reached(() => this.#client.send(command, callLimit()));
      for (const item of answer.Responses?.[this.#name] ?? []) found.set(nameOf(item as Key), unstamped(item));
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
      const answer = await reached(() => this.#client.send(new QueryCommand(input), callLimit()));
      yield (answer.Items ?? []).map(unstamped);
      start = answer.LastEvaluatedKey;
    } while (start);
  }

  /** One conditional update; answers the item as it is afterwards. Throws ConditionFailed. */
  async update(update: Omit<UpdateCommandInput, 'TableName'>): Promise<Item> {
    const command = new UpdateCommand({ TableName: this.#name, ReturnValues: 'ALL_NEW', ...update });
    const { Attributes } = await withRetries(() => this.#client.send(command, callLimit()));
    return unstamped(Attributes ?? {});
  }

  /** All of the writes or none. Throws ConditionFailed when one of their conditions did not hold. */
  async transact(writes: readonly Write[]): Promise<void> {
    // One token for all tries: a try that was applied although its answer was lost is not applied again.
    const token = randomUUID();
    const TransactItems = writes.map((write) => this.#named(stamped(write, token)));
    const command = new TransactWriteCommand({ ClientRequestToken: token, TransactItems });
    await withRetries(async () => {
      try {
        await this.#client.send(command, callLimit());
      } catch (error) {
        if (!isDoneBefore(error, token)) throw error;
      }
    });
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
  tellCapacity(client);
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return new Table(tableConfig().TABLE_NAME, documents);
}

// DynamoDB is not to be relied on to know a token again: when calls timed out under load, a transaction that was done was
// done anew, as far as its conditions let it. A put under a condition therefore says whose it is, and where it fails on
// what it has written itself, that is told.
function stamped(write: Write, token: string): Write {
  if (!('Put' in write) || write.Put.ConditionExpression === undefined) return write;
  const Item = { ...write.Put.Item, [STAMP]: token };
  return { Put: { ...write.Put, Item, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } };
}

function unstamped({ [STAMP]: _, ...item }: Item): Item {
  return item;
}

const nameOf = (key: Key) => `${key.pk} ${key.sk}`;
const distinct = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }])).values(),
];

async function reached<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    throw isOurFault(cause) ? cause : unavailable({ cause });
  }
}

async function withRetries<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const failed = failedConditions(error);
      if (failed) throw new ConditionFailed(failed);
      if (!isRetryable(error)) throw isOurFault(error) ? error : unavailable({ cause: error });
      if (tries === CONFLICT_TRIES) throw unavailable({ cause: error });
      await pause(Math.random() * Math.min(CONFLICT_CAP_MS, CONFLICT_BASE_MS * 2 ** tries));
    }
  }
}
