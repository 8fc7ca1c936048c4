import { orderKey } from '../keys.ts';
import { listItems } from '../order-lists/entries.ts';
import type { Order } from '../orders/order.ts';
import { getOrder } from '../orders/orders.ts';
import { ABSENT, BATCH, batches, type Item, type Table, type Write } from '../table.ts';
import { compareItems, type ItemDifference, mergeKeys, type Problem, type Purpose } from './differences.ts';
import type { SuspectOrder } from './find-suspect-items.ts';

/** An item that lists an order wrongly; `list` is its partition key. */
export type ListDifference = { readonly orderId: number; readonly list: string; readonly problem: Problem };

// An order that is changed during one try is usually left alone during the next one.
const TRIES = 10;

/**
 * Holds the items that list an order against the order, and with the purpose of repair puts and deletes those that differ.
 * Orders may be placed and changed meanwhile: the items are read at one moment with their order, and repaired on the
 * condition that it is still at that version. Returns undefined if the order was changed at every try. A try costs two
 * round trips, and a transaction if it repairs.
 */
export async function recountLists(
  table: Table,
  suspect: SuspectOrder,
  purpose: Purpose,
): Promise<ListDifference[] | undefined> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const order = await getOrder(table, suspect);
    const stored = await readStored(table, suspect, order);
    if (!stored) continue;
    const differences = compareItems(order ? listItems(order) : [], stored);
    const isDone = purpose === 'proof' || (await repairLists(table, suspect, order, differences));
    if (isDone) return differences.map(({ key, problem }) => ({ orderId: suspect.id, list: key.pk, problem }));
  }
  return undefined;
}

// Beside the order itself.
const ITEMS_AT_ONCE = BATCH - 1;

/** Returns the items that list an order; undefined if its version is another one meanwhile. */
async function readStored(
  table: Table,
  { clientId, id, found }: SuspectOrder,
  order: Order | undefined,
): Promise<Item[] | undefined> {
  const stored: Item[] = [];
  for (const keys of batches(mergeKeys(order ? listItems(order) : [], found), ITEMS_AT_ONCE)) {
    const [item, ...items] = await table.snapshot([orderKey(clientId, id), ...keys]);
    if (item?.version !== order?.version) return undefined;
    stored.push(...items.filter((each) => each !== undefined));
  }
  return stored;
}

/** Returns false if the order was changed meanwhile. */
async function repairLists(
  table: Table,
  { clientId, id }: SuspectOrder,
  order: Order | undefined,
  differences: readonly ItemDifference[],
): Promise<boolean> {
  const isUnchanged = order
    ? { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': order.version } }
    : { ConditionExpression: ABSENT };
  const check: Write = { ConditionCheck: { Key: orderKey(clientId, id), ...isUnchanged } };
  for (const batch of batches(differences, ITEMS_AT_ONCE)) {
    if (!(await table.tryTransact([check, ...batch.map(toRepair)]))) return false;
  }
  return true;
}

const toRepair = ({ key, wanted }: ItemDifference): Write =>
  wanted ? { Put: { Item: wanted } } : { Delete: { Key: key } };
