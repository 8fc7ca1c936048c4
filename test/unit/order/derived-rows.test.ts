import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import type { OrderPrescription } from '../../../shared/order/order-parts.ts';
import type { OrderPayment } from '../../../shared/payments/rules/order-payment.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { writesOfKinds } from '../../support/orders/forced-order.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

describe('the record of what is dispensed', () => {
  const AT = '2026-11-23T18:00:00.000Z';
  const verified = (id: number, productId: number): OrderPrescription => ({
    ...unverifiedPrescription(id, `key-${id}`),
    verification: { at: '2026-11-22T18:00:00.000Z', by: 'ana', lines: [{ productId, quantity: 2 }] },
    prescriber: { name: 'Dra. Eva Luna', licence: '1234567', address: null },
  });

  const plain = syntheticOrder({ id: 7, quantities: [2, 1] });
  const [first, second] = plain.lines as [Order['lines'][number], Order['lines'][number]];
  const PRESCRIBED = { requiresPrescription: true, isAntibiotic: true, sanitaryFraction: 'IV' } as const;
  const approved: Order = {
    ...plain,
    lines: [{ ...first, ...PRESCRIBED, productId: 15, name: 'Amoxicilina 500 mg' }, second],
    prescriptions: [verified(12, 15), verified(13, 15), verified(14, 99)],
  };
  // The second of its prescriptions had expired.
  const dispensed: Order = { ...approved, dispensed: { at: AT, under: [12, 14] } };

  const KEY = { pk: 'DISPENSED#2026-11', sk: '2026-11-23T18:00:00.000Z#000000000000007' };
  const PRESCRIBER = { name: 'Dra. Eva Luna', licence: '1234567', address: null };
  const ENTRY = {
    ...KEY,
    format: 1,
    lines: [[15, 'Amoxicilina 500 mg', 'Caja con 20 tabletas', 2, true, 'IV', 12]],
    prescriptions: [
      [12, '2026-01-01', PRESCRIBER, '2026-11-22T18:00:00.000Z', 'ana'],
      [14, '2026-01-01', PRESCRIBER, '2026-11-22T18:00:00.000Z', 'ana'],
    ],
  };

  // A row for each product, by which a recall finds the order.
  const ROWS = [15, 1].map((product) => {
    return { pk: `DISPENSED#${product}`, sk: '2026-11-23#000000000000007', format: 1, clientId: 1 };
  });
  const PUT_ROWS = ROWS.map((Item) => ({ Put: { Item } }));

  it('has what needs a prescription, antibiotics too, with those that cover it, and nothing of the patient', () => {
    const lines = dispensed.lines.map((line) => ({ ...line, requiresPrescription: false }));
    for (const after of [dispensed, { ...dispensed, lines }]) {
      expect(writesOfKinds(['DISPENSED'], approved, after)).toEqual([...PUT_ROWS, { Put: { Item: ENTRY } }]);
    }
  });

  it.each<[string, Order | null, Order]>([
    ['an order is placed', null, approved],
    ['it is approved', { ...approved, orderStatus: 'pending_approval' }, approved],
    ['it goes on', dispensed, { ...dispensed, orderStatus: 'shipped' }],
    ['its patient is erased', dispensed, { ...dispensed, prescriptions: [], patient: { ...plain.patient, email: '' } }],
  ])('is not written when %s', (_, before, after) => {
    expect(writesOfKinds(['DISPENSED'], before, after)).toEqual([]);
  });

  it('is none of an order without prescriptions, which a recall finds, and learns later who prescribed', () => {
    const after = { ...plain, dispensed: { at: AT, under: [] } };
    expect(writesOfKinds(['DISPENSED'], plain, after)).toEqual(PUT_ROWS.slice(1));
    const unknown = dispensed.prescriptions.map((prescription) => ({ ...prescription, prescriber: null }));
    const writes = writesOfKinds(['DISPENSED'], { ...dispensed, prescriptions: unknown }, dispensed);
    expect(writes).toEqual([{ Put: { Item: ENTRY } }]);
  });

  it('is marked when the order goes back to the shelf', () => {
    const after = { ...approved, orderStatus: 'shortage', updatedAt: '2026-11-24T18:00:00.000Z' } as const;
    const values = { ':at': '2026-11-24T18:00:00.000Z' };
    expect(writesOfKinds(['DISPENSED'], dispensed, after)).toMatchObject([
      ...ROWS.map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } })),
      { Update: { Key: KEY, UpdateExpression: 'SET takenBackAt = :at', ExpressionAttributeValues: values } },
    ]);
  });
});

describe('the record under the hash of a document', () => {
  const UNVERIFIED: OrderPrescription = { ...unverifiedPrescription(12, 'key'), documentHash: 'abc' };
  const JUDGED = { at: '2026-01-03T18:00:00.000Z', by: 'ana' };
  const VERIFIED: OrderPrescription = { ...UNVERIFIED, verification: { ...JUDGED, lines: [] } };
  const REJECTED: OrderPrescription = { ...UNVERIFIED, rejection: { ...JUDGED, reason: 'Sin firma' } };

  const having = (...prescriptions: OrderPrescription[]): Order => syntheticOrder({ id: 7, prescriptions });
  const erased = (retained: Order['retained']): Order => ({ ...having(), retained });
  const RETAINED = {
    documents: [{ id: 12, documentKey: 'key', documentType: 'application/pdf', documentHash: 'abc' }],
    documentsUntil: '2027-01-03',
    receiverUntil: null,
    copiesUntil: null,
  } as const;
  const REJECTED_RETAINED = { ...RETAINED, documents: [{ ...RETAINED.documents[0], isRejected: true as const }] };

  const KEY = { pk: 'HASH#abc', sk: 'ORDER#7#12' };
  const put = (more: object) => [{ Put: { Item: { ...KEY, orderId: 7, prescriptionId: 12, ...more } } }];
  const WAITING = { isRejected: false, isWaiting: true };
  const GONE = [{ Delete: { Key: KEY } }];

  it.each<[string, Order | null, Order, object[]]>([
    ['is written with an order', null, having(UNVERIFIED), put(WAITING)],
    ['is written for a document that is attached', having(), having(UNVERIFIED), put(WAITING)],
    ['is replaced when it is verified', having(UNVERIFIED), having(VERIFIED), put({ isRejected: false })],
    ['is replaced when it is rejected', having(UNVERIFIED), having(REJECTED), put({ isRejected: true })],
    ['is replaced when it is rejected later', having(VERIFIED), having(REJECTED), put({ isRejected: true })],
    ['stays when it is verified again', having(VERIFIED), having(VERIFIED), []],
    ['goes with an erased order', having(VERIFIED), erased(null), GONE],
    ['stays with a document that is kept', having(VERIFIED), erased(RETAINED), []],
    ['stays with a rejected one that is kept', having(REJECTED), erased(REJECTED_RETAINED), []],
    ['goes with a document that was kept', erased(RETAINED), erased(null), GONE],
  ])('%s', (_, before, after, writes) => {
    expect(writesOfKinds(['HASH'], before, after)).toEqual(writes);
  });

  it('is one for each prescription of an order that is the same document', () => {
    const both = [VERIFIED, { ...VERIFIED, id: 13 }];
    expect(writesOfKinds(['HASH'], having(UNVERIFIED, { ...UNVERIFIED, id: 13 }), having(...both))).toHaveLength(2);
  });
});

it('the ledger tells apart the stamp and the cancellation of a document at one instant', () => {
  const at = '2026-11-23T18:00:00.000Z';
  const requested = { ...syntheticOrder({ id: 7, quantities: [1] }), invoice: taxDocument({ key: 'order-7-a' }) };
  const ended = taxDocument({ key: 'order-7-a', status: 'cancelled', issuedAt: at, cancelledAt: at });
  const { clientId } = requested;
  const row = (event: string) => ({ pk: 'LEDGER#DOCUMENTS', sk: `2026-11-23T18:00:00.000Z#order-7-a#${event}` });
  const own = { clientId, orderId: 7, documentKey: 'order-7-a' };
  expect(writesOfKinds(['LEDGER'], requested, { ...requested, invoice: ended })).toEqual([
    { Put: { Item: { ...row('stamped'), ...own } } },
    { Put: { Item: { ...row('cancelled'), ...own, isCancellation: true } } },
  ]);
});

type AttemptStatus = OrderPayment['attempts'][number]['status'];

describe('the row of an order whose payments a job looks after', () => {
  const placed = syntheticOrder({ id: 7, quantities: [1] });
  const attempt = (status: AttemptStatus, index: number) => ({
    ...{ number: index + 1, referenceId: 70 + index, collection: 'spei' as const, status, superseded: false },
    ...{ amountCents: 13_600, receivedCents: 0, returnUrl: null, customer: null, providerId: null },
    createdAt: `2026-11-2${3 + index}T18:00:00.000Z`,
    firstRequestedAt: `2026-11-2${3 + index}T18:00:00.000Z`,
    expiresAt: `2026-11-2${6 + index}T18:00:00.000Z`,
    ...{ reference: null, dispute: null },
  });
  const collected = (isAccountWatched: boolean, ...statuses: AttemptStatus[]): Order => ({
    ...placed,
    paymentMethod: { ...placed.paymentMethod, collection: 'spei' },
    payment: {
      attempts: statuses.map(attempt),
      ...{ customer: null, paidBy: null, unmatchedCents: 0, handledCents: 0, isAccountWatched },
    },
  });

  it.each<[string, Order, string | null, object]>([
    ['is there while an attempt is open', collected(false, 'open'), '23', {}],
    ['is there while one before the last is open', collected(false, 'open', 'paid'), '24', {}],
    ['is gone once all are over', collected(false, 'expired', 'paid'), null, {}],
    ['is idle while only the account is watched', collected(true, 'expired'), '23', { isIdle: true }],
    ['is not there without a payment', placed, null, {}],
  ])('%s', (_, after, day, more) => {
    const key = { pk: 'PAYMENTS#WATCHED', sk: `2026-11-${day}T18:00:00.000Z#000000000000007` };
    const Item = { ...key, clientId: placed.clientId, orderId: 7, collection: 'spei', ...more };
    expect(writesOfKinds(['PAYMENTS'], null, after)).toEqual(day ? [{ Put: { Item } }] : []);
  });
});
