import { describe, expect, it } from 'vitest';
import { listOpenParts, type SalePart, spreadAmount, sumParts } from '../../../shared/domain/sale-parts.ts';
import { getUncreditedSaleCents } from '../../../shared/invoices/rules/global/global-sale.ts';
import {
  chooseCreditOfRefund,
  isComplementDue,
  listOwed,
  startReplacement,
} from '../../../shared/invoices/rules/owed-documents.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';

/* The documents that follow an invoice: its complement, the credit notes of its refunds, and its replacement. */

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
  const list = (documents: TaxDocument[]) =>
    listOwed({ ...paid, documents }, { newKey: () => 'order-7-b', now }).map(({ kind, amountCents, paymentForm }) => [
      ...[kind, amountCents, paymentForm],
    ]);

  it('owes one complement of what is not credited', () => {
    expect(list([])).toEqual([['payment', 13_600, '28']]);
    expect(list([credit([line], '15')])).toEqual([['payment', 10_750, '28']]);
    expect(list([credit(listOpenParts(SALE, []), '15')])).toEqual([]);
    expect(list([taxDocument({ kind: 'payment', status: 'retrying', relatedUuid: UUID })])).toEqual([]);
    expect(list([taxDocument({ kind: 'payment', status: 'not_issued', relatedUuid: UUID })])).toHaveLength(1);
  });

  it('waits for it, unless all is credited', () => {
    expect(isComplementDue(invoice, { ...paid, documents: [credit([line])] })).toBe(true);
    expect(isComplementDue(invoice, { ...paid, documents: [credit(listOpenParts(SALE, []))] })).toBe(false);
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
