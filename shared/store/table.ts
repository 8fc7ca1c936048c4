import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../domain/refusal.ts';
import { sideBySide } from '../runtime/async.ts';
import { callLimit } from '../runtime/clock.ts';
import { tableConfig } from '../runtime/config.ts';
import { type Key, keyName, toKey } from './keys.ts';
import { MAX_SENDINGS, tableClient } from './table-client.ts';
import { callDynamo, STAMP, sendOnce, stampedPut, unlessRefused, withRetries } from './table-failures.ts';

export type Item = Record<string, unknown>;
type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Put = Omit<NonNullable<Action['Put']>, 'TableName'>;
/** The table adds its name. */
export type Write =
  | { readonly Put: Put }
  | { readonly Update: Omit<NonNullable<Action['Update']>, 'TableName'> }
  | { readonly Delete: Omit<NonNullable<Action['Delete']>, 'TableName'> }
  | { readonly ConditionCheck: Omit<NonNullable<Action['ConditionCheck']>, 'TableName'> };
type BatchRequest =
  | { readonly PutRequest: { readonly Item: Item } }
  | { readonly DeleteRequest: { readonly Key: Key } };
type Update = Omit<UpdateCommandInput, 'TableName'>;

export const ABSENT = 'attribute_not_exists(pk)';
export const PRESENT = 'attribute_exists(pk)';

/** Selects the sort keys from one to another, both included. No key is a bare instant, so an instant is as good as excluded. */
export const between = (from: string, until: string) => ({
  where: 'sk BETWEEN :from AND :until',
  values: { ':from': from, ':until': until },
});
export const startingWith = (start: string) => {
  return { where: 'begins_with(sk, :start)', values: { ':start': start } };
};

export type Query = {
  readonly pk: string;
  /** A condition on the sort key: `sk < :end`. */
  readonly where?: string;
  readonly filter?: string | undefined;
  readonly values?: Item;
  readonly isDescending?: boolean;
  /** Comma-separated; all attributes by default. */
  readonly attributes?: string;
  readonly after?: Key | undefined;
  readonly pageSize?: number;
};

export type Scan = Required<Pick<Query, 'filter' | 'values'>>;

// The limit of BatchGetItem, TransactGetItems and TransactWriteItems.
export const BATCH = 100;
// The limit of BatchWriteItem.
const WRITE_BATCH = 25;
// A partition takes 1,000 units a second. More batches would wait for each other until they time out.
const BATCHES_AT_ONCE = 4;
// The segments of a scan are read in parallel, the pages of one in sequence.
const SEGMENTS = 4;
// Without a limit a busy local engine takes seconds for 1 MB, and a call is cancelled after 1.2 s.
const SCANNED_PER_PAGE = 500;

/** Reads are always consistent. Every call throws Refusal `unavailable` if the table cannot be reached. */
export class Table {
  readonly #name: string;
  readonly #client: DynamoDBDocumentClient;

  constructor(name: string, client: DynamoDBDocumentClient) {
    this.#name = name;
    this.#client = client;
  }

  async get(key: Key): Promise<Item | undefined> {
    const command = new GetCommand({ TableName: this.#name, Key: key, ConsistentRead: true });
    const { Item: item } = await callDynamo(() => this.#client.send(command, callLimit()));
    return item && withoutStamp(item);
  }

  /** Returns items in the order of their keys, undefined for missing ones; one round trip per 100. */
  async getAll(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const items = new Map<string, Item>();
    const distinct = new Map(keys.map((key) => [keyName(key), toKey(key)]));
    for (const batch of batches([...distinct.values()])) {
      for (const item of await this.#getBatch(batch)) items.set(keyName(toKey(item)), withoutStamp(item));
    }
    return keys.map((key) => items.get(keyName(key)));
  }

  /** Returns items by name, undefined for missing ones and without a key; one round trip per 100. */
  async getNamed<Name extends string>(
    keys: Readonly<Record<Name, Key | undefined>>,
  ): Promise<Readonly<Record<Name, Item | undefined>>> {
    const entries = Object.entries<Key | undefined>(keys).flatMap(([name, key]) => (key ? [{ name, key }] : []));
    const items = await this.getAll(entries.map(({ key }) => key));
    return Object.fromEntries(entries.map(({ name }, index) => [name, items[index]])) as Record<Name, Item | undefined>;
  }

  async #getBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = [];
    await sendUntilProcessed(keys, async (remaining) => {
      const command = new BatchGetCommand({
        RequestItems: { [this.#name]: { Keys: [...remaining], ConsistentRead: true } },
      });
      const answer = await callDynamo(() => this.#client.send(command, callLimit()));
      items.push(...(answer.Responses?.[this.#name] ?? []));
      return (answer.UnprocessedKeys?.[this.#name]?.Keys ?? []) as Key[];
    });
    return items;
  }

  /** Returns at most 100 items as of one moment, in the order of their keys; at twice the price of other reads. */
  async snapshot(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const TransactItems = keys.map((key) => ({ Get: { TableName: this.#name, Key: toKey(key) } }));
    const command = new TransactGetCommand({ TransactItems });
    const { Responses = [] } = await withRetries(() => this.#client.send(command, callLimit()));
    return Responses.map(({ Item: item }) => item && withoutStamp(item));
  }

  async all(query: Query): Promise<Item[]> {
    return this.first(query, Number.POSITIVE_INFINITY);
  }

  /** Returns at most `count` items of a query. */
  async first(query: Query, count: number): Promise<Item[]> {
    const items: Item[] = [];
    const pages = this.pages(Number.isFinite(count) ? { ...query, pageSize: count } : query);
    for await (const page of pages) {
      items.push(...page);
      if (items.length >= count) break;
    }
    return items.slice(0, count);
  }

  async *pages(query: Query): AsyncGenerator<Item[]> {
    const input = this.#input(query);
    yield* pagesFrom(query.after, (start) =>
      this.#client.send(new QueryCommand({ ...input, ExclusiveStartKey: start }), callLimit()),
    );
  }

  /** Hands over the matching items of the whole table, unsorted. Billed by what it reads, so for operators only. */
  async scan({ filter, values }: Scan, take: (item: Item) => void): Promise<void> {
    const scanSegment = async (segment: number) => {
      const input: ScanCommandInput = {
        TableName: this.#name,
        ConsistentRead: true,
        FilterExpression: filter,
        ExpressionAttributeValues: values,
        Limit: SCANNED_PER_PAGE,
        Segment: segment,
        TotalSegments: SEGMENTS,
      };
      const pages = pagesFrom(undefined, (start) =>
        this.#client.send(new ScanCommand({ ...input, ExclusiveStartKey: start }), callLimit()),
      );
      for await (const items of pages) for (const item of items) take(item);
    };
    await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => scanSegment(segment)));
  }

  #input({ pk, where, filter, values, isDescending, attributes, pageSize }: Query): QueryCommandInput {
    return {
      TableName: this.#name,
      ConsistentRead: true,
      KeyConditionExpression: where ? `pk = :pk AND ${where}` : 'pk = :pk',
      FilterExpression: filter,
      ExpressionAttributeValues: { ...values, ':pk': pk },
      ProjectionExpression: attributes,
      ScanIndexForward: !isDescending,
      Limit: pageSize,
    };
  }

  /** Makes a conditional update and returns the new item. Throws ConditionFailed. */
  async update(update: Update): Promise<Item> {
    const command = new UpdateCommand({ TableName: this.#name, ReturnValues: 'ALL_NEW', ...update });
    const { Attributes } = await withRetries(() => this.#client.send(command, callLimit()));
    return withoutStamp(Attributes ?? {});
  }

  /** Returns undefined if the condition does not hold. */
  tryUpdate(update: Update): Promise<Item | undefined> {
    return unlessRefused(this.update(update), undefined);
  }

  /** Makes all of the writes or none. Throws ConditionFailed. */
  async transact(writes: readonly Write[]): Promise<void> {
    // One token for all tries: a write whose answer was lost is not applied again.
    const token = randomUUID();
    const [write, ...others] = writes;
    if (write && 'Put' in write && others.length === 0) return this.#put(write.Put, token);
    const TransactItems = writes.map((each) => this.#withTable(withStamp(each, token)));
    const command = new TransactWriteCommand({ ClientRequestToken: token, TransactItems });
    await sendOnce(token, () => this.#client.send(command, callLimit()));
  }

  /** Costs half as much as a transaction. */
  async #put(put: Put, token: string): Promise<void> {
    const command = new PutCommand({ TableName: this.#name, ...stampedPut(put, token) });
    await sendOnce(token, () => this.#client.send(command, callLimit()));
  }

  /** Makes all of the writes or none; false if one of their conditions does not hold. */
  tryTransact(writes: readonly Write[]): Promise<boolean> {
    return unlessRefused(
      this.transact(writes).then(() => true),
      false,
    );
  }

  /** Puts items separately, without conditions, at half the price of a transaction. */
  async putAll(items: readonly Item[]): Promise<void> {
    await this.#writeAll(items.map((Item) => ({ PutRequest: { Item } })));
  }

  /** Deletes items separately, without conditions, at half the price of a transaction. */
  async deleteAll(keys: readonly Key[]): Promise<void> {
    await this.#writeAll(keys.map((key) => ({ DeleteRequest: { Key: toKey(key) } })));
  }

  async #writeAll(requests: readonly BatchRequest[]): Promise<void> {
    const all = [...batches(requests, WRITE_BATCH)];
    await sideBySide(all, { atOnce: BATCHES_AT_ONCE }, (batch) => this.#writeBatch(batch));
  }

  #writeBatch(requests: readonly BatchRequest[]): Promise<void> {
    return sendUntilProcessed(requests, async (remaining) => {
      const command = new BatchWriteCommand({ RequestItems: { [this.#name]: [...remaining] } });
      const answer = await callDynamo(() => this.#client.send(command, callLimit()));
      return (answer.UnprocessedItems?.[this.#name] ?? []) as BatchRequest[];
    });
  }

  #withTable(write: Write): Action {
    const [kind, action] = Object.entries(write)[0] as [string, object];
    return { [kind]: { TableName: this.#name, ...action } } as Action;
  }
}

/** Opens the configured table, over connections that are kept between requests. */
export const openTable = (): Table => new Table(tableConfig().TABLE_NAME, tableClient());

// DynamoDB does not always recognise a token: when calls timed out under load, a finished transaction was repeated as far as
// its conditions allowed. A conditional put therefore contains the token, so that a condition that fails on its own item is
// recognised.
const withStamp = (write: Write, token: string): Write =>
  'Put' in write && write.Put.ConditionExpression !== undefined ? { Put: stampedPut(write.Put, token) } : write;

const withoutStamp = ({ [STAMP]: _, ...item }: Item): Item => item;

type PageAnswer = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

async function* pagesFrom(
  after: Item | undefined,
  fetchPage: (start: Item | undefined) => Promise<PageAnswer>,
): AsyncGenerator<Item[]> {
  let start = after;
  do {
    const { Items = [], LastEvaluatedKey } = await callDynamo(() => fetchPage(start));
    yield Items.map(withoutStamp);
    start = LastEvaluatedKey;
  } while (start);
}

// DynamoDB returns them when it is throttled, and asks for exponential backoff (BatchWriteItem, API reference).
const UNPROCESSED_BASE_MS = 50;

/** `send` returns the unprocessed items, which are sent again. Throws Refusal `unavailable` after the last sending. */
async function sendUntilProcessed<Entry>(
  entries: readonly Entry[],
  send: (remaining: readonly Entry[]) => Promise<readonly Entry[]>,
): Promise<void> {
  let remaining = entries;
  for (let tries = 1; remaining.length > 0; tries++) {
    if (tries > MAX_SENDINGS) throw unavailable();
    if (tries > 1) await pause(Math.random() * UNPROCESSED_BASE_MS * 2 ** tries);
    remaining = await send(remaining);
  }
}

export function* batches<Entry>(entries: readonly Entry[], size = BATCH): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += size) yield entries.slice(start, start + size);
}
