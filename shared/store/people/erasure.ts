import {
  accountAttemptsKey,
  documentMarkKey,
  emailKey,
  type Key,
  orderKey,
  phoneKey,
  userKey,
  viewPartition,
} from '../keys.ts';
import { changeOrderWrites } from '../orders/order-writes.ts';
import { type Order, orderOfItem } from '../orders/orders.ts';
import type { Item, Table, Write } from '../table.ts';
import type { UserRecord } from './users.ts';

// What one BatchGetItem takes, and what one transaction.
const BATCH = 100;

/** Every order of a patient, in the order of their creation. */
export async function ordersOfPatient(table: Table, clientId: number, patientId: number): Promise<Order[]> {
  const rows = await table.query(viewPartition(clientId, `patient#${patientId}`));
  const orders: Order[] = [];
  for (const keys of batches(rows.map(({ id }) => orderKey(clientId, Number(id))))) {
    for (const item of await table.getAll(keys)) if (item) orders.push(orderOfItem(item));
  }
  return orders;
}

/** The writes that replace an order by itself without documents, whose marks go with them. */
export const eraseDocumentsWrites = (before: Order, after: Order): Write[] => [
  ...changeOrderWrites(before, after),
  ...before.prescriptions.map(({ documentKey }) => ({ Delete: { Key: documentMarkKey(documentKey) } })),
];

/** What is stored of a person beside themselves: their invoicing records. */
export async function recordsOfPerson(table: Table, { clientId, id }: UserRecord): Promise<Key[]> {
  const own = userKey(clientId, id);
  const items = await table.query(own.pk);
  return items.filter(({ sk }) => sk !== own.sk).map(keyOf);
}

/**
 * Removes a person with all that is stored of them; their e-mail and phone are free from then on. The person goes last,
 * so that a run that was cut off can be repeated. Throws ConditionFailed when the person was changed since they were read.
 */
export async function removePerson(table: Table, user: UserRecord): Promise<void> {
  for (const keys of batches(await recordsOfPerson(table, user))) {
    await table.transact(keys.map((Key) => ({ Delete: { Key } })));
  }
  await table.transact(removalWrites(user));
}

function removalWrites({ clientId, id, email, phone, version }: UserRecord): Write[] {
  const isUnchanged = { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } };
  const isTheirs = {
    ConditionExpression: 'attribute_not_exists(pk) OR userId = :user',
    ExpressionAttributeValues: { ':user': id },
  };
  return [
    { Delete: { Key: userKey(clientId, id), ...isUnchanged } },
    { Delete: { Key: emailKey(clientId, email), ...isTheirs } },
    ...(phone === '' ? [] : [{ Delete: { Key: phoneKey(clientId, phone), ...isTheirs } }]),
    { Delete: { Key: accountAttemptsKey(clientId, email) } },
  ];
}

const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });

function* batches<Each>(all: readonly Each[]): Generator<readonly Each[]> {
  for (let start = 0; start < all.length; start += BATCH) yield all.slice(start, start + BATCH);
}
