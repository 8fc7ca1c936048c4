import { describe, expect, it } from 'vitest';
import { listOpenParts, type SalePart, spreadAmount, sumParts } from '../../../shared/domain/sale-parts.ts';
import { markIssued } from '../../../shared/invoices/rules/document-life.ts';
import { getUncreditedSaleCents } from '../../../shared/invoices/rules/global/global-sale.ts';
import {
  cancelSale,
  chooseCreditOfRefund,
  findReplaced,
  isComplementDue,
  listOwed,
  promoteReplacement,
  startReplacement,
} from '../../../shared/invoices/rules/owed-documents.ts';
import { replaceDocument, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { ISSUED, NO_SALE, taxDocument } from '../../support/invoices/tax-documents.ts';

/* The documents that follow an invoice: its complement, the credit notes of its refunds, its replacement, its cancellation. */

const now = new Date('2026-11-23T18:00:00.000Z');
const UUID = ISSUED.stamp.uuid;
/** 57.00 without IVA, and 79.00 of shipping. */
const SALE = {
  lines: [{ id: 1, quantity: 2, totalCents: 5_700, ivaRateMicros: 0 }],
  ...{ shippingPriceCents: 7_900, shippingDiscountCents: 0, shippingIvaRateMicros: 160_000, totalCents: 13_600 },
};
const invoice = {
  ...taxDocument({ status: 'issued', paymentMethod: 'PPD', stamp: ISSUED.stamp }),
  stamp: ISSUED.stamp,
};
const credit = (parts: readonly SalePart[], paymentForm = '03'): TaxDocument =>
  taxDocument({
    kind: 'credit',
    status: 'issued',
    relatedUuid: UUID,
    amountCents: sumParts(parts),
    paymentForm,
    parts,
  });
const [line, shipment] = [
  { line: 1, quantity: 1, cents: 2_850 },
  { line: null, quantity: 0, cents: 7_900 },
];
const amount = (cents: number) => spreadAmount(listOpenParts(SALE, []), cents);
const refundOf = (parts: readonly SalePart[], form = '03') => ({
  cents: sumParts(parts),
  form,
  at: now.toISOString(),
  parts,
});

describe('a paid invoice of PPD', () => {
  const terms = { paymentStatus: 'paid', paymentForm: '28', paymentMethod: { sat_payment_form: '99' } } as const;
  const paid = { ...SALE, ...terms, invoice, documents: [] as TaxDocument[] };
  const all = listOpenParts(SALE, []);
  const complement = (status: TaxDocument['status']) => taxDocument({ kind: 'payment', status, relatedUuid: UUID });

  it.each<[string, TaxDocument[], number[]]>([
    ['without a credit note', [], [13_600]],
    ['with a credit note', [credit([line], '15')], [10_750]],
    ['with a credit note of all', [credit(all, '15')], []],
    ['with a complement in progress', [complement('retrying')], []],
    ['with one that was not issued', [complement('not_issued')], [13_600]],
  ])('%s owes one complement of what is not credited', (_, documents, amounts) => {
    const owed = listOwed({ ...paid, documents }, { newKey: () => 'order-7-b', now });
    expect(owed).toMatchObject(amounts.map((amountCents) => ({ kind: 'payment', amountCents, paymentForm: '28' })));
    expect(owed).toHaveLength(amounts.length);
  });

  it('waits for it, unless all is credited', () => {
    expect(isComplementDue(invoice, { ...paid, documents: [credit([line])] })).toBe(true);
    expect(isComplementDue(invoice, { ...paid, documents: [credit(all)] })).toBe(false);
  });
});

describe('a refund', () => {
  it.each<[string, readonly (readonly SalePart[])[], readonly TaxDocument[], number]>([
    ['of a line', [[line]], [], 2_850],
    ['of a line that was credited by hand', [[line]], [credit([line, shipment])], 0],
    ['of all, of which a part was credited by hand', [[line], [line, shipment]], [credit([line, shipment])], 2_850],
    ['of an amount for which a line was credited by hand', [amount(2_850)], [credit([line])], 0],
    ['of more than was credited by hand', [amount(2_850), amount(3_000)], [credit([line])], 3_000],
    // A remission is no refund.
    ['after a remission', [amount(2_000)], [credit(amount(3_600), '15')], 2_000],
  ])('%s gets a credit note of what is not credited yet', (_, refunds, credits, cents) => {
    const order = { ...SALE, invoice: null, refunds: refunds.map((parts) => refundOf(parts)) };
    expect(sumParts(chooseCreditOfRefund(order, { parts: refunds.at(-1) ?? [] }, credits))).toBe(cents);
  });

  it('from before a global invoice is in it, and gets no credit note', () => {
    const global = { returned: [shipment] };
    const refunds = [refundOf([shipment]), refundOf([line])];
    expect(chooseCreditOfRefund({ ...SALE, invoice: null, global, refunds }, refundOf([line]), [])).toEqual([line]);
    const before = { ...SALE, invoice: null, global: { returned: [line] }, refunds: [refundOf([line])] };
    expect(chooseCreditOfRefund(before, refundOf([line]), [])).toEqual([]);
    expect(getUncreditedSaleCents({ ...SALE, global, documents: [] })).toBe(5_700);
  });

  it('of a surplus gives no form to the credit note', () => {
    const refunds = [refundOf([line], '03'), { ...refundOf([], '28'), isSurplus: true as const }];
    const paid = { ...SALE, invoice: { ...invoice, paymentMethod: 'PUE' as const }, documents: [], refunds };
    const terms = { paymentStatus: 'paid', paymentForm: '03', paymentMethod: { sat_payment_form: '03' } } as const;
    const owed = listOwed({ ...paid, ...terms }, { newKey: () => 'order-7-b', now });
    expect(owed).toMatchObject([{ kind: 'credit', amountCents: 2_850, paymentForm: '03' }]);
  });
});

it.each([
  ['unpaid', '2026-11-30T18:00:00.000Z', 'PUE', '03'],
  ['unpaid', '2026-12-01T18:00:00.000Z', 'PPD', '99'],
  ['paid', '2026-12-01T18:00:00.000Z', 'PUE', '03'],
] as const)('a replacement of an order that is %s at %s is %s with form %s', (paymentStatus, at, method, form) => {
  const order = { totalCents: 9_000, paymentStatus, paymentForm: null, paymentMethod: { sat_payment_form: '03' } };
  const when = { key: 'order-7-b', now: new Date(at), timeZone: 'America/Mexico_City' };
  const replacement = { paymentMethod: method, paymentForm: form, amountCents: 9_000, relatedUuid: UUID };
  expect(startReplacement(invoice, order, when)).toMatchObject(replacement);
});

const SUBSTITUTE = 'B1A2C3D4-275B-4341-B259-E8971D9F8A94';
const asked = taxDocument({ key: 'order-7-b', relatedUuid: UUID });
const cancel = (
  paymentStatus: 'paid' | 'unpaid',
  order: Pick<Parameters<typeof cancelSale>[0], 'invoice' | 'documents'>,
) => cancelSale({ ...SALE, ...order, paymentStatus }, { newKey: () => 'order-7-c', now });

/** Issues the replacement of the invoice of an order. */
function replace(orderStatus: 'approved' | 'cancelled', replaced: TaxDocument) {
  const stamped = { id: SUBSTITUTE, stamp: { ...ISSUED.stamp, uuid: SUBSTITUTE }, totalCents: asked.amountCents };
  const next = markIssued(asked, stamped, { orderStatus, paymentStatus: 'paid', now, timeZone: 'America/Mexico_City' });
  return promoteReplacement(
    replaceDocument({ invoice: replaced, documents: [asked] }, asked.key, next),
    asked.key,
    now,
  );
}

it('a replacement takes the place of the invoice, and substitutes it unless the order is cancelled', () => {
  expect(replace('approved', invoice)).toMatchObject({
    invoice: { key: 'order-7-b', status: 'issued' },
    documents: [{ key: 'order-7-a', status: 'cancelling', cancellation: { motive: '01', substitution: SUBSTITUTE } }],
  });
  const withoutSale = {
    invoice: { key: 'order-7-b', status: 'cancelling', cancellation: NO_SALE },
    documents: [{ key: 'order-7-a', status: 'cancelling', cancellation: NO_SALE }],
  };
  const before = cancel('paid', { invoice, documents: [asked] });
  expect(replace('cancelled', before.invoice ?? invoice)).toMatchObject(withoutSale);
  expect(cancel('paid', replace('approved', invoice))).toMatchObject(withoutSale);
});

it('a replaced invoice is open until it is cancelled, and a replacement in progress is none', () => {
  for (const status of ['cancelling', 'cancellation_pending', 'cancellation_rejected'] as const)
    expect(findReplaced({ documents: [{ ...invoice, status }] })).toMatchObject({ key: 'order-7-a' });
  expect(findReplaced({ documents: [{ ...invoice, status: 'cancelled' }, asked] })).toBeUndefined();
});

describe('an order that is cancelled', () => {
  const note = credit([{ line: 1, quantity: 0, cents: 3_600 }]);
  const payment = { ...note, kind: 'payment' } as const;

  it.each<[string, TaxDocument]>([
    ['a payment complement', payment],
    ['a payment complement that may have been issued', { ...payment, status: 'requested' }],
    ['a credit note', note],
  ])('keeps a paid invoice with %s, for refunds to be credited', (_, related) => {
    expect(cancel('paid', { invoice, documents: [related] })).toEqual({ invoice, documents: [related] });
  });

  it('credits what is left of an invoice that is not paid and has a credit note', () => {
    const rest = { kind: 'credit', status: 'retrying', amountCents: 10_000, paymentForm: '15', relatedUuid: UUID };
    const cancelled = cancel('unpaid', { invoice, documents: [note] });
    expect(cancelled).toMatchObject({ invoice, documents: [note, { ...rest, key: 'order-7-c' }] });
    const whole = credit(listOpenParts(SALE, []));
    expect(cancel('unpaid', { invoice, documents: [whole] })).toEqual({ invoice, documents: [whole] });
  });

  it.each(['retrying', 'not_issued', 'cancelled'] as const)(
    'has its invoice cancelled when a document of it is %s',
    (status) => {
      const cancelling = { status: 'cancelling', cancellation: NO_SALE };
      expect(cancel('paid', { invoice, documents: [{ ...payment, status }] }).invoice).toMatchObject(cancelling);
    },
  );
});
