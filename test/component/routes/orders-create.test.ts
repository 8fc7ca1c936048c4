import { afterEach, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { table } from '../../../shared/deps.ts';
import { patientWrites } from '../../../shared/people/patients.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { listErrorPaths } from '../../support/http/http.ts';
import { ADDRESS, INVOICING, orderBody, PDF, PNG } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// An order is made of its body and its people, by rules across its fields. `proofs/order-model` has the amounts and
// statuses of random orders, `contract/bad-values` the shape of a body, and `proofs/attacks` what strangers learn by an order.

const PATH = '/api/orders/resources/';
const server = useServer();
const tokens = useDemoTokens(server);
afterEach(() => setClock());

const place = (body: object, token = tokens.employee) => server.request('POST', PATH, { token, body });
const placeFor = (user: object, token = tokens.employee) => place({ ...orderBody('x'), user }, token);
const see = async (id: number) =>
  (await server.request('GET', `/api/orders/${id}/`, { token: tokens.employee })).body as Order;
const lines = (...pairs: [product: number, quantity: number][]) => ({
  details: pairs.map(([product, quantity]) => ({ product, quantity })),
});

describe('an order', () => {
  it('is answered in full, as it is read later', async () => {
    // On a Saturday, counting starts on Monday the 23rd; method 1 takes 3 to 5 working days.
    setClock(new Date('2026-11-21T18:00:00.000Z'));
    const token = await server.login('aseguradora@demo.example');
    const terms = { coupon: ' bienvenida10 ', comments: 'Dejar con el portero' };
    const { status, body } = await place(orderBody('luz.mora@example.mx', terms, { invoicing: INVOICING }), token);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...{ order_status: 'approved', payment_status: 'unpaid', insurance_refund_status: 'not_started', origin: 'demo' },
      ...{ subtotal: '57.00', discount: '5.70', iva: '0.00', shipping_price: '79.00', shipping_discount: '0.00' },
      ...{ shipping_cost: '63.00', total: '130.30', payment_date: null, prescriptions: [], payment_references: [] },
      ...{ expected_delivery_date: '2026-11-26T23:00:00.000Z', max_delivery_date: '2026-11-30T23:00:00.000Z' },
      ...{ created_at: '2026-11-21T18:00:00.000Z', updated_at: '2026-11-21T18:00:00.000Z' },
      folio: `RX-${String(body.id).padStart(8, '0')}`,
      coupon: { code: 'BIENVENIDA10', value: '0.10', has_free_shipping: false },
      payment_method: { id: 1, name: 'Tarjeta', fee: '0.029', fixed_fee: '2.50' },
      shipping_method: { id: 1, method: 'default', min_delivery_days: 3, max_delivery_days: 5 },
      details: [{ order: body.id, price: '28.50', discount: '5.70', total: '51.30', product: { id: 1 } }],
      shipping: { ...ADDRESS, name: '', latitude: '19.417901', longitude: '-99.168200' },
      invoicing: { ...INVOICING, email: 'facturas@demo.example', latitude: null },
      cfdi: expect.stringMatching(/^[0-9a-f]{24}$/),
      patient: {
        ...{ default_shipping: body.shipping.id, default_invoicing: body.invoicing.id, referred_by: null },
        insurance_carriers: [{ name: 'Seguros Demo', patients: [body.patient.id] }],
        user: { email: 'luz.mora@example.mx', patient: String(body.patient.id), doctor: null, groups: [] },
      },
      generated_by: { email: 'aseguradora@demo.example' },
    });
    expect(body).not.toHaveProperty('comments');
    expect(body.updated_by).toEqual(body.generated_by);
    expect(await see(body.id)).toEqual(body);
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['without a coupon that is not valid', { coupon: 'VERANO2025' }, { coupon: null, discount: '0.00' }],
    [
      'picked up at a store without a price',
      { shipping: undefined, store: 2 },
      { shipping: null, store: { id: 2 }, shipping_method: { id: 6 }, shipping_price: '0.00', shipping_cost: null },
    ],
    ['that waits for approval', lines([4, 0], [4, 1]), { order_status: 'pending_approval' }],
    ['that costs nothing', { coupon: 'CORTESIA100' }, { total: '0.00', payment_status: 'paid' }],
  ])('is placed %s', async (_, terms, expected) => {
    const { status, body } = await place(orderBody('filas@example.mx', terms));
    expect([status, body]).toMatchObject([201, expected]);
    expect(body.payment_date).toBe(body.payment_status === 'paid' ? body.created_at : null);
  });

  it('without a destination goes to the default address of the patient, which has to be in Mexico', async () => {
    const email = 'default@example.mx';
    const first = (await place(orderBody(email))).body;
    await place(orderBody(email, { shipping: { ...ADDRESS, street: 'Otra calle' } }));
    const { status, body } = await place(orderBody(email, { shipping: undefined }));
    expect([status, body.shipping, body.patient.default_shipping]).toEqual([201, first.shipping, first.shipping.id]);

    const user = await userByEmail(table(), server.client.id, email);
    if (!user?.defaultShipping) throw new Error('no address');
    const defaultShipping = { ...user.defaultShipping, country: 'Guatemala' };
    await table().transact(patientWrites(user, { ...user, defaultShipping }, new Date().toISOString()));
    const abroad = await place(orderBody(email, { shipping: undefined }));
    expect([abroad.status, listErrorPaths(abroad.body)]).toEqual([400, ['order.shipping']]);
  });

  it('has its prescriptions, each under its name', async () => {
    setClock(new Date('2026-11-21T18:00:00.000Z'));
    const token = await server.login('aseguradora@demo.example');
    const sent = [
      { document: PDF, issue_date: '2026-11-21', expiring_date: '2026-11-21' },
      { document: `data:image/png;base64,${PNG}`, issue_date: '2026-11-20', document_name: 'receta de José.png' },
    ];
    const { status, body } = await place(orderBody('rx@example.mx', { ...lines([4, 1]), prescriptions: sent }), token);
    expect(status).toBe(201);
    const ids = { patient: body.patient.id, order: body.id, is_verified: false };
    expect(body.prescriptions).toMatchObject([
      { ...ids, issue_date: '2026-11-21', expiring_date: '2026-11-21', document_name: 'receta-1.pdf' },
      { ...ids, expiring_date: null, document_name: 'receta de José.png' },
    ]);
    const link = new URL(body.prescriptions[1].document);
    expect(link.searchParams.get('X-Amz-Expires')).toBe('300');
    expect(link.href).not.toMatch(/jos|receta|rx@|png/i);
  });
});

describe('an order is refused', () => {
  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ['for a product that does not exist', lines([1, 1], [99999, 1]), ['details.1.product']],
    ['for lines of zeros alone', lines([1, 0]), ['details']],
    ['for products out of stock, even 0 of them', lines([16, 1], [97, 0]), ['details.0.product', 'details.1.product']],
    ['for more than an order may have', lines([1, 300], [1, 201]), ['details.0.quantity', 'details.1.quantity']],
    ['for a payment method of others', { payment_method: 9 }, ['payment_method']],
    ['for a zip code without delivery', { shipping: { ...ADDRESS, zipcode: '00500' } }, ['shipping.zipcode']],
    ['for a shipping method that is not offered', { shipping_method: 2 }, ['shipping_method']],
    [
      'to another country, whatever its state',
      { shipping: { ...ADDRESS, country: 'Estados Unidos', state: 'California', zipcode: '90210' } },
      ['shipping.country'],
    ],
    ['to another state than its zip code', { shipping: { ...ADDRESS, state: 'Jal.' } }, ['shipping.state']],
    ['for an unknown store', { shipping: undefined, store: 77 }, ['store']],
    ['for both a destination and a store', { store: 1 }, ['non_field_errors']],
    ['for no destination of a new patient', { shipping: undefined }, ['shipping']],
  ])('%s', async (_, order, paths) => {
    const { status, body } = await place(orderBody('refused@example.mx', order));
    expect([status, listErrorPaths(body)]).toEqual([400, paths.map((path) => `order.${path}`)]);
  });

  it('for a product out of stock, naming the cheapest substitute of the one that has one', async () => {
    const { body } = await place(orderBody('refused@example.mx', lines([16, 1], [97, 1])));
    expect(body.order.details).toEqual([
      { product: [expect.stringMatching(/\(id 16\) está agotado por el momento\. .*\(id 18\)/)] },
      { product: ['Levotiroxina 100 mcg, Caja con 50 tabletas (id 97) está agotado por el momento.'] },
    ]);
  });

  it('for every error of its shape at once, and no other', async () => {
    const { status, body } = await place({
      user: { email: 'nobody', first_name: '', last_name: 'x'.repeat(101), sex: 'X', birthdate: '1990-13-01' },
      order: { ...lines([99999, -1]), payment_method: 'card', shipping: { ...ADDRESS, zipcode: '1234' } },
      invoicing: { ...INVOICING, rfc: 5 },
    });
    expect([status, listErrorPaths(body)]).toEqual([
      400,
      [
        ...['user.email', 'user.first_name', 'user.last_name', 'user.sex', 'user.birthdate'],
        ...['order.details.0.quantity', 'order.payment_method', 'order.shipping.zipcode', 'invoicing.rfc'],
      ],
    ]);
  });

  it.each([
    ['phone', { phone: '12345' }],
    // It is still the evening of the 20th in Mexico City.
    ['birthdate', { birthdate: '2026-11-21' }],
  ])('for a %s that cannot be', async (field, more) => {
    setClock(new Date('2026-11-21T03:00:00.000Z'));
    const token = await server.login('aseguradora@demo.example');
    const user = { email: 'unborn@example.mx', first_name: 'A', last_name: 'B', ...more };
    const { status, body } = await placeFor(user, token);
    expect([status, listErrorPaths(body)]).toEqual([400, [`user.${field}`]]);
  });
});

// Concurrent requests with one key are in `proofs/races`.
describe('an idempotency key', () => {
  const placeOnce = (key: string, body: object, token = tokens.employee) =>
    server.request('POST', PATH, { token, body, headers: { 'idempotency-key': key } });

  it('returns the existing order for a repeated request, as it is now, however its body is spelled', async () => {
    const body = orderBody('again@example.mx');
    const first = await placeOnce('0123456789', body);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const second = await placeOnce('0123456789', body);
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
    const cancel = { token: tokens.employee, body: { order_status: 'cancelled' } };
    await server.request('PATCH', `/api/orders/${first.body.id}/`, cancel);
    const { user, order } = body;
    const sent = { unknown: 1, order: { ...order, coupon: undefined }, user: { ...user, email: 'AGAIN@example.mx' } };
    const third = await placeOnce('0123456789', sent);
    expect(third.body).toMatchObject({ id: first.body.id, order_status: 'cancelled' });
    // Another body is refused for that, even if it is invalid.
    const { status, body: refused } = await placeOnce('0123456789', orderBody('again@example.mx', lines([99_999, 1])));
    expect({ status, code: refused.code }).toEqual({ status: 422, code: 'idempotency_key_reused' });
  });

  it('is not used up by a refusal, and belongs to its user', async () => {
    const key = '~'.repeat(255);
    const body = orderBody('twousers@example.mx');
    expect((await placeOnce(key, orderBody('twousers@example.mx', { payment_method: 9 }))).status).toBe(400);
    const [mine, theirs] = [await placeOnce(key, body), await placeOnce(key, body, tokens.doctor)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is valid for 24 hours by the clock', async () => {
    const start = Date.parse('2026-11-23T15:00:00.000Z');
    const send = async (afterMs: number) => {
      setClock(new Date(start + afterMs));
      const token = await server.login('aseguradora@demo.example');
      return placeOnce('x'.repeat(8), orderBody('day@example.mx'), token);
    };
    const { id } = (await send(0)).body;
    expect((await send(86_399_999)).body.id).toBe(id);
    const next = await send(86_400_000);
    expect([next.status, next.body.id > id]).toEqual([201, true]);
  });
});

describe('people', () => {
  it('are found by their e-mail regardless of case, and updated by an insurance employee', async () => {
    const names = { first_name: 'Eva', last_name: 'Sol' };
    const first = await placeFor({ email: 'Update@Example.mx', ...names, phone: '+52 55 1234 0001' });
    const more = { first_name: 'Eva María', birthdate: '1990-02-28' };
    const again = await placeFor({ email: 'update@example.MX', ...names, ...more });
    expect(again.body.patient.id).toBe(first.body.patient.id);
    const phone = { phone: '+525512340001', country_code: '52', national_number: '5512340001' };
    expect(again.body.patient.user).toMatchObject({ email: 'update@example.mx', ...more, ...phone });
  });

  it('are not changed by a doctor, whose order shows what they sent to every reader', async () => {
    const email = 'doctored@example.mx';
    const known = { email, first_name: 'Iris', last_name: 'Vela', second_last_name: 'Sol', phone: '+525512340002' };
    await placeFor({ ...known, medical_condition: 'Penicilina' });
    const child = { email, first_name: 'Otro', last_name: 'Vela', sex: 'F', medical_condition: 'Asma' };
    const { status, body } = await placeFor(child, tokens.doctor);
    expect(status).toBe(201);
    const shown = { ...child, second_last_name: null, birthdate: null };
    const noPhone = { phone: null, country_code: null, national_number: null };
    expect(body.patient.user).toMatchObject({ ...shown, ...noPhone });
    const seen = await see(body.id);
    expect(seen.patient.user).toMatchObject({ ...shown, phone: '+525512340002', country_code: '52' });
    // A doctor sees the impersonal fields as an employee does.
    const { patient, date_joined, created_at, updated_at, created_by } = seen.patient.user;
    expect(body.patient.user).toMatchObject({ patient, date_joined, created_at, updated_at, created_by });
    expect(seen.generated_by).toMatchObject({ id: body.generated_by.id, email: null, phone: null });
    const later = await placeFor({ email, first_name: 'Iris', last_name: 'Vela' });
    expect(later.body.patient.user).toMatchObject({ ...known, sex: null, medical_condition: 'Penicilina' });
  });

  it('are referred by the doctor whose order registered them', async () => {
    const { body } = await place(orderBody('referred@example.mx'), tokens.doctor);
    expect(body.patient.referred_by).toBe(body.generated_by.id);
    expect((await see(body.id)).patient.user.created_by).toBe(body.generated_by.id);
  });

  it('receive an order of a doctor at their default address, which the doctor does not see', async () => {
    await place(orderBody('address@example.mx'));
    const { status, body } = await place(orderBody('address@example.mx', { shipping: undefined }), tokens.doctor);
    expect([status, body.shipping]).toEqual([201, null]);
    expect((await see(body.id)).shipping).toMatchObject({ street: ADDRESS.street });
  });
});
