import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '../../infra/local/engines/engines.ts';
import { localEnvironment } from '../../infra/local/environment.ts';
import { openApiKeys } from '../../infra/local/gateway/api-keys.ts';
import { createStores } from '../../infra/local/seed.ts';
import { type Counter, openCounter } from '../../infra/ops/counter/server/server.ts';
import { table } from '../../shared/deps.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { listOpenOrders, OPEN_STATUSES } from '../../shared/store/order-lists/open-orders.ts';
import { readOrderPage } from '../../shared/store/order-lists/order-page.ts';
import { freePorts } from '../support/engines/ports.ts';
import { type Figure, percentile, timesMs } from './figures.ts';
import { findOrCreateClient } from './orders/bench.ts';
import { type History, RARE_NAME } from './orders/history.ts';
import { storeHistory, storeOrdersAsRead } from './orders/stored-history.ts';
import { stopExpiry } from './orders/table-file.ts';

const ORDERS = 100_000;
const RUNS = 20;
const STEP = 50;
const MOST_FOUND = 100;
const MOST_SHOWN = 1_500;

/** Measures what the counter asks for most at 100,000 orders, over HTTP: its whole queue and searches. */
export async function benchCounter(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-counter-'));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const engines = await startEngines(env);
  try {
    Object.assign(process.env, localEnvironment(env), { POWERTOOLS_LOG_LEVEL: 'SILENT' });
    await createStores('plain');
    await storeOrders(directory);
    const counter = await openCounter({ port: 0, operator: 'bench', place: 'Local', isLocal: true });
    const figures = await measureCounter(counter);
    await counter.close();
    return figures;
  } finally {
    await engines.stop();
    await rm(directory, { recursive: true });
  }
}

/** Stores what lists find the orders by, and the orders that the questions below show. */
async function storeOrders(directory: string): Promise<void> {
  const name = tableConfig().TABLE_NAME;
  await stopExpiry(name);
  const keys = openApiKeys(join(directory, 'api-keys.json'));
  const history: History = { clientId: (await findOrCreateClient(keys, 'bench-counter')).id, orders: ORDERS };
  await storeHistory(table(), { directory, table: name }, history);
  storeOrdersAsRead(table(), [history]);
  // Each reads, and so stores, a few more than the one before: the local engine takes some hundred a second.
  for (let limit = STEP; limit <= MOST_SHOWN; limit += STEP) {
    await listOpenOrders(table(), { statuses: OPEN_STATUSES, limit });
    if (limit <= MOST_FOUND) await readOrderPage(table(), searchFor(history, limit));
  }
}

/** Returns the selection of the orders that the searches find. */
const searchFor = ({ clientId }: History, limit: number): Parameters<typeof readOrderPage>[1] => ({
  clientId,
  viewer: 'client',
  orderId: undefined,
  patientId: undefined,
  sentPhone: undefined,
  orderStatuses: undefined,
  paymentStatuses: undefined,
  nameWords: [RARE_NAME.toLowerCase()],
  dateBounds: [],
  ordering: [{ field: 'createdAt', isDescending: true }],
  offset: 0,
  limit,
  after: undefined,
});

async function measureCounter(counter: Counter): Promise<Figure[]> {
  const ask = async (name: string, input: object) => {
    const response = await fetch(new URL(`/commands/${name}`, counter.address), {
      method: 'POST',
      headers: { Authorization: `Bearer ${counter.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { document } = (await response.json()) as { document: { orders: readonly { readonly folio: string }[] } };
    return document.orders;
  };
  const queue = await ask('orders-list', { limit: 5_000 });
  const [order] = queue;
  if (!order) throw new Error('no order is open');
  const search = (text: string) => () => ask('orders-search', { text, limit: MOST_FOUND });
  return [
    await timed("the counter's queue, its 100 oldest orders", () => ask('orders-list', { limit: 100 })),
    await timed(`all ${queue.length} open orders of its queue`, () => ask('orders-list', { limit: 5_000 })),
    await timed('its search by folio', search(order.folio)),
    await timed('by the full name of one patient', search(`josé núñez ${RARE_NAME}`)),
    await timed('by a name of 100 patients', search(RARE_NAME)),
    await timed('by a name that is too common', search('maría')),
  ];
}

async function timed(what: string, ask: () => Promise<unknown>): Promise<Figure> {
  const times = await timesMs(RUNS, ask);
  return {
    what: `${what} at ${ORDERS} orders: p50, p95`,
    value: [percentile(times, 0.5), percentile(times, 0.95)],
    unit: 'ms',
    bar: 1_000,
  };
}
