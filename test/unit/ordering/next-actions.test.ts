import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import { listNextActions } from '../../../shared/ordering/next-actions.ts';
import type { Copy } from '../../../shared/prescriptions/judge-prescription.ts';
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

/** An order of 193.00 whose invoice nobody has asked for. */
const UNPAID = {
  moves: ['quoted', 'in_process', 'cancelled', 'shortage'],
  uncovered: [],
  unnamed: null,
  payment_moves: ['credit', 'paid', 'in_process', 'processing'],
  is_form_required: false,
  is_refund_provided: false,
  refund: null,
  verify: [],
  reject: [],
  invoice: ['issue_to'],
  handled: [],
  credit: null,
};

const prescribed = syntheticOrder({ id: 7 }).lines.map((line) => ({ ...line, requiresPrescription: true }));
const prescription = (changes: Partial<Order['prescriptions'][number]> = {}) => ({
  ...unverifiedPrescription(900, 'key'),
  ...changes,
});
const verification = { at: NOON.toISOString(), by: 'ana', lines: [{ productId: 1, quantity: 4 }] };
const issued = (changes: Parameters<typeof taxDocument>[0] = {}) =>
  taxDocument({ status: 'issued', stamp: ISSUED.stamp, providerId: ISSUED.id, amountCents: 19_300, ...changes });
const invoiced = (changes: Parameters<typeof taxDocument>[0] = {}): Partial<Order> => ({
  invoice: issued(changes),
  cfdi: ISSUED.id,
});

describe('the next actions of an order', () => {
  it.each<[string, Partial<Order>, Partial<typeof UNPAID> | object]>([
    ['that is approved and unpaid', {}, {}],
    ['that is delivered', { orderStatus: 'delivered' }, { moves: [] }],
    ['that is cancelled and unpaid', { orderStatus: 'cancelled' }, { moves: [], payment_moves: ['paid'], invoice: [] }],
    ['whose payment is in process', { paymentStatus: 'in_process' }, { payment_moves: ['paid', 'rejected'] }],
    ['that is paid', { paymentStatus: 'paid' }, { payment_moves: [], refund: '193.00' }],
    [
      'of which a part went back',
      { paymentStatus: 'paid', refunds: [{ cents: 9_300, form: '03', at: NOON.toISOString(), parts: [] }] },
      { payment_moves: [], refund: '100.00' },
    ],
    [
      'that was paid back',
      { paymentStatus: 'paid', refunds: [{ cents: 19_300, form: '03', at: NOON.toISOString(), parts: [] }] },
      { moves: ['quoted', 'cancelled', 'shortage'], payment_moves: [], refund: null, invoice: [] },
    ],
    [
      'whose payment method leaves its form open',
      { paymentMethod: { ...syntheticOrder({ id: 7 }).paymentMethod, sat_payment_form: '99' } },
      { is_form_required: true },
    ],
    [
      'without a prescription that it needs',
      { orderStatus: 'pending_approval', lines: prescribed },
      { moves: ['quoted', 'cancelled'], uncovered: [{ product: 1, quantity: 4, verified: null }] },
    ],
    [
      'with a prescription that nobody has verified',
      { orderStatus: 'pending_approval', lines: prescribed, prescriptions: [prescription()] },
      {
        moves: ['quoted', 'cancelled'],
        uncovered: [{ product: 1, quantity: 4, verified: null }],
        verify: [{ prescription: 900, is_age_to_accept: false, is_copy_to_accept: false }],
        reject: [900],
      },
    ],
    [
      'with a prescription that was verified for less',
      {
        orderStatus: 'pending_approval',
        lines: prescribed,
        prescriptions: [prescription({ verification: { ...verification, lines: [{ productId: 1, quantity: 3 }] } })],
      },
      {
        moves: ['quoted', 'cancelled'],
        uncovered: [{ product: 1, quantity: 4, verified: 3 }],
        verify: [{ prescription: 900, is_age_to_accept: false, is_copy_to_accept: false }],
        reject: [900],
      },
    ],
    [
      'with a verified prescription',
      { orderStatus: 'pending_approval', lines: prescribed, prescriptions: [prescription({ verification })] },
      {
        moves: ['quoted', 'approved', 'cancelled'],
        verify: [{ prescription: 900, is_age_to_accept: false, is_copy_to_accept: false }],
        reject: [900],
      },
    ],
    [
      'with an antibiotic whose prescriber is unknown',
      {
        lines: prescribed.map((line) => ({ ...line, isAntibiotic: true })),
        prescriptions: [prescription({ verification })],
      },
      {
        moves: ['quoted', 'cancelled', 'shortage'],
        unnamed: 900,
        verify: [{ prescription: 900, is_age_to_accept: false, is_copy_to_accept: false }],
        reject: [900],
      },
    ],
    [
      // 9 July 2025 is 180 days before 5 January 2026.
      'with a prescription of 181 days',
      {
        orderStatus: 'pending_approval',
        lines: prescribed,
        prescriptions: [prescription({ issueDate: '2025-07-08' }), prescription({ id: 901, issueDate: '2025-07-09' })],
      },
      {
        moves: ['quoted', 'cancelled'],
        uncovered: [{ product: 1, quantity: 4, verified: null }],
        verify: [
          { prescription: 900, is_age_to_accept: true, is_copy_to_accept: false },
          { prescription: 901, is_age_to_accept: false, is_copy_to_accept: false },
        ],
        reject: [900, 901],
      },
    ],
    [
      'with a prescription that expired yesterday',
      {
        orderStatus: 'pending_approval',
        lines: prescribed,
        prescriptions: [prescription({ expiringDate: '2026-01-04', verification })],
      },
      {
        moves: ['quoted', 'cancelled'],
        uncovered: [{ product: 1, quantity: 4, verified: null }],
        reject: [900],
      },
    ],
    [
      'that was dispensed under its prescription',
      {
        orderStatus: 'ready',
        lines: prescribed,
        prescriptions: [prescription({ verification })],
        dispensed: { at: NOON.toISOString(), under: [900] },
      },
      {
        moves: ['shipped', 'delayed'],
        verify: [{ prescription: 900, is_age_to_accept: false, is_copy_to_accept: false }],
        reject: [],
      },
    ],
    ['with an invoice', invoiced(), { invoice: ['replace', 'resend'], credit: '193.00' }],
    [
      'with an invoice whose mail was given up',
      invoiced({ mail: 'given_up' }),
      { invoice: ['replace', 'resend', 'handled'], handled: ['mail_given_up'], credit: '193.00' },
    ],
    [
      'with an invoice whose mail is being sent',
      invoiced({ mail: 'sending' }),
      { invoice: ['replace'], credit: '193.00' },
    ],
    [
      'whose invoice was not issued',
      { invoice: taxDocument({ status: 'not_issued' }) },
      { invoice: ['issue', 'handled'], handled: ['not_issued'] },
    ],
    ['whose invoice is being issued', { invoice: taxDocument() }, { invoice: [] }],
    [
      'that is cancelled, and its invoice is not',
      { orderStatus: 'cancelled', ...invoiced({ status: 'cancellation_rejected' }) },
      {
        moves: [],
        payment_moves: ['paid'],
        invoice: ['cancel', 'resend', 'handled'],
        handled: ['cancellation_rejected'],
        credit: '193.00',
      },
    ],
    [
      'whose invoice is being replaced',
      {
        paymentStatus: 'paid',
        ...invoiced(),
        documents: [taxDocument({ key: 'b', status: 'requested', relatedUuid: ISSUED.stamp.uuid })],
      },
      { payment_moves: [], refund: null, invoice: ['resend'], credit: null },
    ],
    [
      'whose invoice has a credit note',
      {
        paymentStatus: 'paid',
        ...invoiced(),
        documents: [issued({ kind: 'credit', key: 'c', amountCents: 5_000, relatedUuid: ISSUED.stamp.uuid })],
      },
      { payment_moves: [], refund: '193.00', invoice: ['resend'], credit: '143.00' },
    ],
  ])('%s', (_, order, expected) => {
    expect(listNext(order)).toEqual({ ...UNPAID, ...expected });
  });
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
