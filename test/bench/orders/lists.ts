import { table } from '../../../shared/deps.ts';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { listOpenOrders, OPEN_STATUSES } from '../../../shared/order/lists/queue.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import type { Figure } from '../figures.ts';
import type { Meter } from '../meter.ts';
import { type Bench, findOrCreateClient, openList } from './bench.ts';
import { RARE_NAME, rarePatient } from './history.ts';
import { Measured, PAGE_SIZE, type Sized } from './measured.ts';
import { storeHistory, storeOrdersAsRead } from './stored-history.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;

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
  'created in a day': 'created_at_after=2026-10-30&created_at_before=2026-10-30',
  'created in a day, with a status':
    'created_at_after=2026-10-30&created_at_before=2026-10-30&order_status__in=shipped',
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
  for (const filter of FARTHER_FILTERS) {
    for (const page of [1, 1_000]) {
      await measured.addByCursor(`by cursor, page ${page}, ${filter}`, FIRST_PAGES[filter] ?? '', page);
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
