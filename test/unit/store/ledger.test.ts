import { expect, it } from 'vitest';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { writesOfKinds } from '../../support/orders/derived-writes.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

const AT = '2026-11-23T18:00:00.000Z';
const requested = { ...syntheticOrder({ id: 7, quantities: [1] }), invoice: taxDocument({ key: 'order-7-a' }) };

it('tells apart the stamp and the cancellation of a document at one instant', () => {
  const ended = taxDocument({ key: 'order-7-a', status: 'cancelled', issuedAt: AT, cancelledAt: AT });
  const { clientId } = requested;
  expect(writesOfKinds(['LEDGER'], requested, { ...requested, invoice: ended })).toEqual([
    {
      Put: {
        Item: {
          pk: 'LEDGER#DOCUMENTS',
          sk: '2026-11-23T18:00:00.000Z#order-7-a#stamped',
          clientId,
          orderId: 7,
          documentKey: 'order-7-a',
        },
      },
    },
    {
      Put: {
        Item: {
          pk: 'LEDGER#DOCUMENTS',
          sk: '2026-11-23T18:00:00.000Z#order-7-a#cancelled',
          clientId,
          orderId: 7,
          documentKey: 'order-7-a',
          isCancellation: true,
        },
      },
    },
  ]);
});
