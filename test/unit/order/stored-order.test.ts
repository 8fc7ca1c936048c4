import { describe, expect, it } from 'vitest';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { type Act, eventWrites, type Happening, listDocumentEvents } from '../../../shared/order/order-events.ts';
import { createOrderWrites, replaceOrderWrites } from '../../../shared/order/order-writes.ts';
import { nextVersion, parseOrder, toOrderItem } from '../../../shared/order/orders.ts';
import { listPaymentEvents } from '../../../shared/payments/payment-events.ts';
import { putAttempt, startAttempt } from '../../../shared/payments/rules/order-payment.ts';
import type { Write } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

const TERMS = {
  referenceId: 7,
  collection: 'card',
  amountCents: 13_600,
  now: new Date('2026-11-23T18:00:00.000Z'),
  termHours: 24,
  returnUrl: 'https://tienda.example/gracias',
} as const;
const started = startAttempt(undefined, TERMS);
const [attempt] = started.attempts;
const COLLECTED = attempt
  ? putAttempt(started, {
      ...attempt,
      status: 'paid',
      providerId: 'plink_1',
      reference: { reference: 'plink_1', institution: 'Stripe', externalUrl: 'https://buy.stripe.com/1' },
      receivedCents: 13_600,
      superseded: true,
      customer: 'cus_0',
      dispute: { status: 'lost', amountCents: 100, isHandled: true },
    })
  : started;

describe('a stored order', () => {
  const order = syntheticOrder({ id: 7, quantities: [1, 2, 3] });
  const other = { ...order.generatedBy, id: 8, firstName: 'Eva' };
  const { referredBy: _, defaultShipping: __, defaultInvoicing: ___, ...patient } = order.patient;

  it.each([
    ['placed by an employee', order],
    ['placed by a doctor', syntheticOrder({ id: 7, doctor: 20 })],
    ['changed by somebody else', { ...order, updatedBy: other }],
    ['placed by its patient', { ...order, generatedBy: patient, updatedBy: patient }],
    ['placed by its patient, who has another name since', { ...order, generatedBy: { ...patient, firstName: 'Eva' } }],
    ['collected', { ...order, payment: { ...COLLECTED, customer: 'c1', unmatchedCents: 5, isAccountWatched: true } }],
    ['that was never answered', { ...order, payment: startAttempt(undefined, TERMS) }],
  ])('comes back as it was: %s', (_what, stored) => {
    expect(parseOrder(toOrderItem(stored))).toEqual(stored);
  });

  it('names who may see it, and stands under its id and client', () => {
    expect(toOrderItem(syntheticOrder({ id: 7, doctor: 20 }))).toMatchObject({
      pk: 'ORDER#7',
      sk: 'CLIENT#1',
      format: 1,
      viewers: ['client', 'patient#10', 'doctor#20'],
    });
  });

  it('stores a person once, and no field that has its default', () => {
    const item = toOrderItem(order);
    expect(item).not.toHaveProperty('updatedBy');
    expect(toOrderItem({ ...order, generatedBy: patient, updatedBy: patient })).not.toHaveProperty('generatedBy');
    expect(item).not.toHaveProperty('paymentForm');
    const line = order.lines[0] ?? {};
    for (const absent of ['discountCents', 'ivaCents', 'requiresPrescription', 'isAntibiotic']) {
      expect(line).toHaveProperty(absent);
      expect((item.lines as object[])[0]).not.toHaveProperty(absent);
    }
  });

  it.each<[string, () => object]>([
    ['of a later format', () => ({ format: 2 })],
    ...[['none'], [[12]], [{ id: 12 }]].map((prescriptions): [string, () => object] => [
      `with the prescriptions ${JSON.stringify(prescriptions)}`,
      () => ({ prescriptions }),
    ]),
    ['with lines that are none', () => ({ lines: 'none' })],
    ['with a bad line', () => ({ lines: order.lines.map((line) => ({ ...line, priceCents: undefined })) })],
  ])('does not parse %s', (_, change) => {
    expect(() => parseOrder({ ...toOrderItem(order), ...change() })).toThrow('a stored item does not parse');
  });
});

const OPERATOR: Act = {
  by: { operator: 'arn:aws:iam::123456789012:user/ana' },
  now: new Date('2026-01-03T09:30:00.500Z'),
};
const order = syntheticOrder({ id: 7 });
const eventsIn = (writes: readonly Write[]) =>
  writes.flatMap((write) =>
    'Put' in write && String(write.Put.Item?.sk).startsWith('EVENT#') ? [write.Put.Item] : [],
  );

it('the next version of an order has no field that a change has left out', () => {
  const { comments: _, ...rest } = order;
  expect(nextVersion(order, rest as typeof order)).not.toHaveProperty('comments');
});

describe('the events of an order', () => {
  it('begin with its creation by the user who placed it', () => {
    const invoiced = { ...order, invoice: taxDocument({ status: 'requested' }) };
    expect(eventsIn(createOrderWrites(invoiced))).toMatchObject([
      { sk: 'EVENT#00000001#000', what: 'created', at: '2026-01-02T18:00:00.000Z', by: { user: 5 } },
      { sk: 'EVENT#00000001#001', what: 'invoice_requested', place: 1 },
    ]);
  });

  it('are written with the change that they tell, and say who, when, and the statuses after it', () => {
    const after = nextVersion(order, { ...order, orderStatus: 'in_process' });
    const moved: Happening = { what: 'moved', from: 'approved', to: 'in_process' };
    expect(eventsIn(replaceOrderWrites(order, after, OPERATOR, moved))).toEqual([
      {
        ...{ pk: 'ORDER#7', sk: 'EVENT#00000002#000', format: 1, clientId: 1, orderId: 7, version: 2, place: 0 },
        ...{ what: 'moved', at: '2026-01-03T09:30:00.500Z', by: OPERATOR.by, from: 'approved', to: 'in_process' },
        ...{ orderStatus: 'in_process', paymentStatus: 'unpaid' },
      },
    ]);
  });

  it('say nothing personal once the patient is erased', () => {
    const erased = { ...order, patient: { ...order.patient, deletedAt: '2026-01-03T18:00:00.000Z' } };
    const shipment = { carrier: 'Correos', trackingNumber: 'RR1' };
    const [event] = eventsIn(eventWrites(erased, OPERATOR, [{ what: 'moved', reason: 'Ana Paz', shipment }]));
    expect(event).toMatchObject({ what: 'moved' });
    expect(event).not.toHaveProperty('reason');
    expect(event).not.toHaveProperty('shipment');
  });
});

describe('the events of tax documents', () => {
  const INVOICE = taxDocument({ status: 'issued', key: 'order-7-one', mail: 'sending' });
  const before = { ...order, invoice: INVOICE };
  it.each<[readonly string[], Partial<TaxDocument>]>([
    [['invoice_requested'], { key: 'order-7-two', status: 'requested', mail: null }],
    [['invoice_not_issued'], { status: 'not_issued', mail: null }],
    [['invoice_refused'], { status: 'refused', mail: null }],
    [['invoice_retrying'], { status: 'retrying', mail: null }],
    // What a job only makes anew was told when it failed first.
    [[], { key: 'order-7-two', status: 'requested', retries: 1, mail: null }],
    [[], { status: 'retrying', retries: 2, mail: null }],
    [['invoice_not_issued'], { status: 'not_issued', retries: 9, mail: null }],
    [['invoice_handled'], { handled: ['complement_due'] }],
    [['invoice_mailed'], { mail: 'sent' }],
    [['mail_given_up'], { mail: 'given_up' }],
    [[], { tasks: { cancel: { tries: 3, dueAt: '2026-01-05T00:00:00.000Z' } } }],
    [[], { mail: 'due' }],
  ])('are %j', (expected, changes) => {
    const after = { ...order, invoice: { ...INVOICE, ...changes } };
    expect(listDocumentEvents(before, after).map(({ what }) => what)).toEqual(expected);
  });
});

it('the events of payments say from where to where a payment moved, and why it was rejected', () => {
  const move = (paymentStatus: 'paid' | 'processing' | 'rejected') =>
    listPaymentEvents(order, { ...order, paymentStatus, rejectionReason: 'Sin fondos' });
  expect(move('paid')).toEqual([{ what: 'paid', from: 'unpaid', to: 'paid' }]);
  expect(move('processing')).toMatchObject([{ what: 'payment_moved' }]);
  const rejected = { what: 'payment_rejected', from: 'unpaid', to: 'rejected', reason: 'Sin fondos' };
  expect(move('rejected')).toEqual([rejected]);
});
