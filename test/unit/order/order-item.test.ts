import { describe, expect, it } from 'vitest';
import { parseOrder, toOrderItem } from '../../../shared/order/orders.ts';
import { putAttempt, startAttempt } from '../../../shared/payments/rules/order-payment.ts';
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
    [
      'that is collected',
      { ...order, payment: { ...COLLECTED, customer: 'cus_1', unmatchedCents: 5, isAccountWatched: true } },
    ],
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
    [
      'with a line that lacks a value',
      () => ({ lines: order.lines.map((line) => ({ ...line, priceCents: undefined })) }),
    ],
  ])('does not parse %s', (_, change) => {
    expect(() => parseOrder({ ...toOrderItem(order), ...change() })).toThrow('a stored item does not parse');
  });
});
