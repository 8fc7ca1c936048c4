import { describe, expect, it } from 'vitest';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type FacturapiCall, type Outcome, refusal } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import {
  EMPLOYEE,
  MAIL_MS,
  newAddress,
  PROVIDER_MS,
  useInvoicingServer,
} from '../../support/servers/invoicing-server.ts';

const server = useInvoicingServer();

/** Orders two boxes of product 1 with an invoice, for 136.00 with shipping. */
async function placed(email: string, more: { order?: object; invoicing?: object } = {}) {
  const answer = await server.place({ order: more.order ?? {}, invoicing: { email, ...more.invoicing } });
  expect(answer.status).toBe(201);
  return answer.body;
}

const orderPath = (id: number) => `/api/orders/${id}/`;
const see = async (id: number) => (await server.as(EMPLOYEE, 'GET', orderPath(id))).body;
const change = (id: number, body: object) => server.as(EMPLOYEE, 'PATCH', orderPath(id), body);
const cancel = (id: number) => change(id, { order_status: 'cancelled' });
const storedInvoice = async (id: number) => (await server.stored(id)).invoice;
const issuedInvoices = (id: number) =>
  server.facturapi.invoices.filter(({ external_id: reference }) => reference.startsWith(`order-${id}-`));
const whenIssuing = (outcome: Outcome) => (call: FacturapiCall) =>
  call.method === 'POST' && call.path === '/invoices' ? outcome : undefined;

describe('an order with invoicing', () => {
  it('is invoiced for its total, shows its invoice, and is mailed with both files', async () => {
    const email = newAddress();
    const order = await placed(email);
    const [invoice, ...more] = issuedInvoices(order.id);
    expect(more).toEqual([]);
    expect(order.cfdi).toBe(invoice?.id);
    expect(invoice?.total).toBe(136);
    expect(await see(order.id)).toEqual(order);
    const [mail, ...others] = await server.ses.mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.subject).toContain(`RX-${String(order.id).padStart(8, '0')}`);
    expect(mail?.attachments.map(({ filename }) => filename.replace(/\d+/, 'N'))).toEqual([
      'factura-F-N.pdf',
      'factura-F-N.xml',
    ]);
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'issued',
      paymentMethod: 'PUE',
      mail: 'sent',
      tasks: { mail: { tries: 1, dueAt: null } },
    });
  });

  it('is mailed to the patient when the receiver has no address of their own', async () => {
    const email = newAddress();
    const answer = await server.place({ email, invoicing: { email: '' } });
    expect(answer.body.cfdi).toMatch(/^[0-9a-f]{24}$/);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });
});

describe('an order is placed without an invoice and a mail when the provider', () => {
  it('refuses the data, which is left to an operator', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing(refusal(400, 'legal_name_mismatch')));
    const order = await placed(email);
    expect([order.cfdi, order.order_status]).toEqual(['', 'approved']);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued', reason: 'refused', tasks: {} });
    await server.runAfter(20);
    expect([issuedInvoices(order.id), await server.ses.mailsTo(email)]).toEqual([[], []]);
  });

  it('is not available, and is issued, under another key, and mailed once by a job', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing(refusal(401, 'api_key_invalid')));
    const order = await placed(email);
    expect([order.cfdi, order.order_status]).toEqual(['', 'approved']);
    const first = await storedInvoice(order.id);
    expect(first).toMatchObject({
      status: 'retrying',
      reason: 'unavailable',
      tasks: { issue: { dueAt: '2026-11-23T18:02:00.000Z' } },
    });
    await server.runAfter(1);
    expect((await storedInvoice(order.id))?.key).toBe(first?.key);
    await server.runAfter(1);
    const second = await storedInvoice(order.id);
    expect(second).toMatchObject({
      status: 'retrying',
      retries: 1,
      tasks: { issue: { dueAt: '2026-11-23T18:06:00.000Z' } },
    });
    expect(second?.key).not.toBe(first?.key);
    server.facturapi.script();
    await server.runAfter(4);
    await server.runAfter(60);
    expect((await see(order.id)).cfdi).toBe(issuedInvoices(order.id)[0]?.id);
    expect([issuedInvoices(order.id).length, (await server.ses.mailsTo(email)).length]).toEqual([1, 1]);
    // However often a job tries, the history tells it once.
    const history = await getStoredEvents(order.id);
    expect(history.map(({ what }) => what)).toEqual([
      'created',
      'invoice_requested',
      'invoice_retrying',
      'invoice_issued',
      'invoice_mailed',
    ]);
  });

  it('does not answer, and is issued by a job when it is not found after 15 minutes', async () => {
    const email = newAddress();
    server.facturapi.script(({ method }) => {
      if (method !== 'POST') return undefined;
      server.limits.end(PROVIDER_MS);
      return 'hang';
    });
    const order = await placed(email);
    expect(order.cfdi).toBe('');
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'requested',
      tasks: { issue: { dueAt: '2026-11-23T18:01:00.000Z' } },
    });
    const refused = await change(order.id, { details: [{ product: 1, quantity: 1 }] });
    expect([refused.status, refused.body.code]).toEqual([409, 'invoice_in_progress']);
    server.facturapi.script();
    await server.runAfter(14);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'requested' });
    await server.runAfter(3);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'retrying', reason: 'not_found' });
    expect([issuedInvoices(order.id), await server.ses.mailsTo(email)]).toEqual([[], []]);
    // Another product is 28.50 less, and the invoice is that of the order as it is then.
    expect((await change(order.id, { details: [{ product: 1, quantity: 1 }] })).status).toBe(200);
    await server.runAfter(2);
    expect(issuedInvoices(order.id)).toMatchObject([{ total: 107.5 }]);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });
});

it('an attempt of a job waits while the payment is rejected, and is made when it is paid again', async () => {
  server.facturapi.script(whenIssuing(refusal(500, 'invoice_stamping_failed')));
  const { id } = await placed(newAddress());
  server.facturapi.script();
  await server.force(id, { paymentStatus: 'rejected' });
  await server.runAfter(2);
  expect(await storedInvoice(id)).toMatchObject({ status: 'retrying', reason: 'payment_rejected' });
  await server.force(id, { paymentStatus: 'paid', paymentForm: '28' });
  await server.runAfter(60);
  expect(await storedInvoice(id)).toMatchObject({ status: 'issued', paymentMethod: 'PUE', paymentForm: '28' });
});

describe('an invoice of unknown outcome', () => {
  const settled = async (id: number, email: string) => {
    const [invoice, ...more] = issuedInvoices(id);
    expect(more).toEqual([]);
    expect((await see(id)).cfdi).toBe(invoice?.id);
    expect(await storedInvoice(id)).toMatchObject({ status: 'issued', mail: 'sent', tasks: { mail: { dueAt: null } } });
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  };

  it('is recorded and mailed as soon as the provider has finished it', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing('stamp later'));
    const order = await placed(email);
    expect(order.cfdi).toBe('');
    await server.runAfter(30);
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'requested',
      tasks: { issue: { tries: 1, dueAt: '2026-11-23T18:32:00.000Z' } },
    });
    Object.assign(issuedInvoices(order.id)[0] ?? {}, { status: 'valid' });
    await server.runAfter(2);
    await settled(order.id, email);
  });

  it('can be requested anew when it failed, before a job does so', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing('stamp later'));
    const order = await placed(email);
    server.facturapi.script();
    const before = await storedInvoice(order.id);
    Object.assign(issuedInvoices(order.id)[0] ?? {}, { status: 'failed' });
    await server.runAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'retrying', reason: 'failed_with_provider' });
    const again = await server.as(EMPLOYEE, 'PUT', `/api/orders/${order.id}/request-invoice/`, {
      invoicing: order.invoicing.id,
    });
    expect([again.status, again.body.cfdi]).toEqual([200, issuedInvoices(order.id)[1]?.id]);
    expect((await storedInvoice(order.id))?.key).not.toBe(before?.key);
    await server.runAfter(60);
    expect(issuedInvoices(order.id)).toHaveLength(2);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('waits while the provider is down, without delaying other invoices', async () => {
    const [poisonMail, otherMail] = [newAddress(), newAddress()];
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const poison = await placed(poisonMail);
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const other = await placed(otherMail);
    server.network.set();
    const key = (await storedInvoice(poison.id))?.key;
    server.facturapi.script(({ query }) =>
      query.get('external_id') === key ? refusal(500, 'internal_error') : undefined,
    );
    await expect(server.runAfter(2)).rejects.toThrow('1 tasks on tax documents failed');
    await settled(other.id, otherMail);
    expect(await storedInvoice(poison.id)).toMatchObject({
      status: 'requested',
      tasks: { issue: { dueAt: '2026-11-23T18:04:00.000Z' } },
    });
    server.facturapi.script();
    await server.runAfter(2);
    await settled(poison.id, poisonMail);
  });
});

describe('the mail', () => {
  it('claimed by a process that ended is not sent again automatically, and is logged as an error', async () => {
    const email = newAddress();
    const order = await placed(email);
    const sending = {
      ...((await storedInvoice(order.id)) as TaxDocument),
      mail: 'sending' as const,
      tasks: { mail: { tries: 1, dueAt: '2026-11-23T18:10:00.000Z' } },
    };
    await server.force(order.id, { invoice: sending });
    await server.runAfter(9);
    expect(await storedInvoice(order.id)).toMatchObject({ mail: 'sending' });
    await expect(server.runAfter(1)).rejects.toThrow('1 mails need a person');
    expect(await storedInvoice(order.id)).toMatchObject({ mail: 'unconfirmed', tasks: { mail: { dueAt: null } } });
    await server.runAfter(60);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('delays the answer by no more than 2 s when its files hang', async () => {
    server.facturapi.script(({ path }) => {
      if (!path.endsWith('/pdf')) return undefined;
      server.limits.end(MAIL_MS);
      return 'hang';
    });
    const order = await placed(newAddress());
    expect(order.cfdi).toMatch(/^[0-9a-f]{24}$/);
    await expect.poll(async () => (await storedInvoice(order.id))?.mail).toBe('due');
    server.facturapi.script();
    await server.runAfter(2);
  });
});

describe('cancelling an order', () => {
  it('asks for a cancellation that waits for its receiver until it is accepted', async () => {
    const order = await placed(newAddress());
    const [invoice] = issuedInvoices(order.id);
    await cancel(order.id);
    server.facturapi.script(({ method }) => {
      if (method !== 'DELETE' || !invoice) return undefined;
      return { status: 200, body: Object.assign(invoice, { cancellation_status: 'pending' }) };
    });
    await server.runAfter(0);
    expect(server.facturapi.calls.find(({ method }) => method === 'DELETE')?.query.get('motive')).toBe('03');
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancellation_pending' });
    server.facturapi.script();
    await server.runAfter(1);
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'cancellation_pending',
      tasks: { cancel: { tries: 1 } },
    });
    Object.assign(invoice ?? {}, { status: 'canceled', cancellation_status: 'accepted' });
    await server.runAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelled' });
    expect(server.facturapi.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(await see(order.id)).toMatchObject({ order_status: 'cancelled', cfdi: order.cfdi });
  });
});

// Half past midnight of the first in Mexico City, which is still the month before in Tijuana.
const TIJUANA = { zipcode: '22000', is_sat_branch: true };
it.each([
  ['is of the issuer, in Mexico City', {}, '2026-12-01T00:32:00', '2027-01-01T06:00:00.000Z', '2026-12-01'],
  ['is of its branch, in Tijuana', TIJUANA, '2026-11-30T22:32:00', '2026-12-01T08:00:00.000Z', '2026-11-30'],
])('a stamp without an offset %s', async (_, branch, local, payBy, day) => {
  setClock(new Date('2026-12-01T06:30:00.000Z'));
  server.facturapi.script(whenIssuing(refusal(500, 'invoice_stamping_failed')));
  const { id } = await placed(newAddress(), { order: { shipping: undefined, store: 3 } });
  server.facturapi.script();
  const { store } = await server.stored(id);
  if (!store) throw new Error('an order of a store has it');
  await server.force(id, { store: { ...store, is_sat_branch: false, ...branch } });
  server.facturapi.stampDate = local;
  await server.runAfter(2);
  expect(await storedInvoice(id)).toMatchObject({ stamp: { at: '2026-12-01T06:32:00.000Z' }, payBy });
  for (const month of ['2026-11', '2026-12']) {
    const { out } = await operate('pipe', 'accounting', 'export', '--month', month, '--json');
    const rows = JSON.parse(out).rows.filter(({ order }: { order: number }) => order === id);
    expect(rows).toMatchObject(day.startsWith(month) ? [{ stamped_on: day }] : []);
    expect(rows).toHaveLength(day.startsWith(month) ? 1 : 0);
  }
});
