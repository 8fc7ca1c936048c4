import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import { table } from '../../../shared/deps.ts';
import { readCounts, type StatusPair } from '../../../shared/order/lists/counters.ts';
import { listItems } from '../../../shared/order/lists/entries.ts';
import type { Order } from '../../../shared/order/order.ts';
import { toOrderItem } from '../../../shared/order/orders.ts';
import { isFinished, ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { OrderTally } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { randomOf } from '../../support/proofs/random.ts';
import { type Item as Attributes, measureMap } from '../meter.ts';

/** The orders of a client, 100 a day until HISTORY_END, for a tenth as many patients. */
export type History = { readonly clientId: number; readonly orders: number };

const SEED = 11;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ORDERS_A_DAY = 100;
const HISTORY_END_MS = Date.parse('2026-11-01T06:00:00.000Z');
// Older orders are delivered or cancelled.
const OPEN_DAYS = 21;
const OPEN_PERCENT = 70;
const PAID_PERCENT = 90;
const DELIVERED_PERCENT = 88;
const MOST_LINES = 5;

const FIRST_NAMES = ['José', 'María', 'Ángel', 'Lucía', 'Andrés', 'Sofía', 'Íñigo', 'Zoë', 'Martín', 'Belén'] as const;
const LAST_NAMES = ['Núñez', 'García', 'López', 'Muñoz', 'Peña', 'de la O', 'Ruiz', 'Güemes', 'Ávila', 'Castañón'];
/** The second last name of exactly 100 patients, each with another first and last name. */
export const RARE_NAME = 'Zaldumbide';
const RARE_PATIENTS = 100;

const FIRST_PATIENT = 1_000;
// Ids of orders are unique in the table.
const firstOrder = (clientId: number): number => clientId * 10_000_000;

const countPatients = ({ orders }: History): number => Math.ceil(orders / 10);

/** Returns the names of the patients of a history, by id. */
function* historicPatients(history: History): Generator<HistoricPatient> {
  for (let index = 0; index < countPatients(history); index++) yield historicPatient(history, index);
}

/** Returns a patient with the rare name. */
export const rarePatient = (history: History): HistoricPatient => historicPatient(history, 0);

type HistoricPatient = Pick<Order['patient'], 'id' | 'firstName' | 'lastName' | 'secondLastName'>;

function historicPatient(history: History, index: number): HistoricPatient {
  const step = Math.max(1, Math.floor(countPatients(history) / RARE_PATIENTS));
  const isRare = index % step === 0;
  const number = isRare ? index / step : index;
  const pick = (names: readonly string[], place: number) => names[Math.floor(number / place) % names.length] as string;
  return {
    id: FIRST_PATIENT + index,
    firstName: pick(FIRST_NAMES, 1),
    lastName: pick(LAST_NAMES, 10),
    secondLastName: isRare ? RARE_NAME : pick(LAST_NAMES, 100),
  };
}

/** Returns the orders of a history, the oldest first; their lines and what else lists do not show are the same in all. */
function* historicOrders(history: History): Generator<Order> {
  const template = syntheticOrder({ id: 1 });
  for (let index = 0; index < history.orders; index++) {
    const { lines: _, ...facts } = historicFacts(history, index);
    yield { ...template, ...facts, patient: { ...template.patient, ...facts.patient } };
  }
}

/** Returns the whole order of an id, which must be one of the history. */
function historicOrder(history: History, id: number): Order {
  const { lines, ...facts } = historicFacts(history, id - firstOrder(history.clientId));
  return syntheticOrder({ ...facts, quantities: Array.from({ length: lines }, (_, line) => 1 + (line % 3)) });
}

/** Returns an order by its place among all of a history, the newest first and counted from 1. */
export const newestOrder = (history: History, place: number): Order =>
  historicOrder(history, firstOrder(history.clientId) + history.orders - place);

function historicFacts(history: History, index: number) {
  const { clientId, orders } = history;
  const random = randomOf(SEED + Math.imul(index, 0x9e3779b1));
  const daysOld = (orders - index) / ORDERS_A_DAY;
  const createdMs = HISTORY_END_MS - Math.round(daysOld * DAY_MS);
  const patient = historicPatient(history, random(countPatients(history)));
  return {
    id: firstOrder(clientId) + index,
    clientId,
    patient,
    createdAt: toTime(createdMs),
    ...historicStatuses(daysOld, random),
    ...historicDates(createdMs, random),
    lines: 1 + random(MOST_LINES),
  };
}

const toTime = (ms: number): string => new Date(ms).toISOString();

type Random = ReturnType<typeof randomOf>;
const OPEN_STATUSES = ORDER_STATUSES.filter((status) => !isFinished(status));

function historicStatuses(daysOld: number, random: Random): StatusPair {
  const pick = <Value>(values: readonly Value[]) => values[random(values.length)] as Value;
  if (daysOld <= OPEN_DAYS && random(100) < OPEN_PERCENT) {
    return { orderStatus: pick(OPEN_STATUSES), paymentStatus: pick(PAYMENT_STATUSES) };
  }
  return {
    orderStatus: random(100) < DELIVERED_PERCENT ? 'delivered' : 'cancelled',
    paymentStatus: random(100) < PAID_PERCENT ? 'paid' : pick(PAYMENT_STATUSES),
  };
}

/** Returns delivery dates 3 to 10 days later, at 17:00 of Mexico City; one order in 20 has none. */
function historicDates(createdMs: number, random: Random) {
  const [days, longer] = [3 + random(4), 7 + random(4)];
  if (random(20) === 0) return { expectedDeliveryDate: null, maxDeliveryDate: null };
  const midnightMs = Math.floor(createdMs / DAY_MS) * DAY_MS;
  const dateAfter = (count: number) => new Date(midnightMs + count * DAY_MS + 23 * HOUR_MS).toISOString();
  return { expectedDeliveryDate: dateAfter(days), maxDeliveryDate: dateAfter(longer) };
}

/** Returns a hash of the stored format, which changes with the items of lists and orders and with the history. */
export function hashHistoryFormat(): string {
  const history = { clientId: 1, orders: 10 };
  const orders = [...historicOrders(history)].map(({ id }) => toOrderItem(historicOrder(history, id)));
  const items = [...historyItems(history), ...orders];
  return createHash('sha256').update(JSON.stringify(items)).digest('hex').slice(0, 8);
}

/**
 * Stores everything that lists find the orders of a history by, unless it is there. The orders themselves are stored by
 * `storeOrdersAsRead`.
 */
export async function storeHistory({ directory }: { readonly directory: string }, history: History): Promise<void> {
  const { changes } = await readCounts(table(), { clientId: history.clientId, viewer: 'client' });
  if (changes > 0) return;
  console.log(`Storing ${history.orders} orders.`);
  writeTableFile(directory, historyItems(history));
}

function* historyItems(history: History): Generator<Item> {
  const { clientId } = history;
  for (const patient of historicPatients(history))
    yield* nameItems({ clientId, id: patient.id, name: packName(patient) });
  const tally = new OrderTally();
  for (const order of historicOrders(history)) {
    yield* listItems(order);
    tally.add(order);
  }
  // The counters of the client come last: they say that the history is whole.
  yield* tally.items();
}

const COMMITTED_EVERY = 500_000;

/**
 * Writes items into the file of the local engine (Dynoxide) in their order, while the engine is idle. Through the engine the
 * million orders would take hours; the file takes some 100,000 items a second.
 */
function writeTableFile(directory: string, items: Iterable<Item>): void {
  const database = new DatabaseSync(join(directory, 'dynamodb', 'dynoxide.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO "${tableConfig().TABLE_NAME}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`,
  );
  let written = 0;
  for (const item of items) {
    const attributes: Attributes = Object.fromEntries(
      Object.entries(item).map(([name, value]) => [name, toAttribute(value)]),
    );
    insert.run(`S:${item.pk}`, `S:${item.sk}`, JSON.stringify(attributes), measureMap(attributes));
    written += 1;
    if (written % COMMITTED_EVERY === 0) database.exec('COMMIT; BEGIN IMMEDIATE');
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

// Nearly all attributes of lists are texts, for which the SDK's conversion would only take longer.
const toAttribute = (value: unknown): Attributes[string] =>
  typeof value === 'string' ? { S: value } : { ...convertToAttr(value) };

/**
 * Makes a table store the orders of these histories when a page asks for them: a million whole orders would take hours,
 * and all pages together show some thousand.
 */
export function storeOrdersAsRead(stored: Table, histories: readonly History[]): void {
  const getAll = stored.getAll.bind(stored);
  stored.getAll = async (keys) => {
    const items = await getAll(keys);
    const missing = keys.filter((_, index) => items[index] === undefined);
    const orders = missing.flatMap(({ pk, sk }) => {
      const history = histories.find(({ clientId }) => sk === `CLIENT#${clientId}`);
      return history && pk.startsWith('ORDER#') ? [historicOrder(history, Number(pk.split('#')[1]))] : [];
    });
    if (orders.length === 0) return items;
    await stored.putAll(orders.map(toOrderItem));
    return getAll(keys);
  };
}
