import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/store/orders/order.ts';
import type { OrderPrescription } from '../../../shared/store/orders/order-parts.ts';
import { writesOfKinds } from '../../support/orders/derived-writes.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

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
} as const;

const KEY = { pk: 'HASH#abc', sk: 'ORDER#7#12' };
const put = (more: object) => [{ Put: { Item: { ...KEY, orderId: 7, prescriptionId: 12, ...more } } }];
const GONE = [{ Delete: { Key: KEY } }];

describe('the record under the hash of a document', () => {
  it.each<[string, Order | null, Order, object[]]>([
    ['is not written with an order', null, having(UNVERIFIED), []],
    ['is not written for a document that is attached', having(), having(UNVERIFIED), []],
    ['is written when it is verified', having(UNVERIFIED), having(VERIFIED), put({ isRejected: false })],
    ['is written when it is rejected', having(UNVERIFIED), having(REJECTED), put({ isRejected: true })],
    ['is replaced when it is rejected later', having(VERIFIED), having(REJECTED), put({ isRejected: true })],
    ['stays when it is verified again', having(VERIFIED), having(VERIFIED), []],
    ['goes with an erased order', having(VERIFIED), erased(null), GONE],
    ['stays with a document that is kept', having(VERIFIED), erased(RETAINED), []],
    ['goes with a document that was kept', erased(RETAINED), erased(null), GONE],
  ])('%s', (_, before, after, writes) => {
    expect(writesOfKinds(['HASH'], before, after)).toEqual(writes);
  });

  it('is one for each prescription of an order that is the same document', () => {
    const both = [VERIFIED, { ...VERIFIED, id: 13 }];
    expect(writesOfKinds(['HASH'], having(UNVERIFIED, { ...UNVERIFIED, id: 13 }), having(...both))).toHaveLength(2);
  });
});
