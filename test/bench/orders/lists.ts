import { issueAccessToken } from '../../../shared/access/authenticate.ts';
import { ids, table, tokenKeys } from '../../../shared/deps.ts';
import { listOpenOrders, OPEN_STATUSES } from '../../../shared/order/lists/queue.ts';
import { createUser, userByEmail } from '../../../shared/people/users.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { type Figure, percentile } from '../figures.ts';
import { type Bench, findOrCreateClient } from '../frame.ts';
import type { Meter, Metered } from '../meter.ts';
import { type History, newestOrder, RARE_NAME, rarePatient, storeHistory, storeOrdersAsRead } from './history.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
// Times are measured for histories from this length on, and have their bar at this length.
const TIMED_SIZE = 100_000;
const SLOWEST_MS = 3_000;
const PAGE_SIZE = 20;

type Bars = { readonly trips?: number; readonly units?: number };
const FIRST: Bars = { trips: 3, units: 45 };
const NARROW: Bars = { trips: 5, units: 200 };

const FIRST_PAGES: Readonly<Record<string, string>> = {
  'no filter': '',
  'one order_status': 'order_status__in=delivered',
  'one payment_status': 'payment_status__in=paid',
  'one of each': 'order_status__in=delivered&payment_status__in=paid',
  'several of both':
    'order_status__in=approved,in_process,ready,shipped&payment_status__in=unpaid,credit,paid,processing',
  'all but one order_status': 'exclude_order_status__in=cancelled',
  'one patient': `patient=${rarePatient({ clientId: 0, orders: 1_000 }).id}`,
};
const FARTHER_PAGES: Readonly<Record<string, (pages: number) => number>> = {
  'page 50': (pages) => Math.min(50, pages),
  'middle page': (pages) => Math.ceil(pages / 2),
  'last page': (pages) => pages,
};
const ONE_DAY = 'expected_delivery_date_after=2026-10-30&expected_delivery_date_before=2026-10-30';
const OTHERS: readonly (readonly [what: string, query: string, bars: Bars])[] = [
  ['search by the full name of one patient', `search=jose+nunez+${RARE_NAME}`, NARROW],
  ['search by a name of 100 patients', `search=${RARE_NAME}`, NARROW],
  ['the same with a status', `search=${RARE_NAME}&order_status__in=delivered`, NARROW],
  ['created in a day', 'created_at_after=2026-10-30&created_at_before=2026-10-30', NARROW],
  ['expected in a day', ONE_DAY, NARROW],
  ['expected in a day, with a status', `${ONE_DAY}&order_status__in=shipped`, NARROW],
  ['expected in a week', 'expected_delivery_date_after=2026-10-26&expected_delivery_date_before=2026-11-01', {}],
  ['search by a common word', 'search=maria', {}],
  ['search by two common words', 'search=nunez+jose', {}],
  ['ordered by expected delivery', 'ordering=-expected_delivery_date', {}],
];

/** Lists orders with this query, as an insurance employee of one client. */
type List = (query: string) => Promise<HttpAnswer>;
type Sized = { readonly history: History; readonly list: List };
/** A page, and how many orders of its list come before it. */
type Page = { readonly query: string; readonly skipped: number };

/** Measures pages of three histories of different length, and the operator's queue over all of them. */
export async function benchLists(bench: Bench): Promise<Figure[]> {
  const sized: Sized[] = [];
  for (const orders of SIZES) sized.push(await openHistory(bench, orders));
  storeOrdersAsRead(
    table(),
    sized.map(({ history }) => history),
  );
  const figures: Figure[] = [];
  const measure = async (what: string, bars: Bars, toPage: ToPage) =>
    figures.push(...(await measurePages(bench.meter, sized, { what, bars, toPage })));
  for (const [what, query] of Object.entries(FIRST_PAGES)) {
    await measure(`page 1, ${what}`, FIRST, async () => ({ query, skipped: 0 }));
    await measure(`page 1, ${what}, oldest first`, FIRST, async () => {
      return { query: `${query}&ordering=created_at`, skipped: 0 };
    });
  }
  for (const filter of ['no filter', 'one order_status', 'all but one order_status']) {
    const query = FIRST_PAGES[filter] ?? '';
    for (const [what, page] of Object.entries(FARTHER_PAGES))
      await measure(`${what}, ${filter}`, {}, ({ list }) => findPage(list, query, page));
    for (const page of [1, 1_000])
      await measure(`by cursor, page ${page}, ${filter}`, FIRST, (one) => findCursor(one, query, page));
  }
  for (const [what, query, bars] of OTHERS) await measure(what, bars, async () => ({ query, skipped: 0 }));
  return [...figures, ...(await benchQueue(bench.meter))];
}

/** Stores a history if it is not stored yet. */
async function openHistory(bench: Bench, orders: number): Promise<Sized> {
  const key = `bench-${orders}`;
  const { id: clientId } = await findOrCreateClient(bench, key);
  const history = { clientId, orders };
  await storeHistory(bench, history);
  const email = 'bench@example.mx';
  const names = { firstName: 'Ana', lastName: 'Paz', secondLastName: null, phone: '' };
  const employee = { ...names, clientId, role: 'insurance_employee', email, passwordHash: null } as const;
  const user =
    (await userByEmail(table(), clientId, email)) ?? (await createUser(table(), ids(), employee, new Date()));
  const token = await createToken({ client: clientId, user });
  return { history, list: (query) => bench.invoke('GET', `/api/orders/?${query}`, { key, token }) };
}

// A run may take half an hour.
const TOKEN_SECONDS = 4 * 3_600;

export const createToken = async (subject: Parameters<typeof issueAccessToken>[0]): Promise<string> =>
  issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: TOKEN_SECONDS, now: new Date() });

type ToPage = (sized: Sized) => Promise<Page>;

async function findPage(list: List, query: string, page: (pages: number) => number): Promise<Page> {
  const { count } = (await list(query)).body;
  const number = page(Math.max(1, Math.ceil(count / PAGE_SIZE)));
  return { query: `${query}&page=${number}`, skipped: (number - 1) * PAGE_SIZE };
}

/** Finds what follows the orders of all pages before this one, or before the middle of a shorter history. */
async function findCursor({ history, list }: Sized, query: string, page: number): Promise<Page> {
  if (page === 1) return { query: `${query}&cursor=`, skipped: 0 };
  const before = newestOrder(history, Math.min((page - 1) * PAGE_SIZE, history.orders / 2));
  const { body } = await list(`${query}&cursor=&limit=1`);
  // A cursor of the same list, with the position of another order.
  const [listName] = JSON.parse(
    Buffer.from(new URL(body.next).searchParams.get('cursor') ?? '', 'base64url').toString(),
  );
  const cursor = Buffer.from(JSON.stringify([listName, before.createdAt, before.id])).toString('base64url');
  return { query: `${query}&cursor=${cursor}`, skipped: 0 };
}

type Measuring = { readonly what: string; readonly bars: Bars; readonly toPage: ToPage };

async function measurePages(meter: Meter, sized: readonly Sized[], { what, bars, toPage }: Measuring) {
  const answers: Metered<HttpAnswer>[] = [];
  const times: Figure[] = [];
  for (const one of sized) {
    const { query, skipped } = await toPage(one);
    const ask = () => one.list(query);
    // After the first call clients and caches are warm, and the orders shown are stored.
    await ask();
    const answer = await meter.measure(ask);
    expectFullPage(what, answer.result, skipped);
    answers.push(answer);
    if (one.history.orders >= TIMED_SIZE) times.push(await timePage(what, one.history, ask));
  }
  const late = answers.filter(({ result }) => result.status === 503).length;
  const name = late === 0 ? what : `${what} (503 at the last ${late} sizes)`;
  return [
    { what: name, value: answers.map(({ trips }) => trips), unit: 'round trips', bar: bars.trips },
    { what: name, value: answers.map(({ readUnits }) => readUnits), unit: 'read units', bar: bars.units },
    ...times,
  ];
}

/** Throws unless the page has as many orders as its count says: lists leave out an order that is not stored. */
function expectFullPage(what: string, { status, body }: HttpAnswer, skipped: number): void {
  if (status === 503) return;
  const expected = Math.min(PAGE_SIZE, body.count - skipped);
  if (status === 200 && expected > 0 && body.results.length === expected) return;
  throw new Error(`${what}: ${status}, ${body.results?.length} orders instead of ${expected} of ${body.count}`);
}

const [FEWEST_RUNS, MOST_RUNS] = [3, 40];
const TIMED_MS = 4_000;

/** Times calls for some seconds; a 503 after the deadline counts with the time it took. */
async function timePage(what: string, { orders }: History, ask: () => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < FEWEST_RUNS || (times.length < MOST_RUNS && performance.now() - start < TIMED_MS)) {
    const before = performance.now();
    await ask();
    times.push(performance.now() - before);
  }
  const value = [percentile(times, 0.5), percentile(times, 0.95)];
  const bar = orders === TIMED_SIZE ? SLOWEST_MS : undefined;
  return { what: `${what}: p50, p95 at ${orders}`, value, unit: 'ms', bar };
}

async function benchQueue(meter: Meter): Promise<Figure[]> {
  const ask = () => listOpenOrders(table(), { statuses: OPEN_STATUSES, limit: PAGE_SIZE });
  await ask();
  const { trips, readUnits } = await meter.measure(ask);
  const what = "the operator's queue: the 20 oldest open orders of all clients";
  return [
    { what, value: trips, unit: 'round trips' },
    { what, value: readUnits, unit: 'read units' },
  ];
}
