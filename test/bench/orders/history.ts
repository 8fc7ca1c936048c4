import type { StatusPair } from '../../../shared/order/lists/counters.ts';
import type { Order } from '../../../shared/order/order.ts';
import { isFinished, ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { randomOf } from '../../support/proofs/random.ts';

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
export function* historicPatients(history: History): Generator<HistoricPatient> {
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
export function* historicOrders(history: History): Generator<Order> {
  const template = syntheticOrder({ id: 1 });
  for (let index = 0; index < history.orders; index++) {
    const { lines: _, ...facts } = historicFacts(history, index);
    yield { ...template, ...facts, patient: { ...template.patient, ...facts.patient } };
  }
}

/** Returns the whole order of an id, which must be one of the history. */
export function historicOrder(history: History, id: number): Order {
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
