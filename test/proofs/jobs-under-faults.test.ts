import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as issueGlobals } from '../../functions/jobs/issue-globals.ts';
import { handler as runDueTasks } from '../../functions/jobs/run-due-tasks.ts';
import { table } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { toMonthInstants } from '../../shared/domain/working-day.ts';
import { creditInvoice, replaceInvoice } from '../../shared/invoices/correct-invoice.ts';
import { getPartSales, globalParts } from '../../shared/invoices/global/global-parts.ts';
import type { Order } from '../../shared/order/order.ts';
import { moveOrder } from '../../shared/ordering/move-order.ts';
import { movePayment } from '../../shared/payments/move-payment.ts';
import { refundOrder } from '../../shared/payments/refund-order.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import { type FacturapiCall, type Outcome, refusal } from '../support/engines/facturapi-server.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { randomOf } from '../support/proofs/random.ts';
import { faultsOfDocuments, settleEverything } from '../support/servers/crash-server.ts';
import { type InvoicingServer, openInvoicingServer } from '../support/servers/invoicing-server.ts';

/*
 * Orders are placed, paid, replaced, credited, refunded and cancelled over some months, while the provider is down, refuses by
 * 429, loses replies, hangs and stamps later, and while each job runs twice at the same time.
 */

const STEPS = tries(15, 250);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, 5 * 60 * MINUTE_MS, DAY_MS, 4 * DAY_MS];

let server: InvoicingServer;
beforeAll(async () => {
  server = await openInvoicingServer({ GLOBAL_INVOICE: 'month' });
  server.limits.release();
});
afterAll(() => server.close());

const random = randomOf(seed());
const choose = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

let faults = 0;
/** A third of the calls fail; a call that hangs costs five seconds, so that only a full run has some. */
function chooseOutcome({ method, path }: FacturapiCall): Outcome | undefined {
  if (random(3) > 0) return undefined;
  faults += 1;
  if (tries(0, 1) === 1 && random(300) === 0) return 'hang';
  const isIssuing = method === 'POST' && path === '/invoices';
  const any = [
    refusal(503, 'unavailable'),
    refusal(429, 'rate_limit_exceeded'),
    'drop',
    'lose reply',
    'break off',
  ] as const;
  return choose<Outcome>(isIssuing ? [...any, 'stamp later'] : any);
}

/** SAT stamps what the provider left pending. */
function stampPending(): void {
  for (const invoice of server.facturapi.invoices) if (invoice.status === 'pending') invoice.status = 'valid';
}

const ids: number[] = [];

async function place(): Promise<void> {
  const email = `fault-${ids.length}@example.mx`;
  const isInvoiced = random(3) > 0;
  const order = { payment_method: choose([1, 2]) };
  const { status, body } = await server.place({ email, order, ...(isInvoiced && { invoicing: { email } }) });
  if (status === 201) ids.push(body.id);
}

/** Does something random with an order, which the service may refuse. */
async function act(now: Date): Promise<void> {
  const id = choose(ids);
  const operation = { id, operator: 'ana', now };
  const deps = { table: table(), business: business() };
  const amountCents = choose([100, 5_000, 13_600]);
  const acts = [
    () => movePayment({ ...operation, to: 'paid', form: '03' }, deps),
    () => movePayment({ ...operation, to: 'paid', form: '28' }, deps),
    () => movePayment({ ...operation, to: choose(['credit', 'processing']) }, deps),
    () => replaceInvoice({ ...operation, receiver: {} }, deps),
    () => creditInvoice({ ...operation, amountCents }, table()),
    () => refundOrder({ ...operation, amountCents, form: '03' }, table()),
    () => moveOrder({ ...operation, to: 'cancelled' }, deps),
  ];
  await choose(acts)().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
}

/** A job throws after a failure, which alerts an operator. */
const runJobs = () => Promise.allSettled([runDueTasks, runDueTasks, issueGlobals, issueGlobals].map((job) => job()));

/** Returns the numbers of the issued parts of global invoices in which each order stands. */
async function countGlobals(from: string, until: string): Promise<Map<number, number>> {
  const parts = await globalParts(table(), { from, until });
  const issued = await Promise.all(
    parts.filter(({ status }) => status === 'issued').map((part) => getPartSales(table(), part)),
  );
  const orders = issued.flatMap(({ sales }) => sales.map(({ orderId }) => orderId));
  return new Map([...Map.groupBy(orders, (id) => id)].map(([id, all]) => [id, all.length]));
}

const isSale = ({ paymentStatus, orderStatus, totalCents, refunds = [] }: Order): boolean =>
  paymentStatus === 'paid' &&
  orderStatus !== 'cancelled' &&
  refunds.reduce((sum, { cents }) => sum + cents, 0) < totalCents;

describe('orders of some months, with a provider that fails and jobs that run twice', () => {
  it('have every document once, and stand in one income document when they are paid', async () => {
    const begun = Date.now();
    let now = new Date(begun);
    server.facturapi.script(chooseOutcome);
    for (let step = 0; step < STEPS; step++) {
      now = new Date(now.getTime() + choose(PAUSES_MS));
      setClock(now);
      if (ids.length === 0 || random(3) === 0) await place();
      for (let acts = random(4); acts > 0 && ids.length > 0; acts--) await act(now);
      await runJobs();
      if (random(3) === 0) stampPending();
    }
    server.facturapi.script();
    stampPending();
    // Until the month after the last payment is over.
    const { timeZone } = business();
    await settleEverything(now);
    const { until } = toMonthInstants(now.toISOString().slice(0, 7), timeZone);
    await settleEverything(new Date(until.getTime() + DAY_MS));
    const globals = await countGlobals(new Date(begun - 31 * DAY_MS).toISOString().slice(0, 7), '2100-01');
    const found: string[] = [];
    for (const id of ids) {
      found.push(...(await faultsOfDocuments(server, id)));
      const order = await server.stored(id);
      const own = order.invoice?.status === 'issued' ? 1 : 0;
      const incomes = own + (globals.get(id) ?? 0);
      if (incomes > 1 || (isSale(order) && incomes !== 1)) found.push(`order ${id} stands in ${incomes}`);
    }
    expect(found).toEqual([]);
    prove({
      check: 'Invoices: orders of some months, a provider that fails, jobs that run twice',
      tries: ids.length,
      faults,
      lost: found.length,
      figure: `${server.facturapi.invoices.length} documents`,
    });
  });
});
