import { appendFile, cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { couponCounterKey, type Key, patientCouponKey } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import type { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { unluckyTransactions } from '../../support/faults/transaction-faults.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { manyAtOnce } from '../../support/load/many-at-once.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { withPatience } from '../../support/proofs/patience.ts';
import { prove, seed, tries } from '../../support/proofs/proof.ts';
import { randomNumbers } from '../../support/proofs/random.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const LIMITED = { id: 101, code: 'SIETE', value: '10.00', max_redemptions: 7 };
const ONCE = { id: 102, code: 'UNAVEZ', value: '10.00', max_redemptions_per_patient: 1 };
const BOTH = { id: 103, code: 'AMBOS', value: '10.00', max_redemptions: 3, max_redemptions_per_patient: 2 };
const MINIMUM = { id: 104, code: 'DESDE100', value: '10.00', minimum_subtotal: '100.00', max_redemptions: 1 };
const LOST = { id: 105, code: 'PERDIDAS', value: '10.00', max_redemptions: 1_000_000, max_redemptions_per_patient: 5 };
const COUPONS = [
  LIMITED,
  ONCE,
  BOTH,
  MINIMUM,
  LOST,
  { id: 106, code: 'MAÑANA', value: '10.00', valid_from: '2099-01-01T00:00:00-06:00' },
];

let proxy: FaultProxy;
let server: TestServer;
let token: string;
beforeAll(async () => {
  const opened = await openServer({ faults: true, settings: { CATALOG_BUCKET: 'proofs-coupons' } });
  [server, proxy] = [withPatience(opened), opened.faults];
  const folder = await mkdtemp(join(tmpdir(), 'coupons-'));
  await cp(DEMO_CATALOG, folder, { recursive: true });
  await appendFile(join(folder, 'coupons.jsonl'), COUPONS.map((coupon) => `${JSON.stringify(coupon)}\n`).join(''));
  await publishToTestServer(folder);
  token = await server.login('aseguradora@demo.example');
});
// The local engine queues concurrent writes of one item, while AWS refuses the second; the proxy refuses it here.
beforeEach(() => proxy.set(({ meetsAnother }) => (meetsAnother ? 'conflict' : undefined)));
afterAll(() => server.close());

const ORDERS = '/api/orders/resources/';
const boxes = (quantity: number) => ({ details: [{ product: 1, quantity }] });
let sent = 0;
async function place(name: string, coupon: string, more: object = {}) {
  const body = orderBody(`${name}@example.mx`, { coupon, ...more });
  // An order may stand although its answer was a 503: with a key it is not placed again.
  const headers = { 'Idempotency-Key': `coupon-order-${++sent}` };
  const answer = await server.request('POST', ORDERS, { token, body, headers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}
const change = (id: number, body: object): Promise<HttpAnswer> =>
  server.request('PATCH', `/api/orders/${id}/`, { token, body });
const CANCELLED = { order_status: 'cancelled' };

const count = async (key: Key) => Number((await openTable().get(key))?.redemptions ?? 0);
const countAll = ({ id }: { readonly id: number }) => count(couponCounterKey(server.client.id, id));
const countOfPatient = ({ id }: { readonly id: number }, patient: number) =>
  count(patientCouponKey(server.client.id, id, patient));

type Placed = Awaited<ReturnType<typeof place>>;
const hasCoupon = ({ coupon }: Placed): boolean => coupon !== null;

/** Places orders for these names at once and returns those that got the coupon. */
async function race(names: readonly string[], coupon: string): Promise<Placed[]> {
  const placed = await Promise.all(names.map((name) => place(name, coupon)));
  // Two boxes of 28.50, and 79.00 of shipping.
  for (const { discount, total, coupon: given } of placed) {
    expect([discount, total]).toEqual(given ? ['10.00', '126.00'] : ['0.00', '136.00']);
  }
  return placed.filter(hasCoupon);
}

const AT_ONCE = tries(20, 50);

describe('the last redemptions of a coupon', () => {
  it(`are taken once each by ${AT_ONCE} orders at once`, async () => {
    const rounds = tries(1, 10);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const taken = await race(
        Array.from({ length: AT_ONCE }, (_, index) => `ultima-${index}`),
        LIMITED.code,
      );
      lost += Math.abs(taken.length - 7) + Math.abs((await countAll(LIMITED)) - 7);
      await Promise.all(taken.map(({ id }) => change(id, CANCELLED)));
      lost += Math.abs(await countAll(LIMITED));
    }
    prove({
      check: 'attack 10: more orders than a coupon allows, at once',
      tries: rounds * AT_ONCE,
      faults: proxy.injected(),
      lost,
    });
  });

  it('are those of a patient, whoever orders for them', async () => {
    const rounds = tries(1, 10);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const names = Array.from({ length: tries(8, 20) }, (_, index) => `paciente-${round}-${index % 2}`);
      const taken = await race(names, ONCE.code);
      const patients = new Set(taken.map(({ patient }) => patient.id));
      lost += Math.abs(taken.length - 2) + Math.abs(patients.size - 2);
      for (const patient of patients) lost += Math.abs((await countOfPatient(ONCE, patient)) - 1);
    }
    prove({ check: 'attack 10: more orders than a patient may have, at once', tries: rounds * tries(8, 20), lost });
  });
});

/** Orders that hold the coupon, as they are stored now. */
async function countHolders(ids: readonly number[]): Promise<number> {
  const answers = await Promise.all(ids.map((id) => server.request('GET', `/api/orders/${id}/`, { token })));
  return answers.filter(({ body }) => hasCoupon(body) && body.order_status !== 'cancelled').length;
}

it('orders placed, changed and cancelled at random, several times each, never hold more than the limit', async () => {
  const steps = tries(30, 1_500);
  const random = randomNumbers(seed());
  const ids: number[] = [];
  const pick = () => ids[Math.floor(random() * ids.length)];
  await manyAtOnce(steps, 12, async () => {
    const choice = random();
    const id = pick();
    if (choice < 0.4 || id === undefined) ids.push((await place(`azar-${Math.floor(random() * 3)}`, BOTH.code)).id);
    else if (choice < 0.5) await change(id, boxes(1 + Math.floor(random() * 5)));
    else await Promise.all([change(id, CANCELLED), change(id, CANCELLED)]);
  });
  const holders = await countHolders(ids);
  expect(ids.length).toBeGreaterThan(5);
  const counted = await countAll(BOTH);
  prove({
    check: 'attack 10: a coupon taken again after cancelling',
    tries: steps,
    faults: proxy.injected(),
    lost: Math.max(0, holders - 3) + Math.abs(counted - holders),
  });
});

describe('a coupon that an order loses', () => {
  it('by other products is free for the next order, and does not come back', async () => {
    const rounds = tries(1, 50);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const first = await place('cambia', MINIMUM.code, boxes(4));
      expect(hasCoupon(first)).toBe(true);
      // One of these changes wins, and each of them drops the coupon.
      const changes = await Promise.all([1, 2, 3].map((quantity) => change(first.id, boxes(quantity))));
      expect(changes.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      lost += Math.abs(await countAll(MINIMUM));
      const second = await place('toma', MINIMUM.code, boxes(4));
      const again = await change(first.id, boxes(4));
      lost += Number(!hasCoupon(second)) + Number(hasCoupon(again.body)) + Math.abs((await countAll(MINIMUM)) - 1);
      await Promise.all([first, second].map(({ id }) => change(id, CANCELLED)));
      lost += Math.abs(await countAll(MINIMUM));
    }
    prove({ check: 'attack 10: a coupon kept by changing the products', tries: rounds * 7, lost });
  });
});

it('lost replies and forgotten transactions count each order once', async () => {
  const orders = tries(12, 500);
  const unlucky = unluckyTransactions(seed(), { conflict: 0, lostReply: 0.15, forgotten: 0.15 });
  proxy.set((call) => (call.meetsAnother ? 'conflict' : unlucky(call)));
  const placed: Placed[] = [];
  await manyAtOnce(orders, 8, async (index) => {
    const order = await place(`perdida-${index % 8}`, LOST.code);
    placed.push(order);
    if (index % 3 === 0) await change(order.id, CANCELLED);
  });
  const faults = proxy.injected();
  proxy.set();
  const holders = await countHolders(placed.map(({ id }) => id));
  const patients = [...new Set(placed.map(({ patient }) => patient.id))];
  const counted = await Promise.all(patients.map((patient) => countOfPatient(LOST, patient)));
  const ofPatients = counted.reduce((sum, one) => sum + one, 0);
  prove({
    check: 'attack 10: redemptions under lost replies',
    tries: orders,
    faults,
    lost:
      Math.abs((await countAll(LOST)) - holders) +
      Math.abs(ofPatients - holders) +
      counted.filter((one) => one > 5).length,
  });
});

it('codes that are no valid coupons get one answer to a quote, byte for byte, whatever is the matter with them', async () => {
  const codes = ['', '   ', 'NOEXISTE', 'VERANO2025', 'MAÑANA', 'siete!'.repeat(3), '%_*'];
  const quote = (coupon: string) => server.request('POST', '/api/orders/calculate/', { body: { ...boxes(1), coupon } });
  const answers = await Promise.all(codes.map(quote));
  expect(answers[0]?.body.errors).toEqual({ coupon: 'El cupón no es válido.' });
  const lost = new Set(answers.map(({ body }) => JSON.stringify(body))).size - 1;
  prove({ check: 'attack 10: codes told apart by the message of a quote', tries: codes.length, lost });
});
