import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEngines } from '../../infra/local/engines/engines.ts';
import { localEnvironment } from '../../infra/local/environment.ts';
import { type ApiKeys, openApiKeys } from '../../infra/local/gateway/api-keys.ts';
import { createStores, DEMO_USERS, publishDemoCatalog, registerDemoClient } from '../../infra/local/seed.ts';
import { issueAccessToken, type Subject } from '../../shared/access/token.ts';
import { ids, table, tokenKeys } from '../../shared/deps.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { addGatewayKey, type Client, createClient, findClientOfKey } from '../../shared/store/access/clients.ts';
import { userByEmail } from '../../shared/store/people/users.ts';
import { freePorts } from '../support/engines/ports.ts';
import type { Caller } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { createInvoke } from '../support/http/invoke.ts';
import { orderBody } from '../support/orders/samples.ts';
import { type Figure, median, percentile, timesMs } from './figures.ts';
import { type Meter, type Metered, openMeter } from './meter.ts';
import { hashHistoryFormat, loadHistory } from './order-history.ts';

const LOCAL = join(import.meta.dirname, '../../.local');
const SIZES = [1_000, 10_000, 100_000] as const;
const LONGEST = 100_000;
const PAGE_SIZE = 20;
const LIST_TRIPS = 3;
const LIST_UNITS = 25;
// Pages of 20 rows, about 16 KB, may differ by this many read units because their rows differ in length.
const UNITS_BETWEEN_SIZES = 2;
const SLOWEST_MS = 3_000;
const TIMED_RUNS = 20;

const ORDERED: Readonly<Record<string, string>> = {
  'default order': '',
  'one order_status': 'order_status__in=delivered',
  'one payment_status': 'payment_status__in=paid',
};
const WALKED: Readonly<Record<string, string>> = {
  'search, two words': 'search=nunez+jose',
  'filter by both dates': 'expected_delivery_date_after=2022-03-01&max_delivery_date_before=2024-09-30',
  'search with statuses of both kinds': 'payment_status__in=paid,credit&search=maria&order_status__in=delivered',
  'ordering by delivery, then creation': 'ordering=-expected_delivery_date,created_at',
  'default order, the middle page': 'page=2500',
};

/** Measures what lists of long histories, new orders and single orders cost in DynamoDB, with warm handlers. */
export async function benchOrders(): Promise<Figure[]> {
  const directory = await historyDirectory();
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const engines = await startEngines(env);
  const endpoint = `http://127.0.0.1:${env.DYNAMODB_PORT}`;
  const meter = await openMeter(endpoint);
  try {
    const own = { AWS_ENDPOINT_URL_DYNAMODB: meter.url, POWERTOOLS_LOG_LEVEL: 'SILENT' };
    Object.assign(process.env, localEnvironment({ ...env, ...own }), own);
    await createStores();
    await publishDemoCatalog();
    const keys = openApiKeys(join(directory, 'api-keys.json'));
    const bench = { keys, invoke: createInvoke(keys), meter, endpoint };
    return [...(await benchSizes(bench)), ...(await benchOneOrder(bench))];
  } finally {
    await meter.close();
    await engines.stop();
  }
}

type Bench = {
  readonly keys: ApiKeys;
  readonly invoke: Caller;
  readonly meter: Meter;
  /** The address of the engine, without the meter. */
  readonly endpoint: string;
};

/** Returns the directory of the stored history, which is reused until the generated data changes. */
async function historyDirectory(): Promise<string> {
  await mkdir(LOCAL, { recursive: true });
  const name = `bench-orders-${hashHistoryFormat()}`;
  const outdated = (await readdir(LOCAL)).filter((each) => each.startsWith('bench-orders') && each !== name);
  for (const each of outdated) await rm(join(LOCAL, each), { recursive: true });
  return join(LOCAL, name);
}

async function benchSizes(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  const firstPages: Metered<HttpAnswer>[][] = [];
  for (const orders of SIZES) {
    const list = await openList(bench, orders);
    const asked: Metered<HttpAnswer>[] = [];
    for (const [what, query] of Object.entries(ORDERED)) {
      const first = await measureWarm(bench.meter, () => list(query));
      asked.push(first);
      figures.push(...toFirstPageFigures(`${orders} orders, ${what}, page 1`, first));
      figures.push(...(await measureLaterPages(bench, { list, query, first, what: `${orders} orders, ${what}` })));
    }
    firstPages.push(asked);
    if (orders === LONGEST) figures.push(...(await timeLists(list)));
  }
  return [...compareSizes(firstPages), ...figures];
}

type List = (query: string) => Promise<HttpAnswer>;

/** Returns a function that lists the orders of a client with this many, as its insurance employee. */
async function openList({ keys, invoke, endpoint }: Bench, orders: number): Promise<List> {
  const key = `bench-${orders}`;
  const { id: clientId } = await findOrCreateClient(keys, key);
  await loadHistory(endpoint, tableConfig().TABLE_NAME, { clientId, orders });
  const token = await createToken({ client: clientId, user: { id: 1, role: 'insurance_employee' } });
  return (query) => invoke('GET', `/api/orders/?${query}`, { key, token });
}

async function findOrCreateClient(keys: ApiKeys, value: string): Promise<Client> {
  const key = keys.find(value) ?? keys.create({ name: value, value, enabled: true });
  const known = await findClientOfKey(table(), key.id);
  if (known) return known;
  const terms = { name: value, origin: 'bench', paymentMethods: [1, 2], carrierName: null };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, key.id);
  return client;
}

const createToken = async (subject: Subject): Promise<string> =>
  issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 3_600, now: new Date() });

/** Measures a call after making it once, so that clients and caches are warm. */
async function measureWarm(meter: Meter, ask: () => Promise<HttpAnswer>): Promise<Metered<HttpAnswer>> {
  await ask();
  const answer = await meter.measure(ask);
  const { status, body } = answer.result;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return answer;
}

const toFirstPageFigures = (what: string, { trips, readUnits }: Metered<HttpAnswer>): Figure[] => [
  { what, value: trips, unit: 'round trips', bar: LIST_TRIPS },
  { what, value: readUnits, unit: 'read units', bar: LIST_UNITS },
];

type Paged = { list: List; query: string; first: Metered<HttpAnswer>; what: string };

/** Measures page 50 and the last page. */
async function measureLaterPages({ meter }: Bench, { list, query, first, what }: Paged): Promise<Figure[]> {
  const last = Math.ceil(first.result.body.count / PAGE_SIZE);
  const figures: Figure[] = [];
  for (const page of new Set([Math.min(50, last), last])) {
    const { trips, readUnits } = await measureWarm(meter, () => list(`${query}&page=${page}`));
    const name = `${what}, page ${page}${page === last ? ' (the last)' : ''}`;
    figures.push(
      { what: name, value: trips, unit: 'round trips' },
      { what: name, value: readUnits, unit: 'read units' },
    );
  }
  return figures;
}

function compareSizes(bySize: readonly (readonly Metered<HttpAnswer>[])[]): Figure[] {
  return Object.keys(ORDERED).map((what, index) => {
    const units = bySize.map((asked) => asked[index]?.readUnits ?? Number.NaN);
    const value = Math.max(...units) - Math.min(...units);
    return {
      what: `page 1, ${what}: difference between the sizes`,
      value,
      unit: 'read units',
      bar: UNITS_BETWEEN_SIZES,
    };
  });
}

/** Times the lists that read a whole view; a 503 after the deadline counts with the time it took. */
async function timeLists(list: List): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, query] of Object.entries(WALKED)) {
    const times = await timesMs(TIMED_RUNS, async () => {
      const { status } = await list(query);
      if (status !== 200 && status !== 503) throw new Error(`${what}: ${status}`);
    });
    const name = `${LONGEST} orders: ${what}`;
    figures.push({ what: `${name}, p50`, value: median(times), unit: 'ms' });
    figures.push({ what: `${name}, p95`, value: percentile(times, 0.95), unit: 'ms', bar: SLOWEST_MS });
  }
  return figures;
}

const CREATE_TRIPS = 3;
const DETAIL_TRIPS = 1;
const DETAILS = { details: [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 })) };

/** Measures placing an order of five lines for a new and for a known patient, and reading it. */
async function benchOneOrder({ keys, invoke, meter }: Bench): Promise<Figure[]> {
  const { id: client } = await registerDemoClient(keys);
  const [, , { email }] = DEMO_USERS;
  const employee = await userByEmail(table(), client, email);
  if (!employee) throw new Error('the demonstration client has no insurance employee');
  const token = await createToken({ client, user: employee });
  const run = Date.now();
  let patients = 0;
  const place = (patient: number) =>
    invoke('POST', '/api/orders/resources/', { token, body: orderBody(`${run}-${patient}@bench.example`, DETAILS) });

  const ofNew = await measureWarm(meter, () => place(++patients));
  const ofKnown = await measureWarm(meter, () => place(1));
  const detail = await measureWarm(meter, () => invoke('GET', `/api/orders/${ofKnown.result.body.id}/`, { token }));
  return [
    ...toCostFigures('create an order for a new patient', ofNew, CREATE_TRIPS),
    ...toCostFigures('create an order for a known patient', ofKnown, CREATE_TRIPS),
    ...toCostFigures('detail of an order', detail, DETAIL_TRIPS),
  ];
}

function toCostFigures(what: string, { trips, readUnits, writeUnits }: Metered<HttpAnswer>, bar: number): Figure[] {
  const units: Figure[] = [
    { what, value: readUnits, unit: 'read units' },
    { what, value: writeUnits, unit: 'write units' },
  ];
  return [{ what, value: trips, unit: 'round trips', bar }, ...units.filter(({ value }) => value > 0)];
}
