import { removeLoginTries } from '../access/login-attempts.ts';
import type { Order } from '../order/order.ts';
import { getOrders } from '../order/orders.ts';
import { removeNames } from '../people/name-index.ts';
import type { UserRecord } from '../people/users.ts';
import {
  createdPartition,
  emailKey,
  type Key,
  parseOrderId,
  patientViewer,
  phoneKey,
  toKey,
  userKey,
} from '../store/keys.ts';
import { ABSENT, PRESENT, type Table, type Write } from '../store/table.ts';

export async function ordersOfPatient(table: Table, clientId: number, patientId: number): Promise<Order[]> {
  const entries = await table.all({ pk: createdPartition(clientId, patientViewer(patientId)) });
  return getOrders(table, clientId, entries.map(parseOrderId));
}

export function removedDocuments(before: Order, after: Order): string[] {
  const retained = new Set(retainedDocuments(after));
  const all = [...before.prescriptions.map(({ documentKey }) => documentKey), ...retainedDocuments(before)];
  return all.filter((document) => !retained.has(document));
}

const retainedDocuments = ({ retained }: Order): string[] =>
  (retained?.documents ?? []).map(({ documentKey }) => documentKey);

/** Closes a patient to new orders, until they are removed or `reopenPatient` is called. */
export async function closePatient(table: Table, { clientId, id }: UserRecord, now: Date): Promise<void> {
  await table.tryUpdate({
    Key: userKey(clientId, id),
    UpdateExpression: 'SET erasingAt = if_not_exists(erasingAt, :now)',
    ConditionExpression: PRESENT,
    ExpressionAttributeValues: { ':now': now.toISOString() },
  });
}

export async function reopenPatient(table: Table, { clientId, id }: UserRecord): Promise<void> {
  await table.tryUpdate({
    Key: userKey(clientId, id),
    UpdateExpression: 'REMOVE erasingAt',
    ConditionExpression: PRESENT,
  });
}

export async function recordsOfPerson(table: Table, { clientId, id }: UserRecord): Promise<Key[]> {
  const own = userKey(clientId, id);
  const items = await table.all({ pk: own.pk });
  return items.filter(({ sk }) => sk !== own.sk).map(toKey);
}

/** The person goes last, so that an interrupted run can be repeated. Returns false if they changed since they were read. */
export async function removePerson(table: Table, user: UserRecord): Promise<boolean> {
  await removeNames(table, user);
  await removeLoginTries(table, user.clientId, user.email);
  await table.deleteAll(await recordsOfPerson(table, user));
  return table.tryTransact(removalWrites(user));
}

function removalWrites({ clientId, id, email, phone, version }: UserRecord): Write[] {
  const isUnchanged = { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } };
  const isTheirs = { ConditionExpression: `${ABSENT} OR userId = :user`, ExpressionAttributeValues: { ':user': id } };
  return [
    { Delete: { Key: userKey(clientId, id), ...isUnchanged } },
    { Delete: { Key: emailKey(clientId, email), ...isTheirs } },
    ...(phone === '' ? [] : [{ Delete: { Key: phoneKey(clientId, phone), ...isTheirs } }]),
  ];
}
