import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payments, table } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import type { Order } from '../../shared/order/order.ts';
import { getOrderOfAnyClient } from '../../shared/order/orders.ts';
import { watchedPayments } from '../../shared/order/rows/payment-rows.ts';
import { sumGivenBack } from '../../shared/order/rules/status.ts';
import { payByHand } from '../../shared/payments/move-payment.ts';
import type { PaymentProvider, ProviderCall } from '../../shared/payments/provider.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { giveBack } from '../../shared/payments/reconcile-refunds.ts';
import { findCurrentAttempt } from '../../shared/payments/rules/order-payment.ts';
import { getMismatchCents } from '../../shared/payments/rules/payment-exceptions.ts';
import { now, setClock } from '../../shared/runtime/clock.ts';
import { sendHttp } from '../support/http/http.ts';
import { getStoredEvents } from '../support/orders/forced-order.ts';
import { orderBody } from '../support/orders/samples.ts';
import {
  openStripeServer,
  type StripeCall,
  type StripeOutcome,
  stripeError,
} from '../support/payments/stripe-server.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { randomOf } from '../support/proofs/random.ts';
import { type TestServer, useServer } from '../support/servers/test-server.ts';

/*
 * Random orders by card, OXXO and SPEI, whose clients change, cancel and pay them again, whose payers pay what they see, or
 * something else, and whose provider is at its worst: calls fail, are lost, repeated, reversed and late, and the process may
 * end before and after each of its own calls. In the end each is paid once or not at all, in the right amount, every peso is
 * told, and nothing that can be paid is forgotten.
 */

type Random = () => number;

const OUTCOMES: readonly StripeOutcome[] = [
  'drop',
  'lose reply',
  'break off',
  'fail after',
  { status: 502, body: '<html>Bad Gateway</html>' },
  stripeError(429, { code: 'rate_limit' }),
  stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }),
  stripeError(500, { type: 'api_error' }),
];

/** Returns faults for this share of the calls, none of which takes longer than an ordinary answer. */
const worstOutcomes =
  (random: Random, share: number) =>
  (_: StripeCall): StripeOutcome | undefined =>
    random() < share ? OUTCOMES[Math.floor(random() * OUTCOMES.length)] : undefined;

/** Returns calls as they may arrive: some never, some twice, and in any order. */
const misdeliver = (calls: readonly ProviderCall[], random: Random): ProviderCall[] =>
  calls
    .flatMap((call) => Array<ProviderCall>(Math.floor(random() * 3)).fill(call))
    .map((call) => ({ call, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ call }) => call);

const GROUP = 20;
const STEPS = 12;
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-23T18:00:00.000Z');
// Each group ends before the next begins: vouchers take 13 days, and the account of a transfer is looked at for 30.
const GROUP_DAYS = 60;
// An order takes a tenth of it on a machine at rest.
const ORDER_MS = 5_000;
const SHARE_OF_FAULTS = 0.15;
const SHARE_OF_ENDS = 0.03;

const stripe = await openStripeServer();
afterAll(() => stripe.close());
const server = useServer({ settings: { ...stripe.environment, PURPOSE: 'demonstration' } });
const random = randomOf(seed());
let ended = 0;
let areFaultsOn = true;

const chance = (share: number): boolean => random(1_000_000) < share * 1_000_000;
const draw = (): number => random(1_000_000) / 1_000_000;

class ProcessEnded extends Error {}

const CALLS = ['request', 'find', 'look', 'cancel', 'withdraw', 'refund', 'findRefund'] as const;

/** Lets the process end before or after any call of the provider: what follows the call is not done. */
function endAtCalls(provider: PaymentProvider): void {
  const methods = provider as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
  for (const name of CALLS) {
    const method = provider[name] as (...values: unknown[]) => Promise<unknown>;
    const end = () => {
      if (!areFaultsOn || !chance(SHARE_OF_ENDS)) return;
      ended += 1;
      throw new ProcessEnded(name);
    };
    methods[name] = async (...values) => {
      end();
      const answer = await method(...values);
      end();
      return answer;
    };
  }
}

beforeAll(() => endAtCalls(payments()));

let token = '';

async function setTime(time: number): Promise<void> {
  setClock(new Date(time));
  token = await server.login('aseguradora@demo.example');
}

type Method = Parameters<TestServer['request']>[0];
const ask = (method: Method, path: string, body?: object) =>
  server.request(method, path, body ? { token, body } : { token });

/** An order with what its payer did: a careful one pays what is shown, once. */
type Life = { readonly id: number; hasPaid: boolean; isCareful: boolean };

const lines = () => ({ details: [{ product: 1, quantity: 1 + random(4) }] });
let placed = 0;

async function place(): Promise<Life> {
  placed += 1;
  const body = orderBody(`azar-${placed}@example.mx`, { ...lines(), payment_method: 3 + random(3) });
  const { status, body: answer } = await ask('POST', '/api/orders/resources/', body);
  expect(status).toBe(201);
  return { id: answer.id, hasPaid: false, isCareful: true };
}

type Shown = {
  readonly payment_references: readonly { readonly method: string }[];
  readonly external_payment_id: string;
};

/** Does something at the provider, unless it does not allow it any more. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function payShown({ payment_references: [reference], external_payment_id: id }: Shown, cents: number): boolean {
  const { life: fake } = stripe;
  if (reference?.method === 'card') return attempt(() => fake.payPage(fake.openPage(id)));
  if (reference?.method === 'oxxo') return attempt(() => fake.payVoucher(id));
  const customer = fake.intents.get(id)?.customer;
  return reference?.method === 'spei' && customer ? attempt(() => fake.transfer(customer, cents)) : false;
}

async function payAsShown(life: Life): Promise<void> {
  if (life.hasPaid) return;
  const { body } = await ask('GET', `/api/orders/${life.id}/`);
  if (body.payment_status !== 'unpaid' || body.order_status === 'cancelled') return;
  life.hasPaid = payShown(body, Math.round(Number(body.total) * 100));
}

/** Transfers something else than the total, or pays a second time. */
async function payCarelessly(life: Life): Promise<void> {
  life.isCareful = false;
  const { body } = await ask('GET', `/api/orders/${life.id}/`);
  payShown(body, 100 + random(30_000));
}

async function decline(life: Life): Promise<void> {
  const { body } = await ask('GET', `/api/orders/${life.id}/`);
  attempt(() => stripe.life.declinePage(stripe.life.openPage(body.external_payment_id)));
}

const operation = () => ({ operator: 'ana', now: now() });
/** An operator's act, which may be refused, or end with the process. */
async function operate(act: Promise<unknown>): Promise<void> {
  try {
    await act;
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ProcessEnded)) throw error;
  }
}

const deps = () => ({ table: table(), payments });
// At the pace that spares Stripe, the proof would wait for most of its time.
const runJob = () => reconcilePayments({ by: 'system', now: now() }, deps(), 'all', Number.POSITIVE_INFINITY);

async function deliverCalls(): Promise<void> {
  const taken = await stripe.life.takeCalls();
  const calls = areFaultsOn ? misdeliver(taken, draw) : taken;
  for (const { body, signature } of calls) {
    const headers = { 'Stripe-Signature': signature ?? '', 'Content-Type': 'application/json' };
    await sendHttp(server.url, '/v2/api/payments/stripe/', { method: 'POST', headers, body: Buffer.from(body) });
  }
}

async function passHours(hours: number): Promise<void> {
  await setTime(now().getTime() + hours * HOUR_MS);
  stripe.life.passTime();
}

const ACTS: readonly (readonly [number, (life: Life) => Promise<unknown>])[] = [
  [22, payAsShown],
  [5, payCarelessly],
  [6, decline],
  [12, ({ id }) => ask('PATCH', `/api/orders/${id}/`, lines())],
  [5, ({ id }) => ask('PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' })],
  [12, ({ id }) => ask('POST', `/api/orders/${id}/payment/`)],
  [4, ({ id }) => operate(payByHand({ id, to: 'paid', form: '01', ...operation() }, deps()))],
  [6, ({ id }) => operate(giveBack({ id, amountCents: 100 + random(3_000), ...operation() }, deps()))],
  [4, ({ id }) => operate(giveBack({ id, isSurplus: true, ...operation() }, deps()))],
  [4, ({ id }) => operate(giveBack({ id, isSurplus: true, form: '03', ...operation() }, deps()))],
  [12, deliverCalls],
  [10, runJob],
];

function chooseAct() {
  let place = random(ACTS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, act] of ACTS) {
    if (place < weight) return act;
    place -= weight;
  }
  return payAsShown;
}

/** Lets time and jobs do the rest, without faults, until nothing is looked after any more. */
async function finish(): Promise<void> {
  areFaultsOn = false;
  stripe.script();
  for (let day = 0; day < 35; day++) {
    await passHours(day < 20 ? 24 : 72);
    await deliverCalls();
    await runJob();
  }
}

async function countWatched(): Promise<number> {
  let count = 0;
  for await (const page of watchedPayments(table())) count += page.length;
  return count;
}

/** Returns what is wrong with an order, as the provider knows it. */
function judge({ hasPaid, isCareful }: Life, order: Order): string[] {
  const isOfOrder = ({ metadata }: { metadata: Record<string, string> | null }) => metadata?.order === String(order.id);
  const intents = [...stripe.life.intents.values()].filter(isOfOrder);
  const paid = intents.filter(({ status }) => status === 'succeeded');
  const cash = [...stripe.life.customers.values()].filter(isOfOrder).reduce((sum, one) => sum + one.cash, 0);
  const received = paid.reduce((sum, one) => sum + one.amount_received, cash);
  const { payment, totalCents, paymentStatus, refunds = [] } = order;
  const paidBy = payment?.attempts.find(({ number }) => number === payment.paidBy);
  const told = (payment?.attempts ?? []).reduce((sum, one) => sum + one.receivedCents, payment?.unmatchedCents ?? 0);
  const known = payment?.attempts.map(({ providerId }) => providerId) ?? [];
  const links = [...stripe.life.links.values()].filter(({ id, active }) => active && known.includes(id));
  const back = [...stripe.life.refunds.values()].filter(isOfOrder).filter(({ status }) => status !== 'failed');
  const provided = refunds.filter((one) => one.provided && one.provided.status !== 'failed');
  const faults: Readonly<Record<string, boolean>> = {
    'money is not told': told !== received,
    'paid by another amount':
      paidBy !== undefined && (paidBy.amountCents !== totalCents || paidBy.receivedCents < totalCents),
    'paid and not told': paidBy !== undefined && paymentStatus !== 'paid',
    'the present attempt is paid, and the order is not':
      findCurrentAttempt(order)?.status === 'paid' && paymentStatus !== 'paid',
    'the rest is not listed': getMismatchCents(order) !== received - (paidBy ? totalCents : 0),
    'more went back than came': sumGivenBack(order) > received,
    'a careful payer paid twice': isCareful && paid.length > 1,
    'a careful payer paid for nothing': isCareful && hasPaid && received === 0,
    'something can still be paid': links.length > 0 || intents.some(({ status }) => status === 'requires_action'),
    'something is open': (payment?.attempts ?? []).some(({ status }) => status === 'requested' || status === 'open'),
    'refunds differ':
      back.length !== provided.length || provided.some(({ provided: one }) => one?.status === 'requested'),
  };
  return Object.keys(faults).filter((name) => faults[name]);
}

describe('random payments', () => {
  const count = Number(process.env.ORDERS ?? tries(20, 1_000));

  it('are each made once or not at all, in the right amount, and none is forgotten', {
    timeout: 600_000 + count * ORDER_MS,
  }, async () => {
    const found: string[] = [];
    let [calls, paid] = [0, 0];
    for (let group = 0; group * GROUP < count; group++) {
      areFaultsOn = true;
      await setTime(START + group * GROUP_DAYS * 24 * HOUR_MS);
      stripe.script(worstOutcomes(draw, SHARE_OF_FAULTS));
      const lives: Life[] = [];
      for (let order = 0; order < GROUP; order++) lives.push(await place());
      for (let step = 0; step < STEPS * GROUP; step++) {
        const chosen = Array.from({ length: 1 + random(3) }, () => lives[random(lives.length)] as Life);
        await Promise.all(chosen.map((life) => chooseAct()(life)));
        // Not during an act, which takes seconds: a leap of hours would outlive the provider's keys.
        if (chance(0.06 * chosen.length)) await passHours(random(40) / 2);
      }
      calls += stripe.calls.length;
      await finish();
      const watched = await countWatched();
      if (watched > 0) found.push(`group ${group}: ${watched} orders are still looked after`);
      for (const life of lives) {
        const order = await getOrderOfAnyClient(table(), life.id);
        if (!order) throw new Error('an order is lost');
        paid += order.payment?.paidBy ? 1 : 0;
        const faults = judge(life, order);
        if (faults.length === 0) continue;
        const known = JSON.stringify({ payment: order.payment, history: await getStoredEvents(life.id) });
        found.push(...faults.map((fault) => `order ${life.id}: ${fault}: ${known}`));
      }
      for (const kept of Object.values(stripe.life)) if (kept instanceof Map) kept.clear();
      if (found.length > 0) break;
    }
    expect(found).toEqual([]);
    expect(ended).toBeGreaterThan(0);
    prove({
      check: 'payments: paid once or not at all, and told',
      tries: count,
      faults: ended,
      lost: found.length,
      figure: `${paid} paid, ${calls} calls`,
    });
  });
});
