import { describe, expect, it } from 'vitest';
import { refusal } from '../../support/engines/facturapi-server.ts';
import { listErrorPaths } from '../../support/http/http.ts';
import { INVOICING } from '../../support/orders/samples.ts';
import {
  EMPLOYEE,
  type InvoicingServer,
  newAddress,
  useInvoicingServer,
} from '../../support/servers/invoicing-server.ts';

// An invoice that is asked for after the order. `component/invoices` has what becomes of attempts, `proofs/refusals` who may ask,
// and `proofs/attacks/doctors` which records a doctor sees.

const server = useInvoicingServer();

const placed = async (asked: Parameters<InvoicingServer['place']>[0] = {}) => {
  const answer = await server.place({ email: newAddress(), ...asked });
  expect(answer.status).toBe(201);
  return answer.body;
};
const path = (id: number) => `/api/orders/${id}/request-invoice/`;
const byFields = (id: number, more: object = {}, as = EMPLOYEE) =>
  server.as(as, 'PATCH', path(id), { ...INVOICING, ...more });
const byRecord = (id: number, invoicing: unknown, as = EMPLOYEE) => server.as(as, 'PUT', path(id), { invoicing });
const see = async (id: number, as = EMPLOYEE) => (await server.as(as, 'GET', `/api/orders/${id}/`)).body;
const issuedInvoices = (id: number) =>
  server.facturapi.invoices.filter(({ external_id: reference }) => reference.startsWith(`order-${id}-`));
const formatStatus = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`;

describe('the fields of a receiver', () => {
  it('bring the invoice and its mail, and the order is answered with the ids of related records', async () => {
    const email = newAddress();
    const order = await placed({ order: { coupon: 'BIENVENIDA10' } });
    expect(order.patient.default_invoicing).toBeNull();
    const { status, body } = await byFields(order.id, { email });
    expect(status).toBe(200);
    const full = await see(order.id);
    expect(body).toEqual({
      ...full,
      ...{ patient: order.patient.id, shipping: order.shipping.id, invoicing: full.invoicing.id },
      ...{ store: null, payment: null, wallet_agreement: null, payment_method: 1, coupon: 1 },
      ...{ generated_by: order.generated_by.id, updated_by: order.generated_by.id },
      shipping_method: order.shipping_method.id,
    });
    // The total is 57.00 less 10 %, and 79.00 of shipping.
    expect(issuedInvoices(order.id)).toMatchObject([{ id: body.cfdi, total: 130.3, status: 'valid' }]);
    expect(full.invoicing).toMatchObject({ ...INVOICING, email, latitude: null });
    expect(full.patient.default_invoicing).toBe(body.invoicing);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it("are kept among the patient's, the first as their default, and can be named by their id", async () => {
    const email = newAddress();
    const known = await placed({ email, invoicing: { full_name: 'ANA PAZ' } });
    const next = await placed({ email });
    expect((await byFields(next.id)).body.invoicing).not.toBe(known.invoicing.id);
    const last = await placed({ email });
    const { status, body } = await byRecord(last.id, known.invoicing.id);
    expect([status, body.invoicing, body.patient.default_invoicing]).toEqual([
      200,
      known.invoicing,
      known.invoicing.id,
    ]);
    expect(server.facturapi.calls.at(-3)?.body.customer.legal_name).toBe('ANA PAZ');
  });

  it("are refused at their path, as is the id of another patient's or of nobody's", async () => {
    const order = await placed();
    const others = (await placed({ invoicing: {} })).invoicing.id as number;
    const refused: [invoicing: unknown, paths: readonly string[]][] = [
      [others, ['invoicing']],
      [99_999_999, ['invoicing']],
      [{ ...INVOICING, zipcode: '1', full_name: undefined }, ['invoicing.full_name', 'invoicing.zipcode']],
    ];
    for (const [invoicing, paths] of refused) {
      const { status, body } = await byRecord(order.id, invoicing);
      expect([status, listErrorPaths(body)]).toEqual([400, paths]);
    }
    expect(issuedInvoices(order.id)).toEqual([]);
  });
});

// `unit/invoices/tax-document` has every reason.
describe('an invoice is refused', () => {
  it.each([
    ['of a cancelled order', { orderStatus: 'cancelled' }, '409 order_cancelled'],
    ['of an order of four days ago', { createdAt: '2026-11-19T18:00:00.000Z' }, '409 invoice_window_closed'],
  ] as const)('%s', async (_, state, expected) => {
    const order = await placed();
    await server.force(order.id, state);
    expect(formatStatus(await byFields(order.id))).toBe(expected);
    expect(formatStatus(await byRecord(order.id, INVOICING))).toBe(expected);
    expect(issuedInvoices(order.id)).toEqual([]);
  });

  it('while one is in progress', async () => {
    const order = await placed();
    server.network.set(() => 'lost reply');
    expect(formatStatus(await byFields(order.id))).toBe('503 unavailable');
    server.network.set();
    expect(formatStatus(await byFields(order.id))).toBe('409 invoice_in_progress');
    await server.runAfter(2);
    expect(formatStatus(await byFields(order.id))).toBe('409 order_invoiced');
    expect(issuedInvoices(order.id)).toHaveLength(1);
  });
});

describe('a provider', () => {
  it('that is down causes a 503, and a repeated request is safe', async () => {
    const email = newAddress();
    const order = await placed();
    server.facturapi.script(() => refusal(429, 'rate_limit_exceeded'));
    const down = await byFields(order.id, { email });
    // The provider asks for a pause of 30 s.
    expect([formatStatus(down), down.headers['retry-after']]).toEqual(['503 unavailable', '30']);
    server.facturapi.script();
    const again = await byFields(order.id, { email });
    expect([again.status, again.body.cfdi]).toEqual([200, issuedInvoices(order.id)[0]?.id]);
    expect(issuedInvoices(order.id)).toHaveLength(1);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });

  it('that refuses the data causes a 400 on the fields, and other data can be sent', async () => {
    const order = await placed();
    const refused = [
      await byFields(order.id, { zipcode: '00000' }),
      await byRecord(order.id, { ...INVOICING, zipcode: '00000' }),
      await byRecord(order.id, (await see(order.id)).invoicing.id),
    ];
    const paths = [['zipcode'], ['invoicing.zipcode'], ['invoicing.zipcode']];
    expect(refused.map(({ status, body }) => [status, listErrorPaths(body)])).toEqual(paths.map((path) => [400, path]));
    // Whoever asked was told, and nobody else has to do anything.
    const { invoice } = await server.stored(order.id);
    expect([invoice?.status, invoice?.tasks]).toEqual(['refused', {}]);
    expect((await byFields(order.id)).status).toBe(200);
    expect(issuedInvoices(order.id)).toHaveLength(1);
  });

  it('that refuses data that the receiver did not send is an internal error, for an operator', async () => {
    const order = await placed();
    server.facturapi.script(() => refusal(400, 'product_key_not_found'));
    expect(formatStatus(await byFields(order.id))).toBe('500 internal_error');
    expect((await server.stored(order.id)).invoice).toMatchObject({ status: 'not_issued', reason: 'refused' });
    server.facturapi.script();
    expect((await byFields(order.id)).status).toBe(200);
  });
});

describe('among requests at the same time', () => {
  it('one issues the invoice, and all others are refused', async () => {
    const order = await placed();
    const ask = (index: number) => (index % 2 ? byFields(order.id) : byRecord(order.id, INVOICING));
    const answers = await Promise.all([1, 2, 3, 4, 5].map(ask));
    const codes = answers.map(formatStatus).sort();
    expect(codes[0]).toBe('200 ');
    for (const code of codes.slice(1)) expect(['409 invoice_in_progress', '409 order_invoiced']).toContain(code);
    expect(issuedInvoices(order.id)).toHaveLength(1);
  });
});
