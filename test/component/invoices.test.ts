import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrderInvoice } from '../../shared/domain/invoices/order-invoice.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { type FacturapiCall, type Fate, refusal } from '../support/engines/facturapi-server.ts';
import { operate } from '../support/operators/operator.ts';
import { INVOICING, orderBody } from '../support/orders/samples.ts';
import {
  ANSWERED_WITHIN_MS,
  EMPLOYEE,
  type InvoicingServer,
  openInvoicingServer,
  TOO_LATE_MS,
} from '../support/servers/invoicing-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');

let server: InvoicingServer;
beforeAll(async () => {
  setClock(NOON);
  server = await openInvoicingServer();
});
beforeEach(() => setClock(NOON));
afterEach(() => {
  server.facturapi.script();
  server.network.set();
  server.ses.mood = 'well';
});
afterAll(async () => {
  setClock();
  await server.close();
});

let addresses = 0;
/** Returns an address that no other test uses, so that its mails can be told apart. */
const newAddress = () => `invoice-${++addresses}-${Date.now()}@example.mx`;

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
const whenIssuing = (fate: Fate) => (call: FacturapiCall) =>
  call.method === 'POST' && call.path === '/invoices' ? fate : undefined;

describe('an order with invoicing', () => {
  it('is invoiced for its total, shows its invoice, and is mailed with both files', async () => {
    const email = newAddress();
    const order = await placed(email);
    const [invoice, ...more] = issuedInvoices(order.id);
    expect(more).toEqual([]);
    expect(order.cfdi).toBe(invoice?.id);
    expect(invoice?.total).toBe(136);
    expect(await see(order.id)).toEqual(order);
    const folio = `RX-${String(order.id).padStart(8, '0')}`;
    const mails = await server.ses.mailsTo(email);
    expect(mails).toMatchObject([
      {
        subject: expect.stringContaining(folio),
        attachments: [{ filename: `${folio}.pdf` }, { filename: `${folio}.xml` }],
      },
    ]);
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'issued',
      paymentMethod: 'PUE',
      mail: { status: 'sent', tries: 1 },
      dueAt: null,
    });
  });

  it('is mailed to the patient when the receiver has no address of their own', async () => {
    const email = newAddress();
    const answer = await server.place({ email, invoicing: { email: undefined } });
    expect(answer.body.cfdi).toMatch(/^[0-9a-f]{24}$/);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('on credit is invoiced as paid later', async () => {
    const order = await placed(newAddress(), { order: { payment_method: 2 } });
    const call = server.facturapi.calls.find(
      ({ body }) => body?.external_id === issuedInvoices(order.id)[0]?.external_id,
    );
    expect(call?.body).toMatchObject({ payment_method: 'PPD', payment_form: '99' });
    expect(await storedInvoice(order.id)).toMatchObject({ paymentMethod: 'PPD' });
  });

  it('that costs nothing is not invoiced', async () => {
    const email = newAddress();
    // The order is 28.50 at the store, with a coupon of 50.00.
    const free = { details: [{ product: 1, quantity: 1 }], shipping: undefined, store: 1, coupon: 'MENOS50' };
    const order = await placed(email, { order: free });
    expect([order.total, order.cfdi, await storedInvoice(order.id)]).toEqual(['0.00', '', null]);
    expect(await server.ses.mailsTo(email)).toEqual([]);
  });

  it.each([
    ['a generic RFC', { rfc: 'XAXX010101000' }, ['rfc']],
    ['an RFC with an impossible date', { rfc: 'PALA800230AB1' }, ['rfc']],
    ['a regime that is not for people', { fiscal_regime: '601' }, ['fiscal_regime', 'cfdi_use']],
    ['a use that does not go with the regime', { fiscal_regime: '605', cfdi_use: 'G03' }, ['cfdi_use']],
    ['every field wrong', { rfc: 'x', fiscal_regime: '999', cfdi_use: 'X99' }, ['rfc', 'fiscal_regime', 'cfdi_use']],
  ])('for a receiver with %s is refused, as later on', async (_, invoicing, fields) => {
    const { status, body } = await server.place({ invoicing });
    expect([status, Object.keys(body)]).toEqual([400, ['invoicing']]);
    const order = await server.place();
    const asked = { ...INVOICING, ...invoicing };
    const path = `/api/orders/${order.body.id}/request-invoice/`;
    expect(await server.as(EMPLOYEE, 'PATCH', path, asked)).toMatchObject({ status: 400, body: body.invoicing });
    expect(await server.as(EMPLOYEE, 'PUT', path, { invoicing: asked })).toMatchObject({ status: 400, body });
    expect(Object.keys(body.invoicing).filter((field) => fields.includes(field))).toEqual(Object.keys(body.invoicing));
    expect(body.invoicing[fields[0] ?? '']).toEqual([expect.any(String)]);
  });

  it('that was placed before under the same key is not invoiced again', async () => {
    const email = newAddress();
    const token = await server.login(EMPLOYEE);
    const body = orderBody('ana@example.mx', {}, { invoicing: { ...INVOICING, email } });
    const send = () =>
      server.request('POST', '/api/orders/resources/', { token, body, headers: { 'Idempotency-Key': `key-${email}` } });
    server.facturapi.script(whenIssuing(refusal(429, 'rate_limit_exceeded')));
    const first = await send();
    server.facturapi.script();
    const second = await send();
    expect([first.body.cfdi, second.body.cfdi, second.headers['idempotent-replayed']]).toEqual(['', '', 'true']);
    expect(second.body).toEqual(first.body);
    expect(issuedInvoices(first.body.id)).toEqual([]);
    expect(await server.ses.mailsTo(email)).toEqual([]);
  });
});

describe('an order is placed without an invoice and a mail when the provider', () => {
  it.each<[string, Fate, string | null]>([
    ['has too much to do', refusal(429, 'rate_limit_exceeded'), 'unavailable'],
    ['cannot stamp', refusal(500, 'invoice_stamping_service_unavailable'), 'unavailable'],
    ['refuses the account', refusal(401, 'api_key_invalid'), 'unavailable'],
    ['refuses the data', refusal(400, 'legal_name_mismatch'), 'refused'],
    ['refuses data that no receiver can correct', refusal(400, 'product_key_not_found'), 'refused'],
  ])('%s, and the attempt is over', async (_, fate, reason) => {
    const email = newAddress();
    server.facturapi.script(whenIssuing(fate));
    const order = await placed(email);
    expect([order.cfdi, order.order_status]).toEqual(['', 'approved']);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued', reason, dueAt: null });
    await server.settleAfter(20);
    expect([issuedInvoices(order.id), await server.ses.mailsTo(email)]).toEqual([[], []]);
  });

  it("refuses a zip code that is not the receiver's", async () => {
    const order = await placed(newAddress(), { invoicing: { zipcode: '00000' } });
    expect([order.cfdi, order.invoicing.zipcode]).toEqual(['', '00000']);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued', reason: 'refused' });
  });

  it.each<[string, Fate]>([
    ['breaks', refusal(500, 'internal_error')],
    ['hangs up', 'drop'],
    ['does not answer', 'hang'],
  ])('%s, and the attempt is over when it is not found after 15 minutes', async (_, fate) => {
    const email = newAddress();
    server.facturapi.script(({ method }) => (method === 'POST' || fate !== 'hang' ? fate : undefined));
    const started = performance.now();
    const order = await placed(email);
    expect(performance.now() - started).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(order.cfdi).toBe('');
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'requested', dueAt: '2026-11-23T18:01:00.000Z' });
    const refused = await change(order.id, { details: [{ product: 1, quantity: 1 }] });
    expect([refused.status, refused.body.code]).toEqual([409, 'invoice_in_progress']);
    server.facturapi.script();
    await server.settleAfter(14);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'requested' });
    await server.settleAfter(3);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued', reason: 'not_found', dueAt: null });
    expect([issuedInvoices(order.id), await server.ses.mailsTo(email)]).toEqual([[], []]);
    expect((await change(order.id, { details: [{ product: 1, quantity: 1 }] })).status).toBe(200);
  });
});

describe('an invoice of unknown outcome', () => {
  const settled = async (id: number, email: string) => {
    const [invoice, ...more] = issuedInvoices(id);
    expect(more).toEqual([]);
    expect((await see(id)).cfdi).toBe(invoice?.id);
    expect(await storedInvoice(id)).toMatchObject({ status: 'issued', mail: { status: 'sent' }, dueAt: null });
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  };

  it('is found, recorded and mailed once when the reply was lost', async () => {
    const email = newAddress();
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const order = await placed(email);
    expect([order.cfdi, issuedInvoices(order.id).length]).toEqual(['', 1]);
    server.network.set();
    await Promise.all([server.settleAfter(2), server.settleAfter(0)]);
    await settled(order.id, email);
    await server.settleAfter(60);
    await settled(order.id, email);
  });

  it('is found, recorded and mailed once when the reply came after our deadline', async () => {
    const email = newAddress();
    server.network.set(({ nth }) => (nth === 1 ? { delayMs: TOO_LATE_MS } : undefined));
    const started = performance.now();
    const order = await placed(email);
    expect(performance.now() - started).toBeLessThan(ANSWERED_WITHIN_MS);
    expect([order.cfdi, issuedInvoices(order.id).length]).toEqual(['', 0]);
    await expect.poll(() => issuedInvoices(order.id).length, { timeout: 5_000 }).toBe(1);
    await server.settleAfter(2);
    await settled(order.id, email);
  });

  it('is recorded and mailed as soon as the provider has finished it', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing('stamp later'));
    const order = await placed(email);
    expect(order.cfdi).toBe('');
    await server.settleAfter(30);
    expect(await storedInvoice(order.id)).toMatchObject({
      status: 'requested',
      checks: 1,
      dueAt: '2026-11-23T18:32:00.000Z',
    });
    Object.assign(issuedInvoices(order.id)[0] ?? {}, { status: 'valid' });
    await server.settleAfter(2);
    await settled(order.id, email);
  });

  it('is closed when it failed, and can be requested anew', async () => {
    const email = newAddress();
    server.facturapi.script(whenIssuing('stamp later'));
    const order = await placed(email);
    server.facturapi.script();
    const before = await storedInvoice(order.id);
    Object.assign(issuedInvoices(order.id)[0] ?? {}, { status: 'failed' });
    await server.settleAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued', reason: 'failed_with_provider' });
    const again = await server.as(EMPLOYEE, 'PUT', `/api/orders/${order.id}/request-invoice/`, {
      invoicing: order.invoicing.id,
    });
    expect([again.status, again.body.cfdi]).toEqual([200, issuedInvoices(order.id)[1]?.id]);
    expect((await storedInvoice(order.id))?.key).not.toBe(before?.key);
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
    await expect(server.settleAfter(2)).rejects.toThrow('1 invoices could not be settled');
    await settled(other.id, otherMail);
    expect(await storedInvoice(poison.id)).toMatchObject({ status: 'requested', dueAt: '2026-11-23T18:04:00.000Z' });
    server.facturapi.script();
    await server.settleAfter(2);
    await settled(poison.id, poisonMail);
  });

  it('does not overwrite a change that an operator made meanwhile', async () => {
    const email = newAddress();
    server.network.set(({ nth }) => (nth === 1 ? { delayMs: 500 } : undefined));
    const placing = placed(email);
    await expect.poll(() => server.network.calls()[''] ?? 0).toBe(1);
    const { out } = await operate(
      'pipe',
      'orders',
      'list',
      '--client',
      String(server.client.id),
      '--limit',
      '1',
      '--json',
    );
    const [{ id }] = JSON.parse(out).orders;
    expect(await operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', '--form', '03')).toMatchObject({
      code: 0,
    });
    const order = await placing;
    expect(order).toMatchObject({ id, payment_status: 'paid', cfdi: issuedInvoices(id)[0]?.id });
    expect(await server.stored(id)).toMatchObject({ paymentStatus: 'paid', invoice: { status: 'issued' } });
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });
});

describe('the mail', () => {
  it('of many orders is sent once each after SES was down', { timeout: 120_000 }, async () => {
    server.ses.mood = 'down';
    const emails = Array.from({ length: 60 }, newAddress);
    const ids: number[] = [];
    const waiting = emails.values();
    const place = async () => {
      for (const email of waiting) ids.push((await placed(email)).id);
    };
    await Promise.all(Array.from({ length: 8 }, place));
    for (const id of ids) expect((await server.stored(id)).cfdi).toMatch(/^[0-9a-f]{24}$/);
    await server.sendMailAfter(2);
    server.ses.mood = 'well';
    await server.sendMailAfter(2);
    await server.sendMailAfter(3);
    await server.sendMailAfter(60);
    const addresses = (await server.ses.mails()).flatMap(({ destination }) => destination.to);
    expect(addresses.filter((address) => emails.includes(address)).sort()).toEqual(emails.toSorted());
    expect(await storedInvoice(ids[0] ?? 0)).toMatchObject({ mail: { status: 'sent', tries: 3 }, dueAt: null });
  });

  it('that SES may have accepted is never sent again automatically, and is logged as an error', async () => {
    const email = newAddress();
    server.ses.mood = 'lost reply';
    const order = await placed(email);
    server.ses.mood = 'well';
    expect(order.cfdi).toMatch(/^[0-9a-f]{24}$/);
    expect(await storedInvoice(order.id)).toMatchObject({ mail: { status: 'unconfirmed', tries: 1 }, dueAt: null });
    await server.sendMailAfter(60 * 24);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('claimed by a process that ended is not sent again automatically, and is logged as an error', async () => {
    const email = newAddress();
    const order = await placed(email);
    const sending = {
      ...((await storedInvoice(order.id)) as OrderInvoice),
      mail: { status: 'sending', tries: 1 } as const,
    };
    await server.force(order.id, { invoice: { ...sending, dueAt: '2026-11-23T18:10:00.000Z' } });
    await server.sendMailAfter(9);
    expect(await storedInvoice(order.id)).toMatchObject({ mail: { status: 'sending' } });
    await expect(server.sendMailAfter(1)).rejects.toThrow('1 mails need a person');
    expect(await storedInvoice(order.id)).toMatchObject({ mail: { status: 'unconfirmed' }, dueAt: null });
    await server.sendMailAfter(60);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('is given up after ten tries, and logged as an error', async () => {
    const email = newAddress();
    server.ses.mood = 'down';
    const order = await placed(email);
    const pauses = [1, 5, 15, 60, 180, 360, 720, 1_440];
    for (const [index, minutes] of pauses.entries()) {
      await server.sendMailAfter(minutes);
      expect((await storedInvoice(order.id))?.mail).toEqual({ status: 'due', tries: index + 2 });
    }
    await expect(server.sendMailAfter(1_440)).rejects.toThrow('1 mails need a person');
    expect(await storedInvoice(order.id)).toMatchObject({ mail: { status: 'given_up', tries: 10 }, dueAt: null });
    server.ses.mood = 'well';
    await server.sendMailAfter(10_000);
    expect(await server.ses.mailsTo(email)).toEqual([]);
  });

  it('waits for its files while the provider cannot deliver them', async () => {
    const email = newAddress();
    server.facturapi.script(({ path }) => (path.endsWith('/pdf') ? refusal(500, 'internal_error') : undefined));
    const order = await placed(email);
    expect(await storedInvoice(order.id)).toMatchObject({ mail: { status: 'due', tries: 1 } });
    server.facturapi.script();
    await server.sendMailAfter(1);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('does not delay the answer for long when its files hang', async () => {
    server.facturapi.script(({ path }) => (path.endsWith('/pdf') ? 'hang' : undefined));
    const started = performance.now();
    const order = await placed(newAddress());
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(order.cfdi).toMatch(/^[0-9a-f]{24}$/);
    await expect.poll(async () => (await storedInvoice(order.id))?.mail?.status).toBe('due');
    server.facturapi.script();
    await server.sendMailAfter(2);
  });
});

describe('cancelling an order', () => {
  it('has its invoice cancelled with the provider', async () => {
    const order = await placed(newAddress());
    const { status, body } = await cancel(order.id);
    expect([status, body.order_status, body.cfdi]).toEqual([200, 'cancelled', order.cfdi]);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelling' });
    await server.settleAfter(0);
    expect(issuedInvoices(order.id)).toMatchObject([{ status: 'canceled' }]);
    expect(server.facturapi.calls.find(({ method }) => method === 'DELETE')?.query.get('motive')).toBe('03');
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelled', dueAt: null });
    expect((await see(order.id)).cfdi).toBe(order.cfdi);
  });

  it('as an operator does the same', async () => {
    const order = await placed(newAddress());
    expect(await operate('pipe', 'orders', 'move', String(order.id), '--to', 'cancelled')).toMatchObject({ code: 0 });
    await server.settleAfter(0);
    expect(issuedInvoices(order.id)).toMatchObject([{ status: 'canceled' }]);
  });

  it('is repeated with the provider after it was down', async () => {
    const order = await placed(newAddress());
    await cancel(order.id);
    server.network.set(() => 'failure');
    await expect(server.settleAfter(0)).rejects.toThrow('1 invoices could not be settled');
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelling', dueAt: '2026-11-23T18:02:00.000Z' });
    server.network.set();
    await server.settleAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    ['accepted', { status: 'canceled', cancellation_status: 'accepted' }, 'cancelled'],
    ['rejected', { cancellation_status: 'rejected' }, 'cancellation_rejected'],
  ] as const)('asks for a cancellation that waits for its receiver until it is %s', async (_, news, status) => {
    const order = await placed(newAddress());
    const [invoice] = issuedInvoices(order.id);
    await cancel(order.id);
    server.facturapi.script(({ method }) => {
      if (method !== 'DELETE' || !invoice) return undefined;
      return { status: 200, body: Object.assign(invoice, { cancellation_status: 'pending' }) };
    });
    await server.settleAfter(0);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancellation_pending' });
    server.facturapi.script();
    await server.settleAfter(1);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancellation_pending', checks: 1 });
    Object.assign(invoice ?? {}, news);
    await server.settleAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status, dueAt: null });
    expect(server.facturapi.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect((await see(order.id)).order_status).toBe('cancelled');
  });

  it('cancels an invoice in progress as soon as it is found, and mails nothing', async () => {
    const email = newAddress();
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const order = await placed(email);
    server.network.set();
    expect((await cancel(order.id)).status).toBe(200);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'requested' });
    await server.settleAfter(2);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelling' });
    await server.settleAfter(0);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelled', dueAt: null });
    expect(issuedInvoices(order.id)).toMatchObject([{ status: 'canceled' }]);
    expect(await server.ses.mailsTo(email)).toEqual([]);
  });

  it('cancels nothing when its invoice was never issued', async () => {
    server.facturapi.script(whenIssuing(refusal(429, 'rate_limit_exceeded')));
    const order = await placed(newAddress());
    server.facturapi.script();
    expect((await cancel(order.id)).status).toBe(200);
    await server.settleAfter(60);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'not_issued' });
    expect(server.facturapi.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('drops a mail that SES has not accepted yet', async () => {
    const email = newAddress();
    server.ses.mood = 'down';
    const order = await placed(email);
    server.ses.mood = 'well';
    await cancel(order.id);
    await server.sendMailAfter(60);
    await server.settleAfter(0);
    expect(await server.ses.mailsTo(email)).toEqual([]);
    expect(await storedInvoice(order.id)).toMatchObject({ status: 'cancelled', dueAt: null });
  });

  it('does not allow a change of an invoiced order', async () => {
    const order = await placed(newAddress());
    const { status, body } = await change(order.id, { details: [{ product: 1, quantity: 1 }] });
    expect([status, body.code]).toEqual([409, 'order_invoiced']);
  });
});
