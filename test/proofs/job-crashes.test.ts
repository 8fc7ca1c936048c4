import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as runDueTasks } from '../../functions/jobs/run-due-tasks.ts';
import { table } from '../../shared/deps.ts';
import { replaceInvoice } from '../../shared/invoices/correct-invoice.ts';
import { movePayment } from '../../shared/payments/move-payment.ts';
import { refundOrder } from '../../shared/payments/refund-order.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import { type FacturapiCall, refusal } from '../support/engines/facturapi-server.ts';
import { getStoredOrder } from '../support/orders/forced-order.ts';
import { INVOICING, orderBody } from '../support/orders/samples.ts';
import { isFull, prove, seed, someOf } from '../support/proofs/proof.ts';
import { type Cut, listCuts } from '../support/servers/bundles.ts';
import { faultsIn, faultsOfDocuments, openWork, settleEverything } from '../support/servers/crash-server.ts';
import { useServer } from '../support/servers/test-server.ts';

/*
 * Kills a job before and after each of its calls to AWS and to the invoicing provider, then lets the jobs run again. No
 * document may be made twice or forgotten, and no mail sent twice.
 */

const JOB = 'functions/jobs/run-due-tasks.ts';
const MINUTE_MS = 60_000;
// The pauses after the first failures are over by then.
const AHEAD_MS = 5 * MINUTE_MS;

const server = useServer({ bundles: true });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => {
  setClock();
  server.facturapi.script();
});

const addressOf = (name: string) => `${name}@example.mx`;

/** Places an order of 136.00, with its invoice unless it has none. */
async function place(name: string, { order = {}, isInvoiced = true } = {}): Promise<number> {
  const more = isInvoiced ? { invoicing: { ...INVOICING, email: addressOf(name) } } : {};
  const body = orderBody(addressOf(name), order, more);
  const { status, body: placed } = await server.invoke('POST', '/api/orders/resources/', { token, body });
  expect(status).toBe(201);
  return placed.id;
}

const operate = (id: number) => ({ id, operator: 'ana', now: new Date() });
const pay = (id: number) => movePayment({ ...operate(id), to: 'paid', form: '03' }, { table: table() });
const isIssuing = ({ method, path }: FacturapiCall) => method === 'POST' && path === '/invoices';
const isDownload = ({ path }: FacturapiCall) => /\/(?:xml|pdf)$/.test(path);
const DOWN = refusal(503, 'unavailable');

/** Places an order whose invoice is to be replaced. */
async function placeReplaced(name: string): Promise<number> {
  const id = await place(name);
  const receiver = { cfdi_use: 'S01' };
  await replaceInvoice({ ...operate(id), receiver }, { table: table(), business: business() });
  return id;
}

/** The documents of an order with the provider when everything is done: `I valid`, `E valid` and so on. */
type Held = readonly string[];
type Flow = {
  readonly name: string;
  /** Prepares an order for which the job has something to do, and returns its id. */
  readonly ready: (name: string) => Promise<number>;
  readonly held: Held;
};

const FLOWS: readonly Flow[] = [
  {
    name: 'an invoice after a postponement',
    held: ['I valid'],
    async ready(name) {
      server.facturapi.script((call) => (isIssuing(call) ? DOWN : undefined));
      const id = await place(name);
      server.facturapi.script();
      return id;
    },
  },
  {
    name: 'a payment complement',
    held: ['I valid', 'P valid'],
    async ready(name) {
      const id = await place(name, { order: { payment_method: 2 } });
      await pay(id);
      return id;
    },
  },
  { name: 'a replacement', held: ['I canceled', 'I valid'], ready: placeReplaced },
  {
    name: 'the cancellation of a replaced invoice',
    held: ['I canceled', 'I valid'],
    async ready(name) {
      const id = await placeReplaced(name);
      await runDueTasks();
      expect((await getStoredOrder(id)).documents).toMatchObject([
        { status: 'cancelling', cancellation: { motive: '01' } },
      ]);
      return id;
    },
  },
  {
    name: 'a credit note of a refund',
    held: ['E valid', 'I valid'],
    async ready(name) {
      const id = await place(name);
      await pay(id);
      await refundOrder({ ...operate(id), amountCents: 5_000, form: '03' }, table());
      return id;
    },
  },
  {
    name: 'a cancellation that expired',
    held: ['I canceled'],
    async ready(name) {
      const id = await place(name);
      const { cfdi } = await getStoredOrder(id);
      const invoice = server.facturapi.invoices.find((one) => one.id === cfdi);
      if (!invoice) throw new Error('the provider has the invoice');
      const expired = { ...invoice, cancellation_status: 'expired' };
      server.facturapi.script(({ method }) => (method === 'DELETE' ? { status: 200, body: expired } : undefined));
      await server.invoke('PATCH', `/api/orders/${id}/`, { token, body: { order_status: 'cancelled' } });
      await runDueTasks();
      expect((await getStoredOrder(id)).invoice).toMatchObject({
        status: 'cancelling',
        tasks: { cancel: { tries: 1 } },
      });
      server.facturapi.script();
      return id;
    },
  },
  {
    name: 'copies of a document',
    held: ['I valid'],
    async ready(name) {
      server.facturapi.script((call) => (isDownload(call) ? DOWN : undefined));
      const id = await place(name);
      server.facturapi.script();
      return id;
    },
  },
];

/** Returns every cut; a quick run chooses one by its seed. */
function chooseCuts(calls: number): Cut[] {
  const all = listCuts(calls);
  return isFull() ? all : all.slice(seed() % all.length).slice(0, 1);
}

// A job with one order to see to has 16 to 34 calls; a quick run does not count them.
const SOME_CALLS = 16;

async function faultsOfFlow({ held }: Flow, id: number): Promise<string[]> {
  const documents = server.facturapi.invoices.filter(({ external_id: key }) => key.startsWith(`order-${id}-`));
  const found = documents.map(({ type, status }) => `${type} ${status}`).sort();
  return [
    ...faultsIn(`order ${id}`, { [`has ${found.join(', ') || 'nothing'}`]: found.join() !== held.join() }),
    ...(await faultsOfDocuments(server, id)),
  ];
}

async function cutOffEverywhere(flow: Flow): Promise<void> {
  const slug = flow.name.replaceAll(' ', '-');
  const ids: { cut: string; id: number }[] = [];
  const runOnce = async (name: string, cut?: Cut) => {
    const id = await flow.ready(`${slug}-${name}`);
    const run = await server.runJob(JOB, { aheadMs: AHEAD_MS, ...(cut && { cut }) });
    await settleEverything(new Date());
    ids.push({ cut: name, id });
    return run;
  };
  const calls = isFull() ? (await runOnce('no-cut')).calls : [];
  const cuts = chooseCuts(isFull() ? calls.length : SOME_CALLS);
  for (const cut of cuts) await runOnce(`${cut.moment}-${cut.nth}`, cut);
  const found = await openWork();
  for (const { cut, id } of ids) found.push(...(await faultsOfFlow(flow, id)).map((fault) => `${cut}: ${fault}`));
  expect(found).toEqual([]);
  prove({
    check: `Crashes: ${flow.name}`,
    tries: ids.length,
    faults: cuts.length,
    lost: found.length,
    figure: isFull() ? `${calls.length} calls, all of them, before and after` : 'one of its calls',
  });
}

describe('a job that is killed at any of its calls', () => {
  it.each(someOf(FLOWS, seed(), 1))('makes $name once', (flow) => cutOffEverywhere(flow));
});
