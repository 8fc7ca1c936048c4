import { describe, expect, it } from 'vitest';
import { listOpenParts, type SalePart, spreadAmount, sumByRate } from '../../../shared/domain/sale-parts.ts';
import { computeTotals, type InvoiceConcept } from '../../../shared/invoices/rules/build/cfdi.ts';
import {
  buildComplement,
  buildCreditNote,
  getComplementDeadline,
} from '../../../shared/invoices/rules/build/invoice.ts';

const IVA = 160_000;
const PERSON = { legalName: 'ANA PAZ LUNA', rfc: 'PALA800101AB1', fiscalRegime: '612', zipcode: '06700' };
const receiver = { ...PERSON, cfdiUse: 'G03' };
const invoice = { receiver, expeditionZipcode: '64000', timeZone: 'America/Mexico_City' };
const UUID = '5b1d3c7e-92a4-4f0b-8e6d-0c2f7a9b1e34';

/** Returns a sale of lines of these rates and totals, the first of them with the id 1. */
const saleOf = (...lines: readonly (readonly [rateMicros: number, totalCents: number])[]) => ({
  lines: lines.map(([ivaRateMicros, totalCents], index) => ({ id: index + 1, quantity: 1, totalCents, ivaRateMicros })),
  ...{ shippingPriceCents: 0, shippingDiscountCents: 0, shippingIvaRateMicros: null },
});

// 153.90 at 0 %; 224.99 and 305.99 at 16 %, whose IVA is 36.00 and 48.96: 769.84 in all.
const SALE = saleOf([0, 15_390], [IVA, 26_099], [IVA, 35_495]);

type Noted = Partial<Parameters<typeof buildCreditNote>[0]> & { readonly amountCents: number };
const note = ({ amountCents, ...more }: Noted, sale = SALE, earlier: readonly SalePart[] = []) =>
  buildCreditNote({
    invoice,
    uuid: UUID,
    orderId: 42,
    shares: sumByRate(sale, spreadAmount(listOpenParts(sale, earlier), amountCents)),
    paymentForm: '03',
    reason: '',
    ...more,
  });

const groups = (concepts: readonly InvoiceConcept[]) =>
  computeTotals(concepts).ivaGroups.map(({ rateMicros, baseCents, ivaCents }) => [rateMicros, baseCents, ivaCents]);

describe('buildCreditNote', () => {
  it('spreads an amount over the rates in proportion, with a concept for each', () => {
    // 100.00 × 153.90 / 769.84 is 19.991…, and 80.008… is left: 68.97 + 16 % is 80.01.
    const credit = note({ amountCents: 10_000 });
    const description = 'Devolución, descuento o bonificación del pedido RX-00000042';
    const keys = { productKey: '84111506', unitKey: 'ACT', sku: '' };
    const shared = { ...keys, description, quantity: 1, discountCents: 0 };
    expect(credit).toMatchObject({
      expeditionZipcode: '64000',
      paymentForm: '03',
      creditsUuid: UUID,
      totalCents: 10_000,
    });
    expect(credit.concepts).toEqual([
      { ...shared, unitPriceMicros: 19_990_000, ivaRateMicros: 0 },
      { ...shared, unitPriceMicros: 68_970_000, ivaRateMicros: IVA },
    ]);
    expect(groups(credit.concepts)).toEqual([
      [0, 1_999, 0],
      [IVA, 6_897, 1_104],
    ]);
  });

  it('gives what earlier notes have left, and never more', () => {
    // 100.00 was 19.99 and 80.01, so that 133.91 and 535.93 are left: 462.01 with 73.92.
    const earlier = spreadAmount(listOpenParts(SALE, []), 10_000);
    expect(groups(note({ amountCents: 66_984 }, SALE, earlier).concepts)).toEqual([
      [0, 13_391, 0],
      [IVA, 46_201, 7_392],
    ]);
    expect(() => note({ amountCents: 66_985 }, SALE, earlier)).toThrow(RangeError);
    expect(() => note({ amountCents: 76_985 })).toThrow(RangeError);
  });

  it('finds a base for an amount that no base of whole cents makes', () => {
    // 0.03 is 0.03 with IVA, and 0.04 is 0.05: from 0.03125 on the IVA is 0.01, and below 0.035 the base is 0.03.
    const { concepts } = note({ amountCents: 4 }, saleOf([IVA, 11_600]));
    expect(concepts.map(({ unitPriceMicros }) => unitPriceMicros)).toEqual([31_300]);
    expect(computeTotals(concepts)).toMatchObject({ subtotalCents: 3, ivaCents: 1, totalCents: 4 });
  });

  it.each([
    ['612', 'G02'],
    ['616', 'G02'],
    ['605', 'S01'],
    ['610', 'S01'],
  ])('states to a receiver of regime %s the use %s', (fiscalRegime, cfdiUse) => {
    const invoice = { receiver: { ...receiver, fiscalRegime }, expeditionZipcode: null, timeZone: null };
    expect(note({ amountCents: 100, invoice }).receiver).toEqual({ ...receiver, fiscalRegime, cfdiUse });
  });
});

const stamp = { uuid: UUID, series: 'F', folio: '7', at: '2026-10-31T18:00:00.000Z' };
const complement = (more: Partial<Parameters<typeof buildComplement>[0]> = {}) =>
  buildComplement({
    invoice,
    stamp,
    paidAt: '2026-11-21T18:00:00.000Z',
    paymentForm: '03',
    shares: sumByRate(SALE, listOpenParts(SALE, [])),
    ...more,
  });

describe('buildComplement', () => {
  it('pays what credit notes have left, with the taxes of that', () => {
    const earlier = spreadAmount(listOpenParts(SALE, []), 10_000);
    const paid = complement({ shares: sumByRate(SALE, listOpenParts(SALE, earlier)) });
    expect(paid).toMatchObject({
      ...{ receiver: PERSON, invoice: { uuid: UUID, series: 'F', folio: '7' }, expeditionZipcode: '64000' },
      ...{ paymentForm: '03', installment: 1, balanceCents: 66_984, amountCents: 66_984 },
    });
    expect(paid.taxes).toEqual([
      { rateMicros: 0, baseCents: 13_391, ivaCents: 0 },
      { rateMicros: IVA, baseCents: 46_201, ivaCents: 7_392 },
    ]);
  });

  it('never states form 99', () => {
    expect(() => complement({ paymentForm: '99' })).toThrow(RangeError);
  });
});

describe('getComplementDeadline', () => {
  it.each([
    ['2026-11-21T18:00:00.000Z', '2026-12-05'],
    ['2026-12-31T18:00:00.000Z', '2027-01-05'],
    // Half past eleven at night on 30 November in Mexico City, and half an hour later.
    ['2026-12-01T05:30:00.000Z', '2026-12-05'],
    ['2026-12-01T06:00:00.000Z', '2027-01-05'],
  ])('of a payment at %s is %s', (paidAt, deadline) => {
    expect(getComplementDeadline(paidAt, 'America/Mexico_City')).toBe(deadline);
  });
});
