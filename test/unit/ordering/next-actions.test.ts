import { expect, it } from 'vitest';
import type { Client } from '../../../shared/access/clients.ts';
import type { Catalog, CatalogPaymentMethod } from '../../../shared/catalog/catalog.ts';
import type { Order } from '../../../shared/order/order.ts';
import { listNextActions } from '../../../shared/ordering/next-actions.ts';
import { findPaymentMethod } from '../../../shared/ordering/payment-methods.ts';
import type { Copy } from '../../../shared/prescriptions/judge-prescription.ts';
import type { Collecting } from '../../../shared/runtime/config.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

// This is noon on 5 January 2026 in Mexico City.
const NOON = new Date('2026-01-05T18:00:00.000Z');
const business = {
  timeZone: 'America/Mexico_City',
  cutoff: '14:00',
  shippingStore: null,
  ivaRates: { generalMicros: 160_000, shippingMicros: 160_000, borderZipcodes: [] },
};
const listNext = (order: Partial<Order>, copies: readonly Copy[] = []) =>
  listNextActions({ ...syntheticOrder({ id: 7 }), ...order }, { now: NOON, business, maximumAgeDays: 180, copies });

const prescribed = syntheticOrder({ id: 7 }).lines.map((line) => ({ ...line, requiresPrescription: true }));
const prescription = (changes: Partial<Order['prescriptions'][number]> = {}) => ({
  ...unverifiedPrescription(900, 'key'),
  ...changes,
});
const verification = { at: NOON.toISOString(), by: 'ana', lines: [{ productId: 1, quantity: 4 }] };
const verified = (quantity: number) =>
  prescription({ verification: { ...verification, lines: [{ productId: 1, quantity }] } });
const invoiced = (changes: Parameters<typeof taxDocument>[0] = {}): Partial<Order> => ({
  invoice: taxDocument({
    status: 'issued',
    stamp: ISSUED.stamp,
    providerId: ISSUED.id,
    amountCents: 19_300,
    ...changes,
  }),
  cfdi: ISSUED.id,
});

const waiting = (...prescriptions: Order['prescriptions']): Partial<Order> => ({
  ...{ orderStatus: 'pending_approval', lines: prescribed, prescriptions },
});
const OPEN_FORM = { ...syntheticOrder({ id: 7 }).paymentMethod, sat_payment_form: '99' };
const antibiotics = prescribed.map((line) => ({ ...line, isAntibiotic: true }));
const uncovered = (covered: number | null) => ({ product: 1, quantity: 4, verified: covered });
const TO_VERIFY = { prescription: 900, is_age_to_accept: false, is_copy_to_accept: false };
const TOO_OLD = { ...TO_VERIFY, is_age_to_accept: true };

// `component/orders/next-actions` proves for random orders that what is offered is accepted, and the rest refused.
it.each<[string, Partial<Order>, object]>([
  ['leaves the form of its payment open', { paymentMethod: OPEN_FORM }, { is_form_required: true }],
  ['lacks a prescription', waiting(), { moves: ['quoted', 'cancelled'], uncovered: [uncovered(null)], verify: [] }],
  ['has one that nobody has verified', waiting(prescription()), { uncovered: [uncovered(null)], reject: [900] }],
  ['has one that was verified for less', waiting(verified(3)), { uncovered: [uncovered(3)], verify: [TO_VERIFY] }],
  ['has an antibiotic of nobody', { lines: antibiotics, prescriptions: [verified(4)] }, { unnamed: 900 }],
  // 9 July 2025 is 180 days before 5 January 2026.
  ['has one of 181 days', waiting(prescription({ issueDate: '2025-07-08' })), { verify: [TOO_OLD], reject: [900] }],
  ['has one of 180 days', waiting(prescription({ issueDate: '2025-07-09' })), { verify: [TO_VERIFY] }],
  ['has an invoice', invoiced(), { invoice: ['replace', 'resend'], handled: [], credit: '193.00' }],
  ['whose mail is given up', invoiced({ mail: 'given_up' }), { invoice: ['replace', 'resend', 'handled'] }],
  ['whose mail is being sent', invoiced({ mail: 'sending' }), { invoice: ['replace'] }],
  [
    'whose invoice was not issued',
    { invoice: taxDocument({ status: 'not_issued' }) },
    { invoice: ['issue', 'handled'] },
  ],
])('an order that %s', (_, order, expected) => {
  expect(listNext(order)).toMatchObject(expected);
});

it.each<[string, Partial<Copy>, object, boolean]>([
  ['stands in another order', { orderId: 6 }, {}, true],
  ['was rejected in another order', { orderId: 6, isRejected: true }, {}, true],
  ['stands twice in this order', { orderId: 7 }, {}, false],
  ['is that of another prescription', { of: 901, orderId: 6 }, {}, false],
  ['was verified for these lines', { orderId: 6 }, { verification }, false],
])('a document that %s', (_, copy, judged, is_copy_to_accept) => {
  const order = { lines: prescribed, prescriptions: [prescription(judged)] };
  const { verify } = listNext(order, [{ of: 900, orderId: 6, prescriptionId: 600, isRejected: false, ...copy }]);
  expect(verify).toEqual([{ prescription: 900, is_age_to_accept: false, is_copy_to_accept }]);
});

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const method = (id: number, more: Partial<CatalogPaymentMethod>): CatalogPaymentMethod => ({
  ...{ id, ...stamps, name: `Forma ${id}`, fee: '0.00', fixed_fee: '0.00' },
  ...{ initial_payment_status: 'unpaid', sat_payment_form: '01' },
  ...more,
});
const METHODS = [method(1, {}), method(2, { initial_payment_status: 'credit' }), method(3, { collection: 'oxxo' })];
const catalog = { paymentMethod: (id: number) => METHODS.find((one) => one.id === id) } as Catalog;
const client = { paymentMethods: [1, 2, 3], credit: 'employees' } as unknown as Client;
const COLLECTING: Collecting = { termHours: { card: 24, oxxo: 72, spei: 72 }, returnUrl: null };

const find = (id: number, collecting: Collecting | null) =>
  findPaymentMethod(id, { catalog, client, role: 'patient', collecting });

it('a payment method that is collected is offered where a provider collects, and nowhere else', () => {
  expect(find(3, COLLECTING)).toMatchObject({ id: 3, collection: 'oxxo' });
  expect(find(3, null)).toBe('payment_method_not_allowed');
  expect([find(1, COLLECTING), find(1, null)]).toEqual([METHODS[0], METHODS[0]]);
  expect(find(2, COLLECTING)).toBe('credit_for_employees');
});
