import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { loadHandler } from '../../infra/local/gateway/invocation.ts';
import type { OrderListItem } from '../../shared/api/orders/order-list.ts';
import type { OrderStatus } from '../../shared/order/rules/status.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';
import { storeOrders } from '../support/orders/stored-orders.ts';
import { syntheticOrder } from '../support/orders/synthetic-orders.ts';
import { sendPatiently } from '../support/proofs/patience.ts';
import { prove, tries } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';

/** An order as its callers know it; times are those of `performance.now()`. */
type KnownOrder = {
  readonly id: number;
  readonly createdAt: string;
  readonly name: string;
  readonly dueAt: string | null;
  readonly status: OrderStatus;
  readonly begunAt: number;
  readonly answeredAt: number;
  cancelling?: { readonly begunAt: number; answeredAt: number };
};

/** A list, and which orders belong to it apart from their statuses. */
type JudgedList = {
  readonly query: string;
  readonly statuses?: readonly OrderStatus[];
  readonly has: (order: KnownOrder) => boolean;
};

/** A page that was read, the newest orders first. */
type ReadPage = {
  readonly list: JudgedList;
  readonly page: number;
  readonly limit: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly count: number;
  readonly results: readonly OrderListItem[];
  readonly next: string | null;
};

/** Returns the statuses that an order had at some moment while a page was read. */
function statusesDuring({ status, cancelling }: KnownOrder, { startedAt, endedAt }: ReadPage): OrderStatus[] {
  if (!cancelling || cancelling.begunAt > endedAt) return [status];
  return cancelling.answeredAt < startedAt ? ['cancelled'] : [status, 'cancelled'];
}

const toSortKey = (createdAt: string, id: number): string => `${createdAt} ${String(id).padStart(15, '0')}`;

/** Returns what contradicts every moment between the start and the end of a page. */
function judgePage(read: ReadPage, orders: readonly KnownOrder[]): string[] {
  const { list, page, limit, count, results, next, startedAt, endedAt } = read;
  const isWanted = (status: OrderStatus) => list.statuses?.includes(status) ?? true;
  const began = orders.filter((order) => list.has(order) && order.begunAt < endedAt);
  const possible = began.filter((order) => statusesDuring(order, read).some(isWanted));
  const certain = began.filter((order) => order.answeredAt < startedAt && statusesDuring(order, read).every(isWanted));

  const keys = results.map(({ created_at, id }) => toSortKey(created_at, id));
  const byId = new Map(possible.map((order) => [order.id, order]));
  const isOf = ({ id, order_status }: OrderListItem) => {
    const order = byId.get(id);
    return order !== undefined && isWanted(order_status) && statusesDuring(order, read).includes(order_status);
  };
  // The page covers what is between its ends, and beyond them if nothing comes before or after it.
  const newest = page === 1 ? '~' : (keys[0] ?? '');
  const oldest = next === null ? '' : (keys.at(-1) ?? '~');
  const shown = new Set(results.map(({ id }) => id));
  const isMissing = ({ createdAt, id }: KnownOrder) => {
    const key = toSortKey(createdAt, id);
    return key <= newest && key >= oldest && !shown.has(id);
  };
  const missing = certain.filter(isMissing).map(({ id }) => id);
  const ahead = (known: readonly KnownOrder[]) =>
    known.filter(({ createdAt, id }) => toSortKey(createdAt, id) > newest).length;
  const offset = (page - 1) * limit;

  return Object.entries({
    'shows an order twice': shown.size !== results.length,
    'is not sorted': keys.some((key, index) => index > 0 && key > (keys[index - 1] ?? '')),
    'shows an order that does not belong to it': !results.every(isOf),
    [`lacks ${missing.length} orders, ${missing[0]} among them`]: missing.length > 0,
    [`counts ${count} of ${certain.length} to ${possible.length}`]: count < certain.length || count > possible.length,
    'is not full': results.length < limit && next !== null,
    [`is not at ${offset}`]: !list.statuses && (ahead(certain) > offset || ahead(possible) < offset),
  }).flatMap(([fault, isSo]) => (isSo ? [`${list.query} page ${page} ${fault}`] : []));
}

/*
 * Orders are placed at a steady rate, and some of them cancelled, while readers page through lists of the same client.
 * Each page is judged afterwards by what its callers knew when it began and when it ended.
 */

const OLD_ORDERS = tries(3_000, 20_000);
const SECONDS = tries(2.5, 60);
const QUIET_SECONDS = tries(1, 15);
const ORDERS_A_SECOND = 50;
/** One order in this many is cancelled, some seconds old. */
const CANCELLED_EVERY = 10;
/** One order in this many registers a patient; the others are for those of before. */
const PATIENT_EVERY = 25;
const READ_EVERY_MS = 500;
const LIMIT = 20;
// A page of 20 orders of one unit each is read twice, with three readings of the counters; all entries are 100 units and more.
const MOST_UNITS = 75;

// Without the check of each answer against its contract, which takes longer than the answers.
const server = useServer({ gateway: { loadHandler } });
let token: string;
const orders: KnownOrder[] = [];
const pages: (ReadPage & { readonly readUnits: number })[] = [];
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  await storeOldOrders();
}, 3_600_000);

/** Stores one order for each 20 minutes from 1 January 2026 on, due after two days. */
async function storeOldOrders(): Promise<void> {
  const old = Array.from({ length: OLD_ORDERS }, (_, index) => {
    const createdMs = Date.UTC(2026, 0, 1, 0, 20 * index);
    const dueAt = new Date(createdMs + 2 * 86_400_000).toISOString();
    return syntheticOrder({
      id: 1_000_000 + index,
      clientId: server.client.id,
      patient: { id: 2_000_000 + (index % 50), firstName: 'Eva', lastName: 'Vieja' },
      createdAt: new Date(createdMs).toISOString(),
      orderStatus: index % 3 === 0 ? 'cancelled' : 'approved',
      expectedDeliveryDate: dueAt,
      maxDeliveryDate: dueAt,
      quantities: [1],
    });
  });
  await storeOrders(old);
  const always = { name: 'eva vieja', begunAt: 0, answeredAt: 0 };
  for (const { id, createdAt, orderStatus: status, expectedDeliveryDate: dueAt } of old) {
    orders.push({ id, createdAt, status, dueAt, ...always });
  }
}

const LISTS: readonly [JudgedList, ...JudgedList[]] = [
  { query: '', has: () => true },
  { query: 'order_status__in=approved', statuses: ['approved'], has: () => true },
  { query: 'order_status__in=cancelled', statuses: ['cancelled'], has: () => true },
  { query: 'search=mora', has: ({ name }) => name.includes('mora') },
  { query: 'search=ana+par', has: ({ name }) => name.includes('ana') && name.includes('par') },
  {
    query: 'expected_delivery_date_after=2026-01-10&expected_delivery_date_before=2026-01-10',
    // The shop's days begin at 06:00 UTC.
    has: ({ dueAt }) => dueAt !== null && dueAt >= '2026-01-10T06:00' && dueAt < '2026-01-11T06:00',
  },
  {
    query: 'expected_delivery_date_after=2026-11-01',
    has: ({ dueAt }) => dueAt !== null && dueAt >= '2026-11-01T06:00',
  },
];

async function read(list: JudgedList, page: number): Promise<number> {
  const startedAt = performance.now();
  const path = `/api/orders/?limit=${LIMIT}&page=${page}&${list.query}`;
  const { status, body, headers } = await sendPatiently(() => server.request('GET', path, { token }));
  expect([path, status]).toEqual([path, 200]);
  const endedAt = performance.now();
  const readUnits = Number(/read units ([\d.]+)/.exec(String(headers['server-timing']))?.[1]);
  pages.push({ list, page, limit: LIMIT, startedAt, endedAt, ...body, readUnits });
  return body.count;
}

/** The ids of the lists that were read to their ends by cursor. */
const readings: { readonly query: string; readonly startedAt: number; readonly ids: readonly number[] }[] = [];

/** Reads a list to its end by cursor. */
async function readToEnd(query: string): Promise<void> {
  const startedAt = performance.now();
  const ids: number[] = [];
  let path: string | undefined = `/api/orders/?limit=100&cursor=&${query}`;
  while (path) {
    const asked: string = path;
    const { status, body } = await sendPatiently(() => server.request('GET', asked, { token }));
    expect([asked, status]).toEqual([asked, 200]);
    ids.push(...body.results.map(({ id }: { id: number }) => id));
    path = body.next?.slice(server.url.length);
  }
  readings.push({ query, startedAt, ids });
}

/** Returns the orders of a reading that it repeats, and those that had its status from its start to now and are not in it. */
function judgeReading({ query, startedAt, ids }: (typeof readings)[number]): string[] {
  const read = new Set(ids);
  const stayed = orders.filter(({ status, answeredAt, cancelling }) => {
    return (query === '' || status === 'approved') && answeredAt < startedAt && (query === '' || !cancelling);
  });
  const missed = stayed.filter(({ id }) => !read.has(id)).map(({ id }) => `${query} has no order ${id}`);
  return read.size === ids.length ? missed : [...missed, `${query} repeats orders`];
}

/** Begins a task again at a steady pace until it is time to end. */
async function repeat(everyMs: number, until: number, task: (nth: number) => Promise<unknown>): Promise<void> {
  for (let nth = 0; performance.now() < until; nth++) {
    const next = performance.now() + everyMs;
    await task(nth);
    await pause(Math.max(0, next - performance.now()));
  }
}

/** Reads the first page of each list and the last page of all orders, each at a steady pace. */
async function readFor(until: number): Promise<void> {
  const [all, ...others] = LISTS;
  let count = await read(all, 1);
  await Promise.all([
    repeat(READ_EVERY_MS, until, (nth) => readToEnd(nth % 2 === 0 ? '' : 'order_status__in=approved')),
    repeat(READ_EVERY_MS, until, async () => {
      count = await read(all, 1);
    }),
    repeat(READ_EVERY_MS, until, () => read(all, Math.ceil(count / LIMIT))),
    ...others.map((list) => repeat(READ_EVERY_MS, until, () => read(list, 1))),
  ]);
}

const FIRST_NAMES = ['Ana', 'Luz', 'Zoé'];
const LAST_NAMES = ['Mora', 'Parra', 'Ruiz'];

async function place(nth: number): Promise<void> {
  // Others than the new patient are those who came before, in turn.
  const patient = nth % PATIENT_EVERY === 0 ? nth / PATIENT_EVERY : nth % Math.ceil(nth / PATIENT_EVERY);
  const first_name = FIRST_NAMES[patient % 3] ?? '';
  const last_name = LAST_NAMES[Math.floor(patient / 3) % 3] ?? '';
  const body = orderBody(`busy-${patient}@example.mx`);
  const begunAt = performance.now();
  const headers = { 'Idempotency-Key': `busy-order-${nth}` };
  const user = { ...body.user, first_name, last_name };
  const answer = await sendPatiently(() =>
    server.request('POST', '/api/orders/resources/', { token, body: { ...body, user }, headers }),
  );
  expect(answer.status).toBe(201);
  const { id, created_at: createdAt, order_status: status, expected_delivery_date: dueAt } = answer.body;
  const name = `${first_name} ${last_name}`.toLowerCase();
  orders.push({ id, createdAt, status, dueAt, name, begunAt, answeredAt: performance.now() });
}

async function cancel(order: KnownOrder): Promise<void> {
  const cancelling = { begunAt: performance.now(), answeredAt: Number.POSITIVE_INFINITY };
  order.cancelling = cancelling;
  const send = (): Promise<HttpAnswer> =>
    server.request('PATCH', `/api/orders/${order.id}/`, { token, body: { order_status: 'cancelled' } });
  const answer = await sendPatiently(send);
  // An answer that was lost was sent again.
  expect([200, 409]).toContain(answer.status);
  cancelling.answeredAt = performance.now();
}

/** Places orders at a steady rate, whatever the time that each takes, and cancels some of the latest. */
async function writeFor(until: number): Promise<void> {
  const writing: Promise<void>[] = [];
  await repeat(1_000 / ORDERS_A_SECOND, until, async (nth) => {
    writing.push(place(nth));
    const latest = orders.at(-1 - (nth % 7));
    // The old orders have no stored patients, without whom no order is changed.
    const isCancellable = latest?.status === 'approved' && latest.begunAt > 0 && !latest.cancelling;
    if (nth % CANCELLED_EVERY === 5 && isCancellable) writing.push(cancel(latest));
  });
  await Promise.all(writing);
}

function findP95(read: readonly ReadPage[]): number {
  const times = read
    .filter(({ list, page }) => list.query === '' && page === 1)
    .map(({ startedAt, endedAt }) => endedAt - startedAt)
    .sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.95)] ?? Number.NaN;
}

/** Returns the pages that read more than they show and find. */
const findCostly = (): string[] =>
  pages.flatMap(({ list, page, count, readUnits }) => {
    // A search and dates read what they find: an entry is some 140 bytes, and each patient found a query.
    const found = list.query.includes('=') && !list.statuses ? count / 10 : 0;
    return readUnits <= MOST_UNITS + found ? [] : [`${list.query} page ${page} took ${readUnits} read units`];
  });

it('pages of a client are right, and cost no more, while 50 orders a second are written', async () => {
  await readFor(performance.now() + QUIET_SECONDS * 1_000);
  const quiet = pages.splice(0);
  const until = performance.now() + SECONDS * 1_000;
  await Promise.all([writeFor(until), readFor(until)]);

  const faults = [...pages.flatMap((page) => judgePage(page, orders)), ...readings.flatMap(judgeReading)];
  expect(faults).toEqual([]);
  expect(findCostly()).toEqual([]);
  const [before, busy] = [findP95(quiet), findP95(pages)];
  const written = orders.length - OLD_ORDERS;
  prove({
    check: 'Races: pages while 50 orders a second are written',
    tries: pages.length + readings.length,
    lost: faults.length,
    figure: `${(written / SECONDS).toFixed(0)} orders a second; p95 of page 1 ${busy.toFixed(0)} ms, quiet ${before.toFixed(0)} ms`,
  });
});
