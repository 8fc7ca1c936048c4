import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { table } from '../../shared/deps.ts';
import { measureDelays, parseDelays } from '../../shared/order/lists/delivery-delays.ts';
import { findCurrentAttempt } from '../../shared/payments/rules/order-payment.ts';
import { delaysKey } from '../../shared/store/keys.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { getStoredOrder } from '../support/orders/forced-order.ts';
import { INVOICING, orderBody, PDF, PNG } from '../support/orders/samples.ts';
import { countByStatuses } from '../support/orders/stored-orders.ts';
import { openTrackedStock } from '../support/orders/tracked-stock.ts';
import { openStripeServer } from '../support/payments/stripe-server.ts';
import { isFull, prove, seed } from '../support/proofs/proof.ts';
import { type Cut, listCuts } from '../support/servers/bundles.ts';
import {
  faultsIn,
  faultsOfDocuments,
  letTimePass,
  openWork,
  ordersOf,
  strayDocuments,
} from '../support/servers/crash-server.ts';
import { useServer } from '../support/servers/test-server.ts';

/*
 * Kills a function before and after each of its calls to AWS and to the providers, then repeats the request.
 * The caller must see one order and one invoice, and the scheduled jobs must finish them once.
 */

const ORDERS = '/api/orders/resources/';

const stripe = await openStripeServer();
afterAll(() => stripe.close());
const server = useServer({ bundles: true, failedFunctions: 'answered', settings: stripe.environment });
let token: string;
let tracked: Awaited<ReturnType<typeof openTrackedStock>>;
const PIECES: Readonly<Record<number, number>> = { 1: 10_000, 5: 10_000 };
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  tracked = await openTrackedStock(Object.keys(PIECES).map(Number));
  await tracked.refill(PIECES);
});

type Asked = { readonly email: string; readonly address: string; readonly key: string };
/** Describes the request of an unknown patient, with its own address for the invoice mail. */
const asked = (name: string): Asked => ({
  email: `${name}@example.mx`,
  address: `factura-${name}@example.mx`,
  key: `key-of-${name}`,
});
const PRESCRIPTIONS = [PDF, PNG].map((document) => ({ document, issue_date: '2020-02-29' }));

function place({ email, address, key }: Asked, more: { readonly isInvoiced: boolean }): Promise<HttpAnswer> {
  const invoicing = more.isInvoiced && { invoicing: { ...INVOICING, email: address } };
  const { user, ...body } = orderBody(email, { prescriptions: PRESCRIPTIONS }, { ...invoicing });
  const named = { user: { ...user, first_name: firstName(email) }, ...body };
  return server.request('POST', ORDERS, { token, body: named, headers: { 'Idempotency-Key': key } });
}
const firstName = (email: string): string => email.replace('@example.mx', '');
const change = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });

/** Returns every cut; a quick run draws some of them at random. */
function chooseCuts(calls: number, quick: number): Cut[] {
  const all = listCuts(calls);
  if (isFull()) return all;
  const some = fc.shuffledSubarray(all, { minLength: quick, maxLength: quick });
  return fc.sample(some, { numRuns: 1, seed: seed() })[0] ?? [];
}

type Flow = {
  readonly name: string;
  /** The number of cuts in a quick run. */
  readonly quick: number;
  /** Prepares the order that the request concerns and returns its id, or 0 if there is none. */
  readonly ready: (asked: Asked) => Promise<number>;
  readonly ask: (asked: Asked, id: number) => Promise<HttpAnswer>;
  /** Returns what is wrong with an order after the cut, the repeated request and the scheduled jobs. */
  readonly faults: (asked: Asked, id: number, again: HttpAnswer) => Promise<string[]>;
};

/** Cuts a new request off at each point, repeats it, runs the scheduled jobs and expects that nothing is wrong. */
async function cutOffEverywhere({ name, quick, ready, ask, faults }: Flow): Promise<void> {
  const slug = name.replaceAll(' ', '-');
  const first = asked(`${slug}-first`);
  const known = await ready(first);
  const clean = await server.inNewContainers(() => ask(first, known));
  expect(clean.answer.status, JSON.stringify(clean.answer.body)).toBeLessThan(300);
  const all: { cut: string; of: Asked; id: number; again: HttpAnswer }[] = [];
  const chosen = chooseCuts(clean.calls.length, quick);
  for (const { nth, moment } of chosen) {
    const cut = `${moment} call ${nth}`;
    const of = asked(`${slug}-${moment}-${nth}`);
    const id = await ready(of);
    const { answer } = await server.inNewContainers(() => ask(of, id), { nth, moment });
    expect([answer.status, answer.body.code], cut).toEqual([503, 'unavailable']);
    all.push({ cut, of, id, again: await ask(of, id) });
  }
  await letTimePass();
  const found = [
    ...(await faults(first, known, clean.answer)),
    ...(await openWork()),
    ...(await strayDocuments(server.client.id)),
    ...(await faultsOfStock()),
  ];
  for (const { cut, of, id, again } of all) {
    found.push(...(await faults(of, id, again)).map((fault) => `${cut}: ${fault}`));
  }
  expect(found).toEqual([]);
  prove({
    check: `Crashes: ${name}`,
    tries: all.length,
    faults: all.length,
    lost: found.length,
    figure: `${clean.calls.length} calls, ${isFull() ? 'all of them' : 'some of them'}, before and after`,
  });
}

/** Returns the products of which more or less is reserved than the orders that are not cancelled have. */
async function faultsOfStock(): Promise<string[]> {
  const { ids } = await ordersOf(server.client.id, 'client');
  const orders = await Promise.all(ids.map(getStoredOrder));
  const lines = orders.flatMap((order) => (order.orderStatus === 'cancelled' ? [] : order.lines));
  const products = Object.entries(PIECES).map(async ([product, pieces]) => {
    const own = lines.filter(({ productId }) => productId === Number(product));
    const wanted = own.reduce((sum, { quantity }) => sum + quantity, 0);
    const { available, reserved } = await tracked.sinceRefill(Number(product));
    return reserved === wanted && available === pieces - wanted
      ? []
      : [`${reserved} of ${product} is reserved, not ${wanted}`];
  });
  return (await Promise.all(products)).flat();
}

/** Places an order and expects that lists find it by its delivery dates. */
async function placeDated(of: Asked): Promise<HttpAnswer> {
  const answer = await place(of, { isInvoiced: true });
  if (answer.status !== 201) return answer;
  const { shortestMs, longestMs } = parseDelays(await table().get(delaysKey(server.client.id)));
  const own = measureDelays(await getStoredOrder(answer.body.id));
  expect(own.longestMs).toBeGreaterThan(0);
  expect(longestMs).toBeGreaterThanOrEqual(own.longestMs);
  expect(shortestMs).toBeLessThanOrEqual(own.shortestMs);
  return answer;
}

/** Returns the ids of the orders that a search for a name finds. */
async function findByName(name: string): Promise<number[]> {
  const { body } = await server.request('GET', `/api/orders/?search=${name}&limit=100`, { token });
  return body.results.map(({ id }: { id: number }) => id);
}

/** Returns what is wrong with an order whose patient must have no other order. */
async function checkPlacedOrder({ email }: Asked, { status, body }: HttpAnswer): Promise<string[]> {
  if (status !== 201) return [`${email} was answered ${status} ${JSON.stringify(body)}`];
  const { ids, counted } = await ordersOf(server.client.id, `patient#${body.patient.id}`);
  const { lines, prescriptions } = await getStoredOrder(body.id);
  return [
    ...faultsIn(email, {
      [`has ${ids.length} orders, ${counted} counted`]: ids.length !== 1 || counted !== 1 || ids[0] !== body.id,
      'has half an order': lines.length !== 1 || prescriptions.length !== 2,
      'is not found by name': !(await findByName(firstName(email))).includes(body.id),
    }),
    ...(await faultsOfDocuments(server, body.id)),
  ];
}

async function placeOrder(of: Asked, more: { readonly isInvoiced: boolean }): Promise<number> {
  const { status, body } = await place(of, more);
  expect(status).toBe(201);
  return body.id;
}

const checkStatus = (answer: HttpAnswer, codes: readonly string[]): string[] => {
  const got = `${answer.status} ${answer.body.code ?? ''}`.trim();
  return codes.includes(got) ? [] : [`answered ${got}`];
};

const requestInvoice = ({ address }: Asked, id: number) =>
  server.request('PATCH', `/api/orders/${id}/request-invoice/`, { token, body: { ...INVOICING, email: address } });
/** The first order of a client, so that the call that records its delays is among those that are cut off. */
async function forgetDelays(): Promise<number> {
  await table().deleteAll([delaysKey(server.client.id)]);
  return 0;
}

const FLOWS: readonly Flow[] = [
  {
    name: 'order creation',
    quick: 2,
    ready: forgetDelays,
    ask: placeDated,
    faults: (of, _, again) => checkPlacedOrder(of, again),
  },
  {
    name: 'change of products',
    quick: 1,
    ready: (of) => placeOrder(of, { isInvoiced: false }),
    ask: (_, id) => change(id, { details: [1, 5].map((product) => ({ product, quantity: product === 1 ? 3 : 1 })) }),
    async faults(_, id, again) {
      const order = await getStoredOrder(id);
      const quantities = order.lines.map(({ quantity }) => quantity).join();
      // 3 × 28.50 + 64.50
      const isWhole = quantities === '3,1' && order.subtotalCents === 15_000 && order.version <= 3;
      const { ids, counted } = await ordersOf(server.client.id, `patient#${order.patient.id}`);
      return [
        ...checkStatus(again, ['200']),
        ...faultsIn(`order ${id}`, { 'is not as asked': !isWhole, 'is not counted once': ids.length !== counted }),
      ];
    },
  },
  {
    name: 'cancellation',
    quick: 1,
    ready: (of) => placeOrder(of, { isInvoiced: true }),
    ask: (_, id) => change(id, { order_status: 'cancelled' }),
    async faults(_, id, again) {
      const order = await getStoredOrder(id);
      const counted = await countByStatuses(server.client.id, `patient#${order.patient.id}`);
      const counts = Object.entries(counted).flatMap(([statuses, count]) =>
        count === 0 ? [] : `${statuses} ${count}`,
      );
      return [
        ...checkStatus(again, ['200']),
        ...faultsIn(`order ${id}`, {
          'is not cancelled': order.orderStatus !== 'cancelled',
          [`is counted as ${counts}`]: counts.join() !== 'cancelled unpaid 1',
        }),
        ...(await faultsOfDocuments(server, id)),
      ];
    },
  },
  {
    name: 'collected order',
    quick: 1,
    ready: forgetDelays,
    ask: placeCollected,
    faults: (_, __, again) => checkReference(again, ['201'], 1),
  },
  {
    name: 'change of a collected order',
    quick: 1,
    ready: async (of) => (await placeCollected(of)).body.id,
    ask: (_, id) => change(id, { details: [{ product: 1, quantity: 3 }] }),
    faults: (_, __, again) => checkReference(again, ['200'], 2),
  },
  {
    name: 'invoice request',
    quick: 1,
    ready: (of) => placeOrder(of, { isInvoiced: false }),
    ask: requestInvoice,
    async faults(of, id, again) {
      const isMissing = (await getStoredOrder(id)).cfdi === '';
      // No invoice was issued, so the patient may request it again.
      const last = isMissing ? checkStatus(await requestInvoice(of, id), ['200']) : [];
      const codes = ['200', '409 order_invoiced', '409 invoice_in_progress'];
      return [...checkStatus(again, codes), ...last, ...(await faultsOfDocuments(server, id))];
    },
  },
];

describe('a function that is killed at any of its calls and asked again', () => {
  it.each(FLOWS)('does what it was asked for once: $name', (flow) => cutOffEverywhere(flow));
});

/** Places an order that is paid by a CLABE. */
function placeCollected({ email, key }: Asked): Promise<HttpAnswer> {
  const body = orderBody(email, { payment_method: 5 });
  return server.request('POST', ORDERS, { token, body, headers: { 'Idempotency-Key': key } });
}

/** Returns what is wrong with the reference of an order: it has one, of its total, and nothing else can be paid. */
async function checkReference(again: HttpAnswer, codes: readonly string[], most: number): Promise<string[]> {
  const { id, payment, totalCents } = await getStoredOrder(again.body.id);
  const present = findCurrentAttempt({ payment });
  const asked = stripe.life.intents
    .values()
    .filter(({ metadata }) => metadata.order === String(id))
    .toArray();
  const open = asked.filter(({ status }) => status === 'requires_action');
  return [
    ...checkStatus(again, codes),
    ...faultsIn(`order ${id}`, {
      'has no reference': present?.status !== 'open' || present.amountCents !== totalCents,
      [`has ${open.length} that can be paid`]: open.length !== 1 || open[0]?.id !== present?.providerId,
      'was asked for too often': asked.length > most + 1,
    }),
  ];
}
