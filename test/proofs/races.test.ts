import { randomUUID } from 'node:crypto';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Order } from '../../shared/api/orders/orders.ts';
import { countOrders, readCounts } from '../../shared/order/lists/counters.ts';
import { findOrder } from '../../shared/order/orders.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { emailKey, type Viewer } from '../../shared/store/keys.ts';
import { openTable } from '../../shared/store/table.ts';
import type { FaultProxy } from '../support/faults/fault-proxy.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { getStoredEvents } from '../support/orders/forced-order.ts';
import { orderBody, PDF } from '../support/orders/samples.ts';
import { openTrackedStock } from '../support/orders/tracked-stock.ts';
import { withPatience } from '../support/proofs/patience.ts';
import { prove, tries } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

let proxy: FaultProxy;
let server: TestServer;
let token: string;
let atOnce: number;
beforeAll(async () => {
  const opened = await openServer({ faults: true });
  [server, proxy] = [withPatience(opened), opened.faults];
  token = await server.login('aseguradora@demo.example');
  atOnce = await measureAtOnce();
});
// The local engine queues concurrent writes of one item, while AWS refuses the second; the proxy refuses it here.
beforeEach(() => proxy.set(({ meetsAnother }) => (meetsAnother ? 'conflict' : undefined)));
afterAll(() => server.close());

// An order may stand although its answer was a 503: with a key it is not placed again.
const place = (body: object, key: string = randomUUID()) =>
  server.request('POST', '/api/orders/resources/', { token, body, headers: { 'Idempotency-Key': key } });
const change = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });

// Transactions that conflict are tried again for 5 s; half of that leaves room for the work of other processes.
const CONFLICTS_MS = 2_500;

/** Returns how many conflicting orders this machine writes one after the other before the first of them gives up. */
async function measureAtOnce(): Promise<number> {
  const start = performance.now();
  for (let order = 0; order < 5; order++) await place(orderBody(`measure-${order}@example.mx`));
  return Math.max(2, Math.floor(CONFLICTS_MS / ((performance.now() - start) / 5)));
}

/** Runs a task for each index, as many at once as the engine takes within the time that a conflict may last. */
const runConcurrently = <Result>(count: number, task: (index: number) => Promise<Result>): Promise<Result[]> =>
  manyAtOnce(count, Math.min(atOnce, count), task);

const readOrderCount = (viewer: Viewer = 'client') => countOrders(openTable(), { clientId: server.client.id, viewer });

/** Records a race; `difference` is the stored number minus the expected one. */
const proveRace = (what: string, asked: number, difference: number) =>
  prove({
    check: `Races: ${what}`,
    tries: asked,
    faults: proxy.injected(),
    lost: Math.abs(difference),
    figure: `${Math.min(atOnce, asked)} at once`,
  });

describe('one idempotency key', () => {
  it('makes one order of identical concurrent requests, and every answer is that order', async () => {
    const count = tries(40, 500);
    const before = await readOrderCount();
    const answers = await runConcurrently(count, () => place(orderBody('identical@example.mx'), 'key-of-identical'));
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(201));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await readOrderCount(`patient#${answers[0]?.body.patient.id}`)).toBe(1);
    proveRace('identical orders with one key', count, (await readOrderCount()) - (before + 1));
  });

  it('makes one order of two different concurrent requests, and refuses the other', async () => {
    const pairs = tries(8, 200);
    const before = await readOrderCount();
    const outcomes = await runConcurrently(pairs, async (pair) => {
      const bodies = [1, 2].map((quantity) =>
        orderBody(`pair-${pair}@example.mx`, { details: [{ product: 1, quantity }] }),
      );
      const answers = await Promise.all(bodies.map((body) => place(body, `key-of-pair-${pair}`)));
      // The totals are 28.50, or twice 28.50, with 79.00 of shipping.
      const won = answers.findIndex(({ status }) => status === 201);
      expect(answers[won]?.body.total).toBe(['107.50', '136.00'][won]);
      return answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
    });
    expect(outcomes).toEqual(Array(pairs).fill(['201 ', '422 idempotency_key_reused']));
    proveRace('different orders with one key', 2 * pairs, (await readOrderCount()) - (before + pairs));
  });
});

/** Returns the ids of all stored users with this e-mail, even those without the record that reserves it. */
async function findUserIds(email: string): Promise<number[]> {
  const client = new DynamoDBClient();
  const scan = {
    TableName: tableConfig().TABLE_NAME,
    ConsistentRead: true,
    FilterExpression: 'sk = :user AND email = :email',
    ExpressionAttributeValues: { ':user': { S: 'USER' }, ':email': { S: email } },
  };
  const found: number[] = [];
  for await (const { Items = [] } of paginateScan({ client }, scan))
    found.push(...Items.map(({ id }) => Number(id?.N)));
  client.destroy();
  return found;
}

describe('one new e-mail', () => {
  const COUNT = tries(20, 50);
  it(`makes one user of ${COUNT} concurrent orders with different spellings`, async () => {
    for (let round = 0; round < tries(1, 20); round++) {
      const email = `new-${round}@example.mx`;
      const answers = await runConcurrently(COUNT, (index) =>
        place(orderBody(index % 2 === 0 ? email : ` NEW-${round}@Example.MX `)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(COUNT).fill(201));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(COUNT);
      const patient: number = answers[0]?.body.patient.id;
      expect(answers.map(({ body }) => body.patient.id)).toEqual(Array(COUNT).fill(patient));
      expect(await openTable().get(emailKey(server.client.id, email))).toMatchObject({ userId: patient });
      expect(await readOrderCount(`patient#${patient}`)).toBe(COUNT);
      // The first stored address became the patient's default.
      expect(new Set(answers.map(({ body }) => body.patient.default_shipping)).size).toBe(1);
      proveRace('orders for one new e-mail', COUNT, (await findUserIds(email)).length - 1);
    }
  });

  it('makes one user when two e-mails share one new phone', async () => {
    const both = (email: string) => {
      const body = orderBody(email);
      return place({ ...body, user: { ...body.user, phone: '+525512340001' } });
    };
    const answers = await runConcurrently(20, (index) => both(`phone-${index % 2}@example.mx`));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([201, 400]));
    const winners = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.patient.user.email));
    expect(winners.size).toBe(1);
    for (const { status, body } of answers) {
      if (status === 400) expect(body).toEqual({ user: { phone: [expect.any(String)] } });
    }
  });
});

describe('concurrent orders of one patient', () => {
  it('are all placed, though each changes the patient, and their documents are decoded once', async () => {
    const own = await server.login('paciente@demo.example');
    const decoding = vi.spyOn(Buffer, 'from');
    const answers = await runConcurrently(5, (index) => {
      const body = orderBody('paciente@demo.example');
      const user = { ...body.user, medical_condition: `Asma ${index}` };
      const order = { ...body.order, prescriptions: [{ document: PDF, issue_date: '2020-02-29' }] };
      return server.request('POST', '/api/orders/resources/', { token: own, body: { user, order } });
    });
    const decoded = decoding.mock.calls.filter(([text]) => String(text) === PDF).length;
    decoding.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(decoded, 'decodings of documents').toBe(answers.length);
    const placed = (await server.request('GET', '/api/orders/', { token: own })).body.count;
    proveRace('concurrent orders of one patient, each with another condition', answers.length, placed - 5);
  });
});

describe('concurrent changes of one order', () => {
  /** Repeats a change until it no longer conflicts with another one. */
  async function changeUntilApplied(id: number, body: object): Promise<HttpAnswer> {
    const answer = await change(id, body);
    return answer.body.code === 'order_changed_meanwhile' ? changeUntilApplied(id, body) : answer;
  }

  const readStored = async (id: number) => {
    const stored = await findOrder(openTable(), { clientId: server.client.id, id, viewer: 'client' });
    if (!stored) throw new Error('no such order');
    return stored;
  };

  it('have one winner for each version, and readers always see amounts that match the lines', async () => {
    const count = tries(12, 200);
    const { id }: Order = (await place(orderBody('changed@example.mx'))).body;
    let areChanging = true;
    const reading = (async () => {
      const totals = new Set<string>();
      while (areChanging) {
        const { body } = await server.request('GET', `/api/orders/${id}/`, { token });
        expectAmountsOfLines(body);
        totals.add(body.total);
      }
      return totals;
    })();
    // The number of lines varies, so an order that mixes two versions would show.
    const answers = await runConcurrently(count, (index) =>
      change(id, {
        details: Array.from({ length: 1 + (index % 9) }, () => ({ product: 1, quantity: 1 + (index % 3) })),
      }),
    );
    areChanging = false;
    const seen = await reading;

    const winners = answers.filter(({ status }) => status === 200);
    for (const { body } of winners) expectAmountsOfLines(body);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      losers.map(() => '409 order_changed_meanwhile'),
    );
    const order = await readStored(id);
    expect(order.version).toBe(1 + winners.length);
    const told = (await getStoredEvents(id)).map(({ version }) => version);
    expect(told).toEqual(Array.from({ length: order.version }, (_, index) => index + 1));
    expect(order.subtotalCents).toBe(order.lines.reduce((sum, { quantity }) => sum + 2_850 * quantity, 0));
    // Readers saw only the first version or those of the winners.
    const totals = new Set(['136.00', ...winners.map(({ body }) => body.total)]);
    expect([...seen].filter((total) => !totals.has(total))).toEqual([]);
    expect(winners.length).toBeGreaterThan(0);
    expect(losers.length).toBeGreaterThan(0);
    proveRace('changes of one order', count, order.version - 1 - winners.length);
  });

  it('end with the first cancellation, which is counted once', async () => {
    const order: Order = (await place(orderBody('cancelled@example.mx'))).body;
    const answers = await runConcurrently(30, (index) => {
      const details = [{ product: 1, quantity: index }];
      return changeUntilApplied(order.id, index % 3 === 0 ? { order_status: 'cancelled' } : { details });
    });
    const cancelled = answers.filter(({ body }) => body.order_status === 'cancelled');
    expect(cancelled).toHaveLength(10);
    expect(new Set(cancelled.map(({ body }) => body.updated_at)).size).toBe(1);
    const refused = new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code));
    expect([...refused]).toEqual(['order_not_changeable']);
    const { counts } = await readCounts(openTable(), {
      clientId: server.client.id,
      viewer: `patient#${order.patient.id}`,
    });
    expect(counts.filter(({ orders }) => orders !== 0)).toEqual([
      { orderStatus: 'cancelled', paymentStatus: 'unpaid', orders: 1 },
    ]);
    const told = (await getStoredEvents(order.id)).filter(({ what }) => what === 'cancelled');
    proveRace('cancellations of one order', answers.length, told.length - 1);
  });
});

const cents = (amount: string) => Math.round(Number(amount) * 100);

function expectAmountsOfLines({ details, subtotal, total }: Order): void {
  const ofLines = details.reduce((sum, { quantity }) => sum + 2_850 * quantity, 0);
  expect(details.reduce((sum, line) => sum + cents(line.total), 0)).toBe(ofLines);
  expect(cents(subtotal)).toBe(ofLines);
  expect(cents(total)).toBe(ofLines + 7_900);
}

describe('the last pieces of a product', () => {
  it('are sold once, however many orders want them at once', async () => {
    const [product, count, pieces] = [7, tries(40, 500), tries(8, 100)];
    const tracked = await openTrackedStock([product]);
    await tracked.refill({ [product]: pieces });
    const details = [{ product, quantity: 1 }];
    const answers = await runConcurrently(count, (index) => place(orderBody(`pieza-${index}@example.mx`, { details })));
    const sold = answers.filter(({ status }) => status === 201).length;
    const refused = answers.filter(({ status, body }) => status === 400 && body.order.details[0].product !== undefined);
    expect(refused).toHaveLength(count - pieces);
    expect(await tracked.sinceRefill(product)).toEqual({ available: 0, reserved: pieces });
    proveRace('orders for the last pieces', count, sold - pieces);
  });
});
