import { describe, expect, it } from 'vitest';
import { markIssued } from '../../../shared/invoices/rules/attempts.ts';
import { cancelSale, findReplaced, promoteReplacement } from '../../../shared/invoices/rules/owed-documents.ts';
import { replaceDocument, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { ISSUED, NO_SALE, taxDocument } from '../../support/invoices/tax-documents.ts';

const now = new Date('2026-11-23T18:00:00.000Z');
const OLD = '00000000-0000-4000-8000-000000000001';
const NEW = '39C85A3F-275B-4341-B259-E8971D9F8A94';

const issued = (uuid: string, changes: Partial<TaxDocument>): TaxDocument =>
  taxDocument({ status: 'issued', providerId: uuid, stamp: { ...ISSUED.stamp, uuid }, ...changes });
const old = issued(OLD, { key: 'order-7-a' });
const newKey = () => 'order-7-c';
const asked = taxDocument({ key: 'order-7-b', relatedUuid: OLD });
/** 57.00 without IVA, and 79.00 of shipping. */
const sale = {
  lines: [{ id: 1, quantity: 2, totalCents: 5_700, ivaRateMicros: 0 }],
  ...{ shippingPriceCents: 7_900, shippingDiscountCents: 0, shippingIvaRateMicros: 160_000 },
};

/** The invoice of an order with a replacement that is issued now. */
function replace(orderStatus: 'approved' | 'cancelled', invoice: TaxDocument) {
  const stamped = { id: NEW, stamp: { ...ISSUED.stamp, uuid: NEW }, totalCents: asked.amountCents };
  const next = markIssued(asked, stamped, { orderStatus, paymentStatus: 'paid', now, timeZone: 'America/Mexico_City' });
  return promoteReplacement(replaceDocument({ invoice, documents: [asked] }, asked.key, next), asked.key, now);
}

describe('a replacement', () => {
  it('takes the place of the invoice, which it substitutes', () => {
    expect(replace('approved', old)).toMatchObject({
      invoice: { key: 'order-7-b', status: 'issued' },
      documents: [{ key: 'order-7-a', status: 'cancelling', cancellation: { motive: '01', substitution: NEW } }],
    });
  });

  it('is no substitute when its order was cancelled meanwhile', () => {
    const cancelled = cancelSale({ ...sale, invoice: old, documents: [asked], paymentStatus: 'paid' }, { newKey, now });
    expect(replace('cancelled', cancelled.invoice ?? old)).toMatchObject({
      invoice: { key: 'order-7-b', status: 'cancelling', cancellation: NO_SALE },
      documents: [{ key: 'order-7-a', status: 'cancelling', cancellation: NO_SALE }],
    });
  });

  it('is no substitute any more when its order is cancelled before the one that it replaced', () => {
    expect(cancelSale({ ...sale, ...replace('approved', old), paymentStatus: 'paid' }, { newKey, now })).toMatchObject({
      invoice: { key: 'order-7-b', status: 'cancelling', cancellation: NO_SALE },
      documents: [{ key: 'order-7-a', status: 'cancelling', cancellation: NO_SALE }],
    });
  });
});

it('a replaced invoice is open until it is cancelled, and a replacement in progress is none', () => {
  for (const status of ['cancelling', 'cancellation_pending', 'cancellation_rejected'] as const)
    expect(findReplaced({ documents: [{ ...old, status }] })).toMatchObject({ key: 'order-7-a' });
  expect(findReplaced({ documents: [{ ...old, status: 'cancelled' }, asked] })).toBeUndefined();
});

describe('an order that is cancelled', () => {
  const parts = [{ line: 1, quantity: 0, cents: 3_600 }];
  const credit = issued(NEW, { kind: 'credit', key: 'order-7-k', relatedUuid: OLD, amountCents: 3_600, parts });
  const payment = issued(NEW, { kind: 'payment', key: 'order-7-p', relatedUuid: OLD });
  const cancel = (paymentStatus: 'paid' | 'unpaid', documents: readonly TaxDocument[]) =>
    cancelSale({ ...sale, invoice: old, documents, paymentStatus }, { newKey, now });

  it.each([
    ['a payment complement', payment],
    ['a payment complement that may have been issued', { ...payment, status: 'requested' as const }],
    ['a credit note', credit],
  ])('keeps a paid invoice with %s, for refunds to be credited', (_, related) => {
    expect(cancel('paid', [related])).toEqual({ invoice: old, documents: [related] });
  });

  it('credits what is left of an invoice that is not paid and has a credit note', () => {
    const { invoice, documents } = cancel('unpaid', [credit]);
    expect(invoice).toBe(old);
    const rest = { kind: 'credit', status: 'retrying', amountCents: 10_000, paymentForm: '15', relatedUuid: OLD };
    expect(documents).toMatchObject([{ key: 'order-7-k' }, { ...rest, key: 'order-7-c' }]);
  });

  it('needs no more credit note when all of it was credited', () => {
    const parts = [
      { line: 1, quantity: 2, cents: 5_700 },
      { line: null, quantity: 0, cents: 7_900 },
    ];
    const whole = { ...credit, amountCents: 13_600, parts };
    expect(cancel('unpaid', [whole])).toEqual({ invoice: old, documents: [whole] });
  });

  it.each(['retrying', 'not_issued', 'cancelled'] as const)(
    'has its invoice cancelled when a document of it is %s',
    (status) => {
      const cancelling = { status: 'cancelling', cancellation: NO_SALE };
      expect(cancel('paid', [{ ...payment, status }]).invoice).toMatchObject(cancelling);
    },
  );
});
