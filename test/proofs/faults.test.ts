import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import type { Order } from '../../shared/api/orders/orders.ts';
import { beginContainer } from '../../shared/runtime/async.ts';
import type { Fault, FaultProxy } from '../support/faults/fault-proxy.ts';
import type { Call } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { countStoredOrders } from '../support/orders/stored-counts.ts';
import { isFull, prove, seed, tries } from '../support/proofs/proof.ts';
import { randomNumbers } from '../support/proofs/random.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

// Lambda ends a function after 10 s; a quick run shortens this limit and the deadline with it.
const FUNCTION_MS = tries(6_000, 10_000);
// A full run measures the time; in a quick one, the function's own answer shows that it came before its end.
const PATIENCE_MS = tries(Number.POSITIVE_INFINITY, 8_000);

let proxy: FaultProxy;
let server: TestServer;
let tokens: Record<'employee' | 'doctor', string>;
beforeAll(async () => {
  const opened = await openServer({ faults: true, gateway: { functionTimeoutMs: FUNCTION_MS } });
  server = opened;
  proxy = opened.faults;
  tokens = {
    employee: await server.login('aseguradora@demo.example'),
    doctor: await server.login('doctora@demo.example'),
  };
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

async function placeOrder(): Promise<Order> {
  const { status, body } = await place({ body: orderBody('placed@example.mx') });
  expect(status).toBe(201);
  return body;
}

// These four routes use the database in all the different ways; their requests are always valid.
const ROUTES = ['create', 'detail', 'change', 'token'] as const;
type RouteName = (typeof ROUTES)[number];
const asks: Record<RouteName, (order: number) => Promise<HttpAnswer>> = {
  create: () => place({ body: orderBody('asked@example.mx') }),
  detail: (order) => see(order),
  change: (order) => change(order, { details: [{ product: 1, quantity: 3 }] }),
  token: () => login(),
};

// The Retry-After header is 2 when every retry failed; in a quick run the deadline may come first, which gives 5.
const IN_VAIN = ['2'];
const IN_VAIN_OR_OVERDUE = isFull() ? IN_VAIN : [...IN_VAIN, '5'];

function expectUnavailable({ status, headers, body }: HttpAnswer, retryAfter = IN_VAIN): void {
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      detail: 'El servicio no está disponible por el momento; intente de nuevo en unos segundos.',
      code: 'unavailable',
    },
  });
  expect(retryAfter).toContain(headers['retry-after']);
}

const always = (fault: Fault, operations?: readonly string[]) => {
  return ({ operation }: { operation: string }) =>
    operations === undefined || operations.includes(operation) ? fault : undefined;
};

describe('an order whose transaction succeeds but never gets a reply', () => {
  it('gets 503 after 4 sendings, exists once, and is returned for the same key', async () => {
    const before = await countStoredOrders();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await placeWith('key-never-heard', 'unheard@example.mx'));
    expect(proxy.calls()).toMatchObject({ TransactWriteItems: 4 });
    proxy.set();
    expect(await countStoredOrders()).toBe(before + 1);
    const again = await placeWith('key-never-heard', 'unheard@example.mx');
    expect({ status: again.status, replayed: again.headers['idempotent-replayed'] }).toEqual({
      status: 201,
      replayed: 'true',
    });
    expect(await countStoredOrders()).toBe(before + 1);
  });

  it('exists once without a key too', async () => {
    const before = await countStoredOrders();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await place({ body: orderBody('unheard@example.mx') }));
    proxy.set();
    expect(await countStoredOrders()).toBe(before + 1);
  });

  it('is changed once', async () => {
    const { id } = await placeOrder();
    proxy.set(always('lost reply', ['TransactWriteItems']));
    expectUnavailable(await change(id, { details: [{ product: 1, quantity: 5 }] }));
    proxy.set();
    const { body } = await see(id);
    expect(body).toMatchObject({ subtotal: '142.50', total: '221.50' });
    expect(body.details).toHaveLength(1);
  });
});

describe('one lost reply', () => {
  // The SDK stops retrying in a container that has met many faults.
  beforeEach(beginContainer);
  it.each(ROUTES)('of each call goes unnoticed by the caller of %s', async (name) => {
    const { id } = await placeOrder();
    const before = await countStoredOrders();
    proxy.set(({ nth }) => (nth === 1 ? 'lost reply' : undefined));
    const { status, body } = await asks[name](id);
    expect({ status, code: body.code }).toEqual({ status: name === 'create' ? 201 : 200, code: undefined });
    expect(Object.keys(proxy.faults())).toEqual(['lost reply']);
    proxy.set();
    expect(await countStoredOrders()).toBe(name === 'create' ? before + 1 : before);
  });
});

type Outage = {
  readonly what: string;
  readonly fault: Fault;
  readonly operations?: readonly string[];
  readonly names: readonly RouteName[];
  readonly sent: Record<string, number>;
};

// The limits on sendings while all routes run at once: 4 for a call, and what 5 s allow for a cancelled transaction.
// The user is read for each of the three tokens, and for the login.
const SENT_4_TIMES = { BatchGetItem: 4, GetItem: 16, Query: 8, UpdateItem: 4 };
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
    sent: { TransactWriteItems: 100, UpdateItem: 50 },
  },
];
const moreOutages: readonly Outage[] = [
  { what: 'hangs at writes', fault: 'hang', operations: WRITES, names: WRITING, sent: SENT_FOR_WRITES },
  { what: 'has no throughput', fault: 'throttle', names: ROUTES, sent: SENT_4_TIMES },
];

describe('when DynamoDB', () => {
  let order: number;
  beforeEach(async () => {
    beginContainer();
    order = (await placeOrder()).id;
    for (const name of ROUTES) expect(isGood(name, await asks[name](order))).toBe(true);
  });
  const isGood = (name: RouteName, { status }: HttpAnswer) => status === (name === 'create' ? 201 : 200);

  it.each(isFull() ? [...outages, ...moreOutages] : outages)(
    '$what, every route answers 503 in time and works again afterwards',
    async (outage) => {
      const before = await countStoredOrders();
      proxy.set(always(outage.fault, outage.operations));
      await Promise.all(
        outage.names.map(async (name) => {
          const started = performance.now();
          expectUnavailable(await asks[name](order), IN_VAIN_OR_OVERDUE);
          expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
        }),
      );
      for (const [operation, most] of Object.entries(outage.sent)) {
        expect(proxy.calls()[operation], operation).toBeLessThanOrEqual(most);
      }
      const faults = proxy.injected();
      proxy.set();
      const lost = (await countStoredOrders()) - before;
      for (const name of outage.names) expect(isGood(name, await asks[name](order))).toBe(true);
      prove({ check: 'Dependencies: DynamoDB is out for all routes', tries: outage.names.length, faults, lost });
    },
  );

  it('hangs, a new container answers 503 in time', async () => {
    beginContainer();
    proxy.set(always('hang'));
    const started = performance.now();
    expectUnavailable(await asks.create(order), IN_VAIN_OR_OVERDUE);
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  });

  it.each([
    { what: 'refuses half of all calls', fault: 'throttle', share: 0.5 },
    { what: 'does not answer a third of all calls', fault: 'hang', share: 0.33 },
  ] as const)('$what, every route answers in time, sends a call 4 times at most, and loses nothing', async (outage) => {
    const count = tries(16, 500);
    const before = await countStoredOrders();
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
    // The server handles 16 requests at once, so none of these waits in its queue.
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
    // The deadline may pass during a transaction: repeating the key shows whether an order answered with 503 exists.
    for (const { index } of bad) expect((await send(index)).isDone).toBe(true);
    prove({
      check: `Dependencies: DynamoDB ${outage.what}`,
      tries: count,
      faults,
      lost: Math.abs((await countStoredOrders()) - 1 - before - count / 2),
      figure: `${bad.length} told to try again, the slowest after ${slowest} ms`,
    });
  });

  it('is slow, every route waits for it', async () => {
    proxy.set(always({ delayMs: tries(150, 400) }));
    const answers = await Promise.all(ROUTES.map((name) => asks[name](order)));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  });
});
