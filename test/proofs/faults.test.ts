import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import type { Order } from '../../shared/api/orders.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { type Viewer, viewPartition } from '../../shared/store/keys.ts';
import { readCounts } from '../../shared/store/order-lists/order-counters.ts';
import { openTable } from '../../shared/store/table.ts';
import type { Fault, FaultProxy } from '../support/faults/fault-proxy.ts';
import { openFaultyServer } from '../support/faults/faulty-server.ts';
import { randomNumbers, unluckyTransactions } from '../support/faults/transaction-faults.ts';
import type { Call } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { isFull, prove, seed, tries } from '../support/proofs/proof.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const ORDERS = tries(200, 2_000);
// More than that wait for each other in the local database engine, which does one transaction after the other.
const AT_ONCE = 32;
// Lambda ends a function after 10 s.
const PATIENCE_MS = 8_000;

let proxy: FaultProxy;
let server: TestServer;
let tokens: Record<'employee' | 'doctor', string>;
let doctorId: number;
beforeAll(async () => {
  ({ server, proxy } = await openFaultyServer());
  tokens = {
    employee: await server.login('aseguradora@demo.example'),
    doctor: await server.login('doctora@demo.example'),
  };
  doctorId = (await place({ body: orderBody('first@example.mx'), token: tokens.doctor })).body.generated_by.id;
});
// A container of its own for each test: in one that met many faults the SDK no longer sends anything again.
beforeEach(() => {
  vi.resetModules();
});
afterEach(() => proxy.set());
afterAll(() => server.close());

const place = (call: Call) => server.request('POST', '/api/orders/resources/', { token: tokens.employee, ...call });
const placeWith = (key: string, email: string) =>
  place({ body: orderBody(email), headers: { 'Idempotency-Key': key } });
const see = (id: number, token = tokens.employee) => server.request('GET', `/api/orders/${id}/`, { token });
const change = (id: number, body: object) =>
  server.request('PATCH', `/api/orders/${id}/`, { token: tokens.employee, body });
const login = () =>
  server.request('POST', '/api/token/', { body: { email: 'paciente@demo.example', password: DEMO_PASSWORD } });

async function placed(): Promise<Order> {
  const { status, body } = await place({ body: orderBody('placed@example.mx') });
  expect(status).toBe(201);
  return body;
}

/** The orders in the table, whether a list has them or not. */
async function storedOrders(): Promise<number> {
  const client = new DynamoDBClient();
  const filter = { FilterExpression: 'begins_with(pk, :order) AND sk = :header' };
  const values = { ExpressionAttributeValues: { ':order': { S: 'ORDER#' }, ':header': { S: 'ORDER' } } };
  const scan = {
    TableName: tableConfig().TABLE_NAME,
    ConsistentRead: true,
    Select: 'COUNT',
    ...filter,
    ...values,
  } as const;
  let count = 0;
  let start: Record<string, never> | undefined;
  do {
    const page = await client.send(new ScanCommand({ ...scan, ExclusiveStartKey: start }));
    count += page.Count ?? 0;
    start = page.LastEvaluatedKey as typeof start;
  } while (start);
  client.destroy();
  return count;
}

async function counted(viewer: Viewer): Promise<Record<string, number>> {
  const { counts } = await readCounts(openTable(), server.client.id, viewer);
  return Object.fromEntries(
    counts.map(({ orderStatus, paymentStatus, orders }) => [`${orderStatus} ${paymentStatus}`, orders]),
  );
}

const cents = (amount: string) => Math.round(Number(amount) * 100);
const summed = (order: Order, figure: 'subtotal' | 'discount' | 'iva' | 'total') =>
  order.details.reduce((sum, line) => sum + cents(line[figure]), 0);

// The four ways to the database; what a route asks for is always good.
const ROUTES = ['create', 'detail', 'change', 'token'] as const;
type RouteName = (typeof ROUTES)[number];
const asks: Record<RouteName, (order: number) => Promise<HttpAnswer>> = {
  create: () => place({ body: orderBody('asked@example.mx') }),
  detail: (order) => see(order),
  change: (order) => change(order, { details: [{ product: 1, quantity: 3 }] }),
  token: () => login(),
};

function expectUnavailable({ status, headers, body }: HttpAnswer): void {
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      detail: 'El servicio no está disponible por el momento; intente de nuevo en unos segundos.',
      code: 'unavailable',
    },
  });
  expect(headers['retry-after']).toBe('2');
}

const always = (fault: Fault, operations?: readonly string[]) => {
  return ({ operation }: { operation: string }) =>
    operations === undefined || operations.includes(operation) ? fault : undefined;
};

describe('an order whose transaction is done and never heard of', () => {
  it('is answered 503 after 4 sendings, stands once, and is the answer to the same key', async () => {
    const before = await storedOrders();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await placeWith('key-never-heard', 'unheard@example.mx'));
    expect(proxy.calls()).toMatchObject({ TransactWriteItems: 4 });
    proxy.set();
    expect(await storedOrders()).toBe(before + 1);
    const again = await placeWith('key-never-heard', 'unheard@example.mx');
    expect({ status: again.status, replayed: again.headers['idempotent-replayed'] }).toEqual({
      status: 201,
      replayed: 'true',
    });
    expect(await storedOrders()).toBe(before + 1);
  });

  it('without a key stands once too', async () => {
    const before = await storedOrders();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await place({ body: orderBody('unheard@example.mx') }));
    proxy.set();
    expect(await storedOrders()).toBe(before + 1);
  });

  it('is changed once', async () => {
    const { id } = await placed();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await change(id, { details: [{ product: 1, quantity: 5 }] }));
    proxy.set();
    const { body } = await see(id);
    expect(body).toMatchObject({ subtotal: '142.50', total: '221.50' });
    expect(body.details).toHaveLength(1);
  });
});

describe('one lost reply', () => {
  it.each(ROUTES)('of each call is not noticed by who asks for %s', async (name) => {
    const { id } = await placed();
    const before = await storedOrders();
    proxy.set(({ nth }) => (nth === 1 ? 'lost reply' : undefined));
    const { status, body } = await asks[name](id);
    expect({ status, code: body.code }).toEqual({ status: name === 'create' ? 201 : 200, code: undefined });
    expect(Object.keys(proxy.faults())).toEqual(['lost reply']);
    proxy.set();
    expect(await storedOrders()).toBe(name === 'create' ? before + 1 : before);
  });
});

describe('an order that is cut off', () => {
  // A known patient, so that each call comes after the one before: the look-up, the patient, the transaction.
  const CALLS = 3;
  const cuts = Array.from({ length: CALLS }, (_, index) => index + 1).flatMap((nth) => [
    { nth, fault: 'lost call' as const, moment: 'before' },
    { nth, fault: 'lost reply' as const, moment: 'after' },
  ]);

  it.each(cuts)('$moment call $nth is one complete order when it is sent again with its key', async (cut) => {
    const key = `key-cut-${cut.moment}-${cut.nth}`;
    await placeWith(`${key}-known`, `${key}@example.mx`);
    const before = await storedOrders();
    proxy.set(({ nthOfAll }) => {
      if (nthOfAll < cut.nth) return undefined;
      return nthOfAll === cut.nth ? cut.fault : 'lost call';
    });
    expectUnavailable(await placeWith(key, `${key}@example.mx`));
    proxy.set();
    const { status, body } = await placeWith(key, `${key}@example.mx`);
    expect(status).toBe(201);
    expect((await see(body.id)).body).toEqual(body);
    expect(await counted(`patient#${body.patient.id}`)).toEqual({ 'approved unpaid': 2 });
    prove({
      check: 'Dependencies: orders that are cut off from DynamoDB',
      tries: 1,
      faults: 1,
      lost: Math.abs((await storedOrders()) - (before + 1)),
    });
  });
});

type Outage = {
  readonly what: string;
  readonly fault: Fault;
  readonly operations?: readonly string[];
  readonly names: readonly RouteName[];
  readonly sent: Record<string, number>;
};

// How often every operation may be sent when all routes ask at once: a call 4 times, a cancelled one 10 times.
const SENT_4_TIMES = { BatchGetItem: 4, GetItem: 8, Query: 8, UpdateItem: 4 };
const WRITES = ['TransactWriteItems', 'UpdateItem'];
const SENT_FOR_WRITES = { TransactWriteItems: 8, UpdateItem: 4 };
const WRITING = ['create', 'change', 'token'] as const;
const outages: readonly Outage[] = [
  { what: 'hangs', fault: 'hang', names: ROUTES, sent: SENT_4_TIMES },
  { what: 'fails', fault: 'failure', names: ROUTES, sent: SENT_4_TIMES },
  { what: 'is out of reach', fault: 'lost call', names: ROUTES, sent: SENT_4_TIMES },
  {
    what: 'has no throughput for writes',
    fault: 'throttle',
    operations: WRITES,
    names: WRITING,
    sent: SENT_FOR_WRITES,
  },
  {
    what: 'meets a conflict at every write',
    fault: 'conflict',
    operations: WRITES,
    names: WRITING,
    sent: { TransactWriteItems: 20, UpdateItem: 10 },
  },
];
const moreOutages: readonly Outage[] = [
  { what: 'hangs at writes', fault: 'hang', operations: WRITES, names: WRITING, sent: SENT_FOR_WRITES },
  { what: 'has no throughput', fault: 'throttle', names: ROUTES, sent: SENT_4_TIMES },
];

describe('DynamoDB', () => {
  let order: number;
  beforeEach(async () => {
    order = (await placed()).id;
    for (const name of ROUTES) expect(isGood(name, await asks[name](order))).toBe(true);
  });
  const isGood = (name: RouteName, { status }: HttpAnswer) => status === (name === 'create' ? 201 : 200);

  it.each(isFull() ? [...outages, ...moreOutages] : outages)(
    'that $what is answered with 503 in time, and used again when it is well',
    async (outage) => {
      const before = await storedOrders();
      proxy.set(always(outage.fault, outage.operations));
      await Promise.all(
        outage.names.map(async (name) => {
          const started = performance.now();
          expectUnavailable(await asks[name](order));
          expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
        }),
      );
      for (const [operation, most] of Object.entries(outage.sent)) {
        expect(proxy.calls()[operation], operation).toBeLessThanOrEqual(most);
      }
      const faults = proxy.injected();
      proxy.set();
      const lost = (await storedOrders()) - before;
      for (const name of outage.names) expect(isGood(name, await asks[name](order))).toBe(true);
      prove({ check: 'Dependencies: DynamoDB is out for all routes', tries: outage.names.length, faults, lost });
    },
  );

  it('that hangs is answered with 503 in time by a container that knows nobody yet', async () => {
    vi.resetModules();
    proxy.set(always('hang'));
    const started = performance.now();
    expectUnavailable(await asks.create(order));
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  });

  it.each([
    { what: 'refuses half of all calls', fault: 'throttle', share: 0.5 },
    { what: 'does not answer a third of all calls', fault: 'hang', share: 0.33 },
  ] as const)('that $what answers in time, is asked 4 times at most, and loses nothing', async (outage) => {
    const count = tries(48, 500);
    const before = await storedOrders();
    const random = randomNumbers(seed());
    const sendings = new Map<string, number>();
    proxy.set(({ invocation }) => {
      sendings.set(invocation, (sendings.get(invocation) ?? 0) + 1);
      return random() < outage.share ? outage.fault : undefined;
    });
    const send = async (index: number) => {
      const name = index % 2 === 0 ? 'create' : 'detail';
      const key = `key-${outage.fault}-${index}`;
      const answer = await (name === 'create' ? placeWith(key, 'asked@example.mx') : see(order));
      return { index, answer, isDone: isGood(name, answer) };
    };
    // No more than the server works on, so that their time is all their own.
    const answers = await manyAtOnce(count, 16, async (index) => {
      const started = performance.now();
      const sent = await send(index);
      return { ...sent, tookMs: performance.now() - started };
    });
    const faults = proxy.injected();
    const slowest = Math.round(Math.max(...answers.map(({ tookMs }) => tookMs)));
    expect(slowest).toBeLessThan(PATIENCE_MS);
    const bad = answers.filter(({ isDone }) => !isDone);
    expect(bad.filter(({ answer }) => answer.body.code !== 'unavailable')).toEqual([]);
    expect(Math.max(...sendings.values())).toBeLessThanOrEqual(4);
    proxy.set();
    expect(isGood('create', await asks.create(order))).toBe(true);
    // Time may end while a transaction is on its way: whether an order stands that was answered 503, its key knows.
    for (const { index } of bad) expect((await send(index)).isDone).toBe(true);
    prove({
      check: `Dependencies: DynamoDB ${outage.what}`,
      tries: count,
      faults,
      lost: Math.abs((await storedOrders()) - 1 - before - count / 2),
      figure: `${bad.length} told to try again, the slowest after ${slowest} ms`,
    });
  });

  it('that is slow is waited for', async () => {
    proxy.set(always({ delayMs: 400 }));
    const answers = await Promise.all(ROUTES.map((name) => asks[name](order)));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  });
});

// Last, because its thousands of orders would be counted again by every other test.
describe('orders placed side by side, of whose transactions 30 % meet a conflict and 10 % lose their reply', () => {
  // Three baskets with their totals by hand, each with 79.00 of shipping: 2 × 28.50; 249.00 and its IVA of 39.84;
  // 3 × 64.50 and 72.00 with its IVA of 11.52.
  const BASKETS = [
    { details: [{ product: 1, quantity: 2 }], total: '136.00' },
    { details: [{ product: 121, quantity: 1 }], total: '367.84' },
    {
      details: [
        { product: 5, quantity: 3 },
        { product: 122, quantity: 1 },
      ],
      total: '356.02',
    },
  ] as const;
  const PATIENTS = 50;
  const basketOf = (index: number) => BASKETS[index % BASKETS.length] as (typeof BASKETS)[number];
  const tokenOf = (index: number) => (index % 2 === 0 ? tokens.employee : tokens.doctor);

  let answers: HttpAnswer[];
  let before: number;
  let faults: number;
  beforeAll(async () => {
    before = await storedOrders();
    proxy.set(unluckyTransactions(seed(), { conflict: 0.3, lostReply: 0.1 }));
    answers = await manyAtOnce(ORDERS, AT_ONCE, (index) => {
      const body = orderBody(`crowd-${index % PATIENTS}@example.mx`, { details: basketOf(index).details });
      return place({ token: tokenOf(index), body });
    });
    faults = proxy.injected();
  }, 300_000);

  it('are all placed, each once', async () => {
    expect(
      Map.groupBy(answers, ({ status }) => status)
        .keys()
        .toArray(),
    ).toEqual([201]);
    const ids = answers.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(ORDERS);
    prove({
      check: 'Races: orders side by side under conflicts and lost replies',
      tries: ORDERS,
      faults,
      lost: Math.abs((await storedOrders()) - (before + ORDERS)),
    });
    const rows = await openTable().all({ pk: viewPartition(server.client.id, 'client') });
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(rows).toHaveLength(before + ORDERS);
  });

  it('can all be read, with the figures of their lines', async () => {
    await manyAtOnce(ORDERS, AT_ONCE, async (index) => {
      const { details, total } = basketOf(index);
      const { body } = await see(answers[index]?.body.id, tokenOf(index));
      const order: Order = body;
      expect(order).toEqual(answers[index]?.body);
      expect(order.details.map(({ product, quantity }) => ({ product: product.id, quantity }))).toEqual(details);
      expect(order.total).toBe(total);
      for (const figure of ['subtotal', 'discount', 'iva'] as const) {
        expect(summed(order, figure)).toBe(cents(order[figure]));
      }
      expect(summed(order, 'total') + 7_900).toBe(cents(order.total));
    });
  });

  it('are all counted, each once, in each of their views', async () => {
    expect(await counted('client')).toEqual({ 'approved unpaid': before + ORDERS });
    expect(await counted(`doctor#${doctorId}`)).toEqual({ 'approved unpaid': ORDERS / 2 + 1 });
    const patients = new Set<number>(answers.map(({ body }) => body.patient.id));
    expect(patients.size).toBe(PATIENTS);
    for (const patient of patients) {
      expect(await counted(`patient#${patient}`)).toEqual({ 'approved unpaid': ORDERS / PATIENTS });
    }
  });
});
