import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { beginContainer } from '../../shared/runtime/async.ts';
import type { Fault } from '../support/faults/fault-proxy.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { countStoredOrders } from '../support/orders/stored-orders.ts';
import { isFull, prove, seed, tries } from '../support/proofs/proof.ts';
import { randomNumbers } from '../support/proofs/random.ts';
import { useServer } from '../support/servers/test-server.ts';

/* `dependencies` has the outages that the SDK meets; these are those in which the store itself tries again. */

// Lambda ends a function after 10 s; a quick run shortens this limit and the deadline with it.
const FUNCTION_MS = tries(6_000, 10_000);
// A full run measures the time; in a quick one, the function's own answer shows that it came before its end.
const PATIENCE_MS = tries(Number.POSITIVE_INFINITY, 8_000);

const server = useServer({ faults: true, gateway: { functionTimeoutMs: FUNCTION_MS } });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => server.faults.set());

const place = (email: string, key?: string) =>
  server.request('POST', '/api/orders/resources/', {
    token,
    body: orderBody(email),
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
const see = (id: number) => server.request('GET', `/api/orders/${id}/`, { token });

async function placeOrder(): Promise<number> {
  const { status, body } = await place('placed@example.mx');
  expect(status).toBe(201);
  return body.id;
}

// These four routes use the database in all the different ways; their requests are always valid.
const ROUTES = ['create', 'detail', 'change', 'token'] as const;
type RouteName = (typeof ROUTES)[number];
const asks: Record<RouteName, (order: number) => Promise<HttpAnswer>> = {
  create: () => place('asked@example.mx'),
  detail: see,
  change: (id) =>
    server.request('PATCH', `/api/orders/${id}/`, { token, body: { details: [{ product: 1, quantity: 3 }] } }),
  token: () =>
    server.request('POST', '/api/token/', { body: { email: 'paciente@demo.example', password: DEMO_PASSWORD } }),
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

const always = (fault: Fault, operations: readonly string[]) => {
  return ({ operation }: { operation: string }) => (operations.includes(operation) ? fault : undefined);
};

it('an order whose transaction never gets a reply is 503 after 4 sendings, exists once, and is returned for its key', async () => {
  const before = await countStoredOrders();
  server.faults.set(always('lost reply', ['TransactWriteItems']));
  expectUnavailable(await place('unheard@example.mx', 'key-never-heard'));
  expect(server.faults.calls()).toMatchObject({ TransactWriteItems: 4 });
  server.faults.set();
  const again = await place('unheard@example.mx', 'key-never-heard');
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(await countStoredOrders()).toBe(before + 1);
});

describe('one lost reply', () => {
  // The SDK stops retrying in a container that has met many faults.
  beforeEach(beginContainer);
  it.each(ROUTES)('of each call goes unnoticed by the caller of %s', async (name) => {
    const id = await placeOrder();
    const before = await countStoredOrders();
    server.faults.set(({ nth }) => (nth === 1 ? 'lost reply' : undefined));
    const { status, body } = await asks[name](id);
    expect({ status, code: body.code }).toEqual({ status: name === 'create' ? 201 : 200, code: undefined });
    expect(Object.keys(server.faults.faults())).toEqual(['lost reply']);
    server.faults.set();
    expect(await countStoredOrders()).toBe(name === 'create' ? before + 1 : before);
  });
});

describe('when DynamoDB', () => {
  const isGood = (name: RouteName, { status }: HttpAnswer) => status === (name === 'create' ? 201 : 200);
  let order: number;
  beforeEach(async () => {
    beginContainer();
    order = await placeOrder();
    for (const name of ROUTES) expect(isGood(name, await asks[name](order))).toBe(true);
  });

  it('meets a conflict at every write, every route answers 503 in time and works again afterwards', async () => {
    const before = await countStoredOrders();
    const writing = ['create', 'change', 'token'] as const;
    server.faults.set(always('conflict', ['TransactWriteItems', 'UpdateItem']));
    const started = performance.now();
    for (const answer of await Promise.all(writing.map((name) => asks[name](order)))) {
      expectUnavailable(answer, IN_VAIN_OR_OVERDUE);
    }
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
    expect(server.faults.calls().TransactWriteItems).toBeLessThanOrEqual(100);
    const faults = server.faults.injected();
    server.faults.set();
    const lost = (await countStoredOrders()) - before;
    for (const name of writing) expect(isGood(name, await asks[name](order))).toBe(true);
    prove({ check: 'Dependencies: DynamoDB meets a conflict at every write', tries: writing.length, faults, lost });
  });

  const SHARES = [
    { what: 'refuses half of all calls', fault: 'throttle', share: 0.5 },
    { what: 'does not answer a third of all calls', fault: 'hang', share: 0.33 },
  ] as const;
  it.each(isFull() ? SHARES : SHARES.slice(0, 1))(
    '$what, every route answers in time, sends a call 4 times at most, and loses nothing',
    async (outage) => {
      const count = tries(16, 300);
      const before = await countStoredOrders();
      const random = randomNumbers(seed());
      const sendings = new Map<string, number>();
      server.faults.set(({ invocation }) => {
        sendings.set(invocation, (sendings.get(invocation) ?? 0) + 1);
        return random() < outage.share ? outage.fault : undefined;
      });
      const send = async (index: number) => {
        const name = index % 2 === 0 ? 'create' : 'detail';
        const key = `key-${outage.fault}-${index}`;
        const answer = await (name === 'create' ? place('asked@example.mx', key) : see(order));
        return { index, answer, isDone: isGood(name, answer) };
      };
      // The server handles 16 requests at once, so none of these waits in its queue.
      const answers = await manyAtOnce(count, 16, async (index) => {
        const started = performance.now();
        const sent = await send(index);
        return { ...sent, tookMs: performance.now() - started };
      });
      const faults = server.faults.injected();
      const slowest = Math.round(Math.max(...answers.map(({ tookMs }) => tookMs)));
      expect(slowest).toBeLessThan(PATIENCE_MS);
      const bad = answers.filter(({ isDone }) => !isDone);
      expect(bad.filter(({ answer }) => answer.body.code !== 'unavailable')).toEqual([]);
      expect(Math.max(...sendings.values())).toBeLessThanOrEqual(4);
      server.faults.set();
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
    },
  );
});
