import { table } from '../../../shared/deps.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import { readCounts } from '../../../shared/store/order-lists/counters.ts';
import { listOpenOrders, OPEN_STATUSES } from '../../../shared/store/order-lists/open-orders.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { type Figure, percentile } from '../figures.ts';
import type { Meter, Metered } from '../meter.ts';
import { type Bench, findOrCreateClient, type List, openList } from './bench.ts';
import { type History, RARE_NAME, rarePatient } from './history.ts';
import { storeHistory, storeOrdersAsRead } from './stored-history.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const PAGE_SIZE = 20;
// Times are measured for histories from this length on, and have their bar at this length.
const TIMED_SIZE = 100_000;
const SLOWEST_MS = 3_000;

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

const FARTHER_FILTERS = ['no filter', 'one order_status', 'all but one order_status'] as const;
const FARTHER_PAGES: Readonly<Record<string, (pages: number) => number>> = {
  'page 50': (pages) => Math.min(50, pages),
  'middle page': (pages) => Math.ceil(pages / 2),
  'last page': (pages) => pages,
};

const ONE_DAY = 'expected_delivery_date_after=2026-10-30&expected_delivery_date_before=2026-10-30';
const ONE_WEEK = 'expected_delivery_date_after=2026-10-26&expected_delivery_date_before=2026-11-01';
const FOUND: Readonly<Record<string, string>> = {
  'search by the full name of one patient': `search=jose+nunez+${RARE_NAME}`,
  'search by a name of 100 patients': `search=${RARE_NAME}`,
  'search by the full name of one patient, with statuses': `search=jose+nunez+${RARE_NAME}&order_status__in=delivered,shipped`,
  'search by a name of 100 patients, with a status': `search=${RARE_NAME}&order_status__in=delivered`,
  'expected in a day': ONE_DAY,
  'expected at the latest in a day': 'max_delivery_date_after=2026-11-01&max_delivery_date_before=2026-11-01',
  'expected in a day, with a status': `${ONE_DAY}&order_status__in=shipped`,
};
const WALKED: Readonly<Record<string, string>> = {
  'expected in a week': ONE_WEEK,
  'expected in a week, ordered by that': `${ONE_WEEK}&ordering=expected_delivery_date`,
  'search by a common word': 'search=maria',
  'search by a common word, with a status': 'search=maria&order_status__in=shipped',
  'search by two common words': 'search=nunez+jose',
  'ordered by expected delivery': 'ordering=-expected_delivery_date',
};

type Sized = { readonly history: History; readonly list: List };
type Bars = { readonly trips?: number; readonly units?: number };

/** Measures pages of three histories of different length, and the operator's queue over all of them. */
export async function benchLists(bench: Bench): Promise<Figure[]> {
  const { sized, figures } = await openHistories(bench);
  const measured = new Measured(bench.meter, sized);
  for (const [what, query] of Object.entries(FIRST_PAGES)) {
    await measured.add(`page 1, ${what}`, query, { trips: 3, units: 45 });
    await measured.add(`page 1, ${what}, oldest first`, `${query}&ordering=created_at`, { trips: 3, units: 45 });
  }
  for (const filter of FARTHER_FILTERS) {
    for (const [what, page] of Object.entries(FARTHER_PAGES)) {
      await measured.add(`${what}, ${filter}`, FIRST_PAGES[filter] ?? '', {}, page);
    }
  }
  for (const [what, query] of Object.entries(FOUND)) await measured.add(what, query, { trips: 5, units: 200 });
  for (const [what, query] of Object.entries(WALKED)) await measured.add(what, query, {});
  return [...figures, ...measured.figures, ...(await benchQueue(bench.meter))];
}

/** Stores the histories that are not stored yet. */
async function openHistories(bench: Bench) {
  const sized: Sized[] = [];
  const figures: Figure[] = [];
  for (const orders of SIZES) {
    const key = `bench-${orders}`;
    const { id: clientId } = await findOrCreateClient(bench.keys, key);
    const history = { clientId, orders };
    const file = { directory: bench.directory, table: tableConfig().TABLE_NAME };
    const seconds = await storeHistory(table(), file, history);
    if (seconds !== undefined) figures.push({ what: `generating ${orders} orders`, value: seconds, unit: 's' });
    sized.push({ history, list: await openList(bench, clientId, key) });
  }
  storeOrdersAsRead(
    table(),
    sized.map(({ history }) => history),
  );
  return { sized, figures: [...figures, await countPairs(sized)] };
}

async function countPairs(sized: readonly Sized[]): Promise<Figure> {
  const value: number[] = [];
  for (const { history } of sized) {
    value.push((await readCounts(table(), { clientId: history.clientId, viewer: 'client' })).counts.length);
  }
  return { what: `pairs of statuses that have orders, of 60, at ${SIZES.join(', ')} orders`, value, unit: 'pairs' };
}

/** Measures queries against each of the histories. */
class Measured {
  readonly figures: Figure[] = [];
  readonly #meter: Meter;
  readonly #sized: readonly Sized[];

  constructor(meter: Meter, sized: readonly Sized[]) {
    this.#meter = meter;
    this.#sized = sized;
  }

  async add(what: string, query: string, bars: Bars, page = (_pages: number) => 1): Promise<void> {
    const answers: Metered<HttpAnswer>[] = [];
    const times: Figure[] = [];
    for (const { history, list } of this.#sized) {
      const { count } = (await list(query)).body;
      const number = page(Math.max(1, Math.ceil(count / PAGE_SIZE)));
      const ask = () => list(`${query}&page=${number}`);
      const answer = await measureWarm(this.#meter, ask);
      expectFullPage(what, answer.result, number);
      answers.push(answer);
      if (history.orders >= TIMED_SIZE) times.push(await timeList(what, history, ask));
    }
    const late = answers.filter(({ result }) => result.status === 503).length;
    const name = late === 0 ? what : `${what} (503 at the last ${late} sizes)`;
    this.figures.push(
      { what: name, value: answers.map(({ trips }) => trips), unit: 'round trips', ...barOf(bars.trips) },
      { what: name, value: answers.map(({ readUnits }) => readUnits), unit: 'read units', ...barOf(bars.units) },
      ...times,
    );
  }
}

const barOf = (bar: number | undefined) => (bar === undefined ? {} : { bar });

/** Measures a call after making it once, so that clients and caches are warm, and the orders shown are stored. */
async function measureWarm(meter: Meter, ask: () => Promise<HttpAnswer>): Promise<Metered<HttpAnswer>> {
  await ask();
  return meter.measure(ask);
}

/** Throws unless the page has as many orders as its count says: lists leave out an order that is not stored. */
function expectFullPage(what: string, { status, body }: HttpAnswer, page: number): void {
  if (status === 503) return;
  const expected = Math.min(PAGE_SIZE, body.count - (page - 1) * PAGE_SIZE);
  if (status === 200 && expected > 0 && body.results.length === expected) return;
  throw new Error(`${what}: ${status}, ${body.results?.length} orders instead of ${expected} of ${body.count}`);
}

const FEWEST_RUNS = 3;
const MOST_RUNS = 40;
const TIMED_MS = 4_000;

/** Times calls for some seconds; a 503 after the deadline counts with the time it took. */
async function timeList(what: string, { orders }: History, ask: () => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < FEWEST_RUNS || (times.length < MOST_RUNS && performance.now() - start < TIMED_MS)) {
    const before = performance.now();
    await ask();
    times.push(performance.now() - before);
  }
  const value = [percentile(times, 0.5), percentile(times, 0.95)];
  const name = `${what}: p50, p95 at ${orders}`;
  return { what: name, value, unit: 'ms', ...barOf(orders === TIMED_SIZE ? SLOWEST_MS : undefined) };
}

async function benchQueue(meter: Meter): Promise<Figure[]> {
  const ask = () => listOpenOrders(table(), { statuses: OPEN_STATUSES, limit: PAGE_SIZE });
  await ask();
  const { result, trips, readUnits } = await meter.measure(ask);
  if (result.orders.length !== PAGE_SIZE) throw new Error(`${result.orders.length} orders in the queue`);
  const what = "the operator's queue: the 20 oldest open orders of all clients";
  return [
    { what, value: trips, unit: 'round trips' },
    { what, value: readUnits, unit: 'read units' },
  ];
}
