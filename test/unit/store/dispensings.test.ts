import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/store/orders/order.ts';
import type { OrderPrescription } from '../../../shared/store/orders/order-parts.ts';
import { writesOfKinds } from '../../support/orders/derived-writes.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

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

describe('the record of what is dispensed', () => {
  it('has the medicines that need a prescription, with those that cover them, and nothing of the patient', () => {
    expect(writesOfKinds(['DISPENSED'], approved, dispensed)).toEqual([{ Put: { Item: ENTRY } }]);
  });

  it('has an antibiotic whose product asks for no prescription', () => {
    const lines = dispensed.lines.map((line) => ({ ...line, requiresPrescription: false }));
    expect(writesOfKinds(['DISPENSED'], approved, { ...dispensed, lines })).toEqual([{ Put: { Item: ENTRY } }]);
  });

  it.each<[string, Order | null, Order]>([
    ['an order is placed', null, approved],
    ['it is approved', { ...approved, orderStatus: 'pending_approval' }, approved],
    ['it has nothing that needs a prescription', plain, { ...plain, dispensed: { at: AT, under: [] } }],
    ['it goes on', dispensed, { ...dispensed, orderStatus: 'shipped' }],
    ['its patient is erased', dispensed, { ...dispensed, prescriptions: [], patient: { ...plain.patient, email: '' } }],
  ])('is not written when %s', (_, before, after) => {
    expect(writesOfKinds(['DISPENSED'], before, after)).toEqual([]);
  });

  it('learns who prescribed when that is recorded later', () => {
    const unknown = dispensed.prescriptions.map((prescription) => ({ ...prescription, prescriber: null }));
    expect(writesOfKinds(['DISPENSED'], { ...dispensed, prescriptions: unknown }, dispensed)).toEqual([
      { Put: { Item: ENTRY } },
    ]);
  });

  it('is marked when the order goes back to the shelf', () => {
    const after = { ...approved, orderStatus: 'shortage', updatedAt: '2026-11-24T18:00:00.000Z' } as const;
    expect(writesOfKinds(['DISPENSED'], dispensed, after)).toEqual([
      {
        Update: {
          Key: KEY,
          UpdateExpression: 'SET takenBackAt = :at',
          ExpressionAttributeValues: { ':at': '2026-11-24T18:00:00.000Z' },
        },
      },
    ]);
  });
});
