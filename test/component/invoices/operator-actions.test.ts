import { describe, expect, it } from 'vitest';
import { handleInvoice } from '../../../shared/invoices/open-actions.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { refusal as refusalOf } from '../../support/engines/facturapi-server.ts';
import { ops } from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { disturbed } from '../../support/orders/order-table.ts';
import { EMPLOYEE, NOON, newAddress, useInvoicingServer } from '../../support/servers/invoicing-server.ts';

const server = useInvoicingServer();

async function placed(email = newAddress(), order: object = {}): Promise<{ id: number; cfdi: string }> {
  const { status, body } = await server.place({ order, invoicing: { email } });
  expect(status).toBe(201);
  return body;
}

async function listed(...more: string[]) {
  const { code, out } = await ops('invoices', 'list', '--json', '--limit', '1000', ...more);
  expect(code).toBe(0);
  return JSON.parse(out).invoices as Record<string, unknown>[];
}
const of = async (order: { id: number }, ...more: string[]) =>
  (await listed(...more)).filter((invoice) => invoice.order === order.id);

describe('invoices list', () => {
  it('shows those that wait for a person, the most urgent first, with what to do', async () => {
    const due = await placed(newAddress(), { payment_method: 2 });
    await ops('orders', 'pay', String(due.id), '--status', 'paid', '--form', '03');
    const { body: refusedBySat } = await server.place({ invoicing: { zipcode: '00000' } });
    const waiting = await listed('--waiting');
    expect(waiting.filter(({ waiting: actions }) => Array.isArray(actions) && actions.length === 0)).toEqual([]);
    const own = waiting.filter(({ order }) => order === due.id || order === refusedBySat.id);
    expect(own).toMatchObject([
      { order: refusedBySat.id, waiting: ['not_issued'], advice: [{ commands: ['issue', 'handled'] }] },
      { order: due.id, waiting: ['complement_due'], complement_by: '2026-12-05', advice: [{ commands: ['handled'] }] },
    ]);
    expect(await ops('orders', 'handled', String(due.id))).toMatchObject({ code: 0 });
    expect(await of(due)).toMatchObject([{ status: 'retrying', waiting: [], complement_by: null }]);
    expect(await of(due, '--status', 'retrying')).toMatchObject([{ total: '136.00' }]);
    expect(await of(due, '--status', 'requested')).toEqual([]);
    expect(await ops('orders', 'handled', String(due.id))).toMatchObject({ code: 1 });
    expect(await ops('invoices', 'list', '--waiting', '--status', 'issued')).toMatchObject({ code: 2 });
  });
});

describe('an invoice that says paid in its month', () => {
  const status = async (order: { id: number }) => (await of(order))[0]?.status;
  const pay = (order: { id: number }, ...more: string[]) => ops('orders', 'pay', String(order.id), '--status', ...more);

  it('and was not is listed from the end of the month on, until it is handled', async () => {
    const [unpaid, paid] = [await placed(), await placed()];
    await pay(paid, 'paid');
    setClock(new Date('2026-12-01T05:59:59.999Z'));
    await server.runAfter(0);
    expect([await status(unpaid), await status(paid)]).toEqual(['awaiting_payment', 'issued']);
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    const settled = JSON.parse((await ops('jobs', 'run', 'run-due-tasks', '--json')).out).documents;
    expect(settled.pue_unpaid).toBeGreaterThanOrEqual(1);
    expect(await of(unpaid)).toMatchObject([{ status: 'pue_unpaid', waiting: ['pue_unpaid'], due_at: null }]);
    expect(await status(paid)).toBe('issued');
    // Paying in December does not make it an invoice of what was paid in November.
    await pay(unpaid, 'paid');
    expect(await status(unpaid)).toBe('pue_unpaid');
    expect(await ops('orders', 'handled', String(unpaid.id))).toMatchObject({ code: 0 });
    expect(await status(unpaid)).toBe('issued');
  });
});

describe('invoices issue', () => {
  const failing = () =>
    server.facturapi.script(({ method }) =>
      method === 'POST' ? refusalOf(500, 'invoice_stamping_failed') : undefined,
    );
  const lost = async () => {
    failing();
    const order = await placed();
    setClock(new Date('2026-11-27T18:00:00.000Z'));
    await server.runAfter(0);
    server.facturapi.script();
    expect(await of(order)).toMatchObject([
      { status: 'not_issued', reason: 'invoice_window_closed', waiting: ['not_issued'] },
    ]);
    return order;
  };

  it('issues an invoice after the window too, with mail and history, but none that its order does not allow', async () => {
    const { id } = await lost();
    const issue = (...more: string[]) => ops('invoices', 'issue', String(id), ...more);
    const { orderStatus, paymentStatus, totalCents, createdAt } = await server.stored(id);
    for (const state of [
      { orderStatus: 'cancelled' },
      { paymentStatus: 'rejected' },
      { totalCents: 0 },
      { createdAt: '2025-12-31T18:00:00.000Z' },
    ] as const) {
      await server.force(id, state);
      expect([state, await issue()]).toMatchObject([state, { code: 1, out: '' }]);
      await server.force(id, { orderStatus, paymentStatus, totalCents, createdAt });
    }
    failing();
    expect(await issue()).toMatchObject({ code: 1 });
    expect(await of({ id })).toMatchObject([{ status: 'not_issued', reason: 'unavailable' }]);
    await ops('orders', 'handled', String(id));
    expect(await of({ id })).toMatchObject([{ status: 'refused', waiting: [] }]);
    server.facturapi.script();
    expect(await issue()).toMatchObject({ code: 0 });
    const { cfdi, version } = await server.stored(id);
    expect(server.facturapi.invoices.filter(({ id: issued }) => issued === cfdi)).toMatchObject([{ total: 136 }]);
    expect(await of({ id })).toMatchObject([{ status: 'awaiting_payment', mail: 'sent', cfdi }]);
    const told = (await getStoredEvents(id)).slice(-3);
    expect(told.map(({ what }) => what)).toEqual(['invoice_requested', 'invoice_issued', 'invoice_mailed']);
    expect(told[0]?.by).toHaveProperty('operator');
    expect(await issue('--version', String(version - 1))).toMatchObject({ code: 1 });
    expect(await issue()).toMatchObject({ code: 1 });
  });

  it('issues to a corrected receiver, and refuses one where there is no invoice to issue', async () => {
    const { body } = await server.place({ invoicing: { zipcode: '00000' } });
    const issue = (...options: string[]) => ops('invoices', 'issue', String(body.id), ...options);
    expect(await issue('--fiscal-regime', '601')).toMatchObject({ code: 1, out: '' });
    expect(await issue()).toMatchObject({ code: 1, out: expect.stringContaining('zipcode') });
    expect(await issue('--zipcode', '64000', '--full-name', 'ANA PAZ')).toMatchObject({ code: 0 });
    const { invoice, invoicing } = await server.stored(body.id);
    expect(invoice?.status).toBe('issued');
    expect(invoicing).toMatchObject({ zipcode: '64000', full_name: 'ANA PAZ', rfc: 'PALA800101AB1' });
    const onCredit = await placed(newAddress(), { payment_method: 2 });
    await ops('orders', 'pay', String(onCredit.id), '--status', 'paid', '--form', '03');
    const other = await ops('invoices', 'issue', String(onCredit.id), '--zipcode', '64000');
    expect(other).toMatchObject({ code: 1, out: '' });
    expect((await server.stored(onCredit.id)).invoicing?.zipcode).toBe('06700');
  });

  it('issues the first invoice of an order to the receiver of a customer who asks late', async () => {
    const { body } = await server.place();
    const issue = (...options: string[]) => ops('invoices', 'issue', String(body.id), ...options);
    setClock(new Date('2026-11-28T18:00:00.000Z'));
    const receiver = ['--rfc', 'MOXL900412AB1', '--full-name', 'LUZ MORA', '--cfdi-use', 'S01', '--zipcode', '06700'];
    expect(await issue(...receiver)).toMatchObject({ code: 1, err: expect.stringContaining('fiscal_regime') });
    expect(await issue(...receiver, '--fiscal-regime', '601')).toMatchObject({ code: 1, out: '' });
    expect((await server.stored(body.id)).invoice).toBeNull();
    expect(await issue(...receiver, '--fiscal-regime', '605')).toMatchObject({ code: 0 });
    expect(await server.stored(body.id)).toMatchObject({
      invoice: { status: 'issued', mail: 'sent' },
      invoicing: { rfc: 'MOXL900412AB1', full_name: 'LUZ MORA', street: '', updated_by: null },
    });
    const detail = await server.request('GET', `/api/orders/${body.id}/`, { token: await server.login(EMPLOYEE) });
    expect(detail.body.invoicing).toMatchObject({ rfc: 'MOXL900412AB1', updated_by: null });
  });
});

describe('invoices cancel', () => {
  /** Cancels an order, and answers every request to cancel its invoice with this. */
  const cancelling = async (answer: object, email = newAddress()) => {
    const order = await placed(email);
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    const invoice = server.facturapi.invoices.find(({ id }) => id === order.cfdi);
    server.facturapi.script(({ method }) =>
      method === 'DELETE' ? { status: 200, body: Object.assign(invoice ?? {}, answer) } : undefined,
    );
    await server.runAfter(0);
    server.facturapi.script();
    return order;
  };
  const REJECTED = { cancellation_status: 'rejected' };

  it('asks again, and the receiver is told once', async () => {
    const email = newAddress();
    const order = await cancelling(REJECTED, email);
    expect(await of(order)).toMatchObject([
      { status: 'cancellation_rejected', reason: 'rejected', waiting: ['cancellation_rejected'] },
    ]);
    expect(await ops('invoices', 'cancel', String(order.id))).toMatchObject({ code: 0 });
    expect(await of(order)).toMatchObject([{ status: 'cancelled', waiting: [], mail: 'sent' }]);
    expect(await server.ses.mailsTo(email)).toHaveLength(2);
    expect(await ops('invoices', 'cancel', String(order.id))).toMatchObject({ code: 1 });
  });

  it('leaves it to settling while the provider is down', async () => {
    const order = await cancelling(REJECTED);
    server.network.set(() => 'failure');
    expect(await ops('invoices', 'cancel', String(order.id))).toMatchObject({ code: 0 });
    expect((await server.stored(order.id)).invoice?.tasks.cancel).toMatchObject({ tries: 1 });
    server.network.set();
    await server.runAfter(2);
    expect(await of(order)).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('jobs run run-due-tasks', () => {
  it('does the work of the jobs, and counts it', async () => {
    const [lost, unsent] = [newAddress(), newAddress()];
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const first = await placed(lost);
    server.network.set();
    server.ses.scenario = 'down';
    await placed(unsent);
    server.ses.scenario = 'well';
    expect(await ops('jobs', 'run', 'run-due-tasks')).toMatchObject({ code: 0 });
    setClock(new Date('2026-11-23T18:02:00.000Z'));
    const { out } = await ops('jobs', 'run', 'run-due-tasks', '--json');
    expect(JSON.parse(out)).toEqual({ documents: { issued: 1, mail_sent: 1 }, payments: {} });
    expect(await of(first)).toMatchObject([{ status: 'awaiting_payment', mail: 'sent' }]);
    const mails = await Promise.all([lost, unsent].map(server.ses.mailsTo));
    expect(mails.map(({ length }) => length)).toEqual([1, 1]);
  });
});

describe('invoices resend', () => {
  it('sends the mail of a cancellation that may not have arrived', async () => {
    const email = newAddress();
    const order = await placed(email);
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    server.ses.scenario = 'lost reply';
    await server.runAfter(0);
    server.ses.scenario = 'well';
    expect(await of(order)).toMatchObject([{ status: 'mail_unconfirmed', waiting: ['mail_unconfirmed'] }]);
    const { version } = await server.stored(order.id);
    const resend = (...more: string[]) => ops('invoices', 'resend', String(order.id), ...more);
    expect(await resend('--version', String(version - 1))).toMatchObject({ code: 1 });
    expect(await resend('--version', String(version))).toMatchObject({ code: 0 });
    expect(await of(order)).toMatchObject([{ status: 'cancelled', mail: 'sent', waiting: [] }]);
    const subjects = (await server.ses.mailsTo(email)).map(({ subject }) => subject.split(' ')[0]);
    expect(subjects.toSorted()).toEqual(['Cancelación', 'Cancelación', 'Factura']);
    // Nothing is left to be sent of a cancelled invoice.
    expect(await resend()).toMatchObject({ code: 1 });
  });
});

describe('an action that comes between', () => {
  /** Handles what is open of an order, whose documents somebody else changes once after it was read. Returns what is marked. */
  async function handleWhile(open: Partial<TaxDocument>, change: (invoice: TaxDocument) => Partial<Order>) {
    const { id } = await placed();
    const { invoice: issued } = await server.stored(id);
    if (!issued) throw new Error('it has an invoice');
    const invoice = { ...issued, ...open };
    const { version } = await server.force(id, { invoice });
    const changes = [() => server.force(id, change(invoice))];
    const busy = disturbed('tryTransact', async () => changes.pop()?.());
    const act = { by: { operator: 'ana' }, now: NOON };
    const handled = await handleInvoice({ id, version }, act, busy).catch(({ code }) => code);
    const after = await server.stored(id);
    return [handled, ...[after.invoice, ...after.documents].map((document) => document?.handled)];
  }

  it.each<[string, Partial<TaxDocument>, (invoice: TaxDocument) => Partial<Order>, unknown[]]>([
    [
      'of the same document is not marked as handled',
      { issuedCents: 13_601 },
      (invoice) => ({ invoice: { ...invoice, mail: 'given_up' } }),
      [['total_differs'], ['total_differs']],
    ],
    [
      'is none that was seen, so that nothing is',
      { issuedCents: 13_601 },
      ({ issuedCents: _, ...invoice }) => ({ invoice: { ...invoice, mail: 'given_up' } }),
      ['order_changed_meanwhile', []],
    ],
  ])('%s', async (_, open, change, marked) => {
    expect(await handleWhile(open, change)).toEqual(marked);
  });
});
