import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import { parseOrder, toOrderItem } from '../../../shared/order/order-item.ts';
import { putAttempt, startAttempt } from '../../../shared/payments/rules/order-payment.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

const TERMS = {
  referenceId: 7,
  amountCents: 13_600,
  now: new Date('2026-11-23T18:00:00.000Z'),
  termHours: 24,
  returnUrl: 'https://tienda.example/gracias',
};
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

  it('stores a person once and a line without the names of its fields', () => {
    const item = toOrderItem(order);
    expect(item).not.toHaveProperty('updatedBy');
    expect(toOrderItem({ ...order, generatedBy: patient, updatedBy: patient })).not.toHaveProperty('generatedBy');
    const line = (item.lines as unknown[][])[1] ?? [];
    expect(line.slice(0, 8)).toEqual([701, 1, 2, 2850, 5700, 0, 0, 5700]);
    expect(line.slice(8, 13)).toEqual([
      'Paracetamol 500 mg',
      'Caja con 20 tabletas',
      '7501000000013',
      '51142001',
      'H87',
    ]);
    expect(line.slice(13)).toEqual([0, false, 'https://images.demo.example/products/1.webp', false, null]);
  });

  it('stores an event without the names of its fields, and each operator once', () => {
    const ana = { operator: 'arn:aws:iam::123456789012:user/ana' };
    const eva = { operator: 'arn:aws:iam::123456789012:user/eva' };
    const event = { at: '2026-01-03T09:30:00.500Z', version: 2 };
    const history: Order['history'] = [
      { what: 'created', at: '2026-01-02T18:00:00.000Z', version: 1, by: { user: 5 } },
      { what: 'prescription_verified', ...event, by: ana, prescriptions: [12, 13] },
      { what: 'prescription_rejected', ...event, by: ana, prescriptions: [12], reason: 'Sin firma' },
      { what: 'moved', ...event, by: eva, from: 'pending_approval', to: 'approved' },
      { what: 'paid', ...event, by: ana, from: 'unpaid', to: 'paid' },
      { what: 'invoice_issued', ...event, by: 'system' },
    ];
    const item = toOrderItem({ ...order, history });
    expect(item).toMatchObject({
      operators: ['arn:aws:iam::123456789012:user/ana', 'arn:aws:iam::123456789012:user/eva'],
      history: [
        ['created', 1_767_376_800_000, 1, 5],
        ['prescription_verified', 1_767_432_600_500, 2, -1, 12, 13],
        ['prescription_rejected', 1_767_432_600_500, 2, -1, 12, { reason: 'Sin firma' }],
        ['moved', 1_767_432_600_500, 2, -2, 'pending_approval', 'approved'],
        ['paid', 1_767_432_600_500, 2, -1, 'unpaid', 'paid'],
        ['invoice_issued', 1_767_432_600_500, 2, 0],
      ],
    });
    expect(parseOrder(item).history).toEqual(history);
  });

  it('without a history has an empty one', () => {
    const { history: _, operators: __, ...former } = toOrderItem(order);
    expect(parseOrder(former)).toMatchObject({ history: [], historyOmitted: 0 });
  });

  it('stores a prescription without the names of its fields, and each operator once', () => {
    const ana = 'arn:aws:iam::123456789012:user/ana';
    const at = '2026-01-03T09:30:00.500Z';
    const unverified = { ...unverifiedPrescription(12, 'documents/12'), documentHash: 'abc', updatedBy: 5 };
    const lines = [
      { productId: 4, quantity: 1 },
      { productId: 15, quantity: 2 },
    ];
    const prescriber = { name: 'Dra. Eva Luna', licence: '1234567', address: null };
    const prescriptions: Order['prescriptions'] = [
      { ...unverified, verification: { at, by: ana, lines, isAgeAccepted: true }, prescriber },
      { ...unverified, id: 13, verification: { at, by: 'eva', lines: [] } },
      { ...unverified, id: 14, rejection: { at, by: ana, reason: 'Sin firma' } },
      { ...unverified, id: 15 },
    ];
    const history: Order['history'] = [{ what: 'paid', at, version: 2, by: { operator: ana } }];
    const item = toOrderItem({ ...order, history, prescriptions });
    const time = '2026-01-02T18:00:00.000Z';
    const begin = ['2026-01-01', null, 'documents/12', 'receta.pdf', 'application/pdf', 'abc', time, time, 5];
    expect(item).toMatchObject({
      operators: [ana, 'eva'],
      prescriptions: [
        [12, ...begin, [at, 0, true, 4, 1, 15, 2], null, ['Dra. Eva Luna', '1234567', null]],
        [13, ...begin, [at, 1, false], null, null],
        [14, ...begin, null, [at, 0, 'Sin firma'], null],
        [15, ...begin, null, null, null],
      ],
    });
    expect(parseOrder(item).prescriptions).toEqual(prescriptions);
  });

  it.each([[['none']], [[[12]]], [[{ id: 12 }]]])('does not parse with the prescriptions %j', (prescriptions) => {
    expect(() => parseOrder({ ...toOrderItem(order), prescriptions })).toThrow('a stored item does not parse');
  });

  it.each([['none'], [['created']], [[['created', 'now', 1, 5]]], [[['paid', 0, 1, -1]]], [[['sold', 0, 1, 5]]]])(
    'does not parse with the history %j',
    (history) => {
      expect(() => parseOrder({ ...toOrderItem(order), history })).toThrow('a stored item does not parse');
    },
  );

  it('of a later format does not parse', () => {
    const item = toOrderItem(order);
    expect(item.format).toBe(1);
    expect(() => parseOrder({ ...item, format: 2 })).toThrow('a stored item does not parse');
  });

  it('does not parse when a line lacks a value', () => {
    const item = toOrderItem(order);
    const lines = (item.lines as unknown[][]).map((line) => line.slice(0, 3));
    expect(() => parseOrder({ ...item, lines })).toThrow('a stored item does not parse');
    expect(() => parseOrder({ ...item, lines: 'none' })).toThrow(expect.objectContaining({ code: 'order: lines' }));
  });
});
