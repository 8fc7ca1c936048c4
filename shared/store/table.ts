import { randomUUID } from 'node:crypto';
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
import { reached, STAMP, sendOnce, stampedPut, unlessRefused, withRetries } from './table-failures.ts';

export type Item = Record<string, unknown>;
type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Put = Omit<NonNullable<Action['Put']>, 'TableName'>;
/** A write of a transaction without the table's name, which the table adds. */
export type Write =
  | { readonly Put: Put }
  | { readonly Update: Omit<NonNullable<Action['Update']>, 'TableName'> }
  | { readonly Delete: Omit<NonNullable<Action['Delete']>, 'TableName'> }
  | { readonly ConditionCheck: Omit<NonNullable<Action['ConditionCheck']>, 'TableName'> };
type BatchRequest =
  | { readonly PutRequest: { readonly Item: Item } }
  | { readonly DeleteRequest: { readonly Key: Key } };
type Update = Omit<UpdateCommandInput, 'TableName'>;

/** The condition that there is no item under the key yet, and that there is one. */
export const ABSENT = 'attribute_not_exists(pk)';
export const PRESENT = 'attribute_exists(pk)';

/** The items of one partition, by their sort keys. */
export type Query = {
  readonly pk: string;
  /** A condition on the sort key: `sk < :end`. */
  readonly where?: string;
  readonly filter?: string | undefined;
  /** The values of both conditions. */
  readonly values?: Item;
  readonly isDescending?: boolean;
  /** Attributes, separated by commas, when not all of them are wanted. */
  readonly attributes?: string;
  /** Begins after the item of this key. */
  readonly after?: Key | undefined;
  readonly pageSize?: number;
};

/** The items of one part of the table, which is scanned in `segments` parts. */
export type Scan = Required<Pick<Query, 'filter' | 'values' | 'pageSize'>> & {
  readonly segment: number;
  readonly segments: number;
};

// The limit of BatchGetItem, TransactGetItems and TransactWriteItems.
export const BATCH = 100;
// The limit of BatchWriteItem.
const WRITE_BATCH = 25;
// A partition takes 1,000 units a second. More batches would wait there for each other until their calls time out.
const BATCHES_AT_ONCE = 4;

/** The single table. Reads are always consistent; when it cannot be reached, every call throws Refusal `unavailable`. */
export class Table {
  readonly #name: string;
  readonly #client: DynamoDBDocumentClient;

  constructor(name: string, client: DynamoDBDocumentClient) {
    this.#name = name;
    this.#client = client;
  }

  /** Returns one item, or undefined. */
  async get(key: Key): Promise<Item | undefined> {
    const command = new GetCommand({ TableName: this.#name, Key: key, ConsistentRead: true });
    const { Item: item } = await reached(() => this.#client.send(command, callLimit()));
    return item && unstamped(item);
  }

  /** Returns items in the order of their keys, undefined where there is none; one round trip for each 100. */
  async getAll(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const found = new Map<string, Item>();
    const distinct = new Map(keys.map((key) => [keyName(key), toKey(key)]));
    for (const batch of batches([...distinct.values()])) {
      for (const item of await this.#getBatch(batch)) found.set(keyName(toKey(item)), unstamped(item));
    }
    return keys.map((key) => found.get(keyName(key)));
  }

  /** Returns items by their names, undefined where there is none, or no key; one round trip for each 100. */
  async getNamed<Name extends string>(
    keys: Readonly<Record<Name, Key | undefined>>,
  ): Promise<Readonly<Record<Name, Item | undefined>>> {
    const named = Object.entries<Key | undefined>(keys).flatMap(([name, key]) => (key ? [{ name, key }] : []));
    const items = await this.getAll(named.map(({ key }) => key));
    return Object.fromEntries(named.map(({ name }, index) => [name, items[index]])) as Record<Name, Item | undefined>;
  }

  async #getBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = [];
    await sendUntilProcessed(keys, async (wanted) => {
      const command = new BatchGetCommand({
        RequestItems: { [this.#name]: { Keys: [...wanted], ConsistentRead: true } },
      });
      const answer = await reached(() => this.#client.send(command, callLimit()));
      items.push(...(answer.Responses?.[this.#name] ?? []));
      return (answer.UnprocessedKeys?.[this.#name]?.Keys ?? []) as Key[];
    });
    return items;
  }

  /**
   * Returns at most 100 items as they are at one moment, between transactions, in the order of their keys; undefined where
   * there is none. One round trip at twice the price of other reads.
   */
  async snapshot(keys: readonly Key[]): Promise<(Item | undefined)[]> {
    const TransactItems = keys.map((key) => ({ Get: { TableName: this.#name, Key: toKey(key) } }));
    const command = new TransactGetCommand({ TransactItems });
    const { Responses = [] } = await withRetries(() => this.#client.send(command, callLimit()));
    return Responses.map(({ Item: item }) => item && unstamped(item));
  }

  /** Returns every item of a query. */
  async all(query: Query): Promise<Item[]> {
    return this.first(query, Number.POSITIVE_INFINITY);
  }

  /** Returns the first `count` items of a query, or all when they are fewer. */
  async first(query: Query, count: number): Promise<Item[]> {
    const items: Item[] = [];
    const pages = this.pages(Number.isFinite(count) ? { ...query, pageSize: count } : query);
    for await (const page of pages) {
      items.push(...page);
      if (items.length >= count) break;
    }
    return items.slice(0, count);
  }

  /** Yields the pages of a query, each fetched when it is asked for. */
  async *pages(query: Query): AsyncGenerator<Item[]> {
    const input = this.#input(query);
    yield* pagesFrom(query.after, (start) =>
      this.#client.send(new QueryCommand({ ...input, ExclusiveStartKey: start }), callLimit()),
    );
  }

  /**
   * Yields the items of a part of the table that pass a filter, in no order. It is paid by what is read, not by what is
   * found, so it is for operators only.
   */
  async *scan({ filter, values, pageSize, segment, segments }: Scan): AsyncGenerator<Item[]> {
    const input: ScanCommandInput = {
      TableName: this.#name,
      ConsistentRead: true,
      FilterExpression: filter,
      ExpressionAttributeValues: values,
      Limit: pageSize,
      Segment: segment,
      TotalSegments: segments,
    };
    yield* pagesFrom(undefined, (start) =>
      this.#client.send(new ScanCommand({ ...input, ExclusiveStartKey: start }), callLimit()),
    );
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

  /** Makes one conditional update and returns the item as it is afterwards. Throws ConditionFailed. */
  async update(update: Update): Promise<Item> {
    const command = new UpdateCommand({ TableName: this.#name, ReturnValues: 'ALL_NEW', ...update });
    const { Attributes } = await withRetries(() => this.#client.send(command, callLimit()));
    return unstamped(Attributes ?? {});
  }

  /** Makes the same update, but returns undefined when its condition did not hold. */
  tryUpdate(update: Update): Promise<Item | undefined> {
    return unlessRefused(this.update(update), undefined);
  }

  /** Makes all of the writes or none. Throws ConditionFailed when one of their conditions did not hold. */
  async transact(writes: readonly Write[]): Promise<void> {
    // One token for all tries: a try that was applied although its answer was lost is not applied again.
    const token = randomUUID();
    const TransactItems = writes.map((write) => this.#named(stamped(write, token)));
    const command = new TransactWriteCommand({ ClientRequestToken: token, TransactItems });
    await sendOnce(token, () => this.#client.send(command, callLimit()));
  }

  /** Makes all of the writes or none, as `tryTransact` does; a put that is alone at half the price of a transaction. */
  tryWrite(writes: readonly Write[]): Promise<boolean> {
    const [write, ...others] = writes;
    if (!write || !('Put' in write) || others.length > 0) return this.tryTransact(writes);
    const token = randomUUID();
    const put = new PutCommand({ TableName: this.#name, ...stampedPut(write.Put, token) });
    return unlessRefused(
      sendOnce(token, () => this.#client.send(put, callLimit())).then(() => true),
      false,
    );
  }

  /** Makes all of the writes or none; false when one of their conditions did not hold. */
  tryTransact(writes: readonly Write[]): Promise<boolean> {
    return unlessRefused(
      this.transact(writes).then(() => true),
      false,
    );
  }

  /** Puts items without conditions, each by itself, at half the price of a transaction. */
  async putAll(items: readonly Item[]): Promise<void> {
    await this.#writeAll(items.map((Item) => ({ PutRequest: { Item } })));
  }

  /** Deletes items without conditions, each by itself, at half the price of a transaction. */
  async deleteAll(keys: readonly Key[]): Promise<void> {
    await this.#writeAll(keys.map((key) => ({ DeleteRequest: { Key: toKey(key) } })));
  }

  async #writeAll(requests: readonly BatchRequest[]): Promise<void> {
    const all = [...batches(requests, WRITE_BATCH)];
    await sideBySide(all, { atOnce: BATCHES_AT_ONCE }, (batch) => this.#writeBatch(batch));
  }

  #writeBatch(requests: readonly BatchRequest[]): Promise<void> {
    return sendUntilProcessed(requests, async (left) => {
      const command = new BatchWriteCommand({ RequestItems: { [this.#name]: [...left] } });
      const answer = await reached(() => this.#client.send(command, callLimit()));
      return (answer.UnprocessedItems?.[this.#name] ?? []) as BatchRequest[];
    });
  }

  #named(write: Write): Action {
    const [kind, action] = Object.entries(write)[0] as [string, object];
    return { [kind]: { TableName: this.#name, ...action } } as Action;
  }
}

/** Opens the table that the configuration names, over connections that are kept between requests. */
export const openTable = (): Table => new Table(tableConfig().TABLE_NAME, tableClient());

// DynamoDB cannot be relied on to recognise a token: when calls timed out under load, a transaction that was done was done
// anew, as far as its conditions let it. A put with a condition therefore carries the token, so that a condition that
// fails on the transaction's own item is recognised.
const stamped = (write: Write, token: string): Write =>
  'Put' in write && write.Put.ConditionExpression !== undefined ? { Put: stampedPut(write.Put, token) } : write;

const unstamped = ({ [STAMP]: _, ...item }: Item): Item => item;

type PageAnswer = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

/** Yields the pages of a query or a scan, each fetched when it is asked for. */
async function* pagesFrom(
  after: Item | undefined,
  fetchPage: (start: Item | undefined) => Promise<PageAnswer>,
): AsyncGenerator<Item[]> {
  let start = after;
  do {
    const { Items = [], LastEvaluatedKey } = await reached(() => fetchPage(start));
    yield Items.map(unstamped);
    start = LastEvaluatedKey;
  } while (start);
}

/** Sends a batch, and again what is left of it, which `send` returns. Throws Refusal `unavailable` after the last sending. */
async function sendUntilProcessed<Each>(
  all: readonly Each[],
  send: (left: readonly Each[]) => Promise<readonly Each[]>,
): Promise<void> {
  let left = all;
  for (let tries = 1; left.length > 0; tries++) {
    if (tries > MAX_SENDINGS) throw unavailable();
    left = await send(left);
  }
}

export function* batches<Each>(all: readonly Each[], size = BATCH): Generator<readonly Each[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
