import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BasketInput, priceBasket } from '../../../shared/domain/pricing.ts';
import { listOpenParts } from '../../../shared/domain/sale-parts.ts';
import { getTaxRetentionEnd, type TaxedOrder } from '../../../shared/erasure/erase-order.ts';
import type { GlobalPart } from '../../../shared/invoices/global/global-parts.ts';
import { negate, toBareRow, toDocumentRow, toGlobalRow } from '../../../shared/invoices/rules/accounting.ts';
import type { Order } from '../../../shared/order/order.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import { randomBasket } from '../../support/orders/random-baskets.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { tries } from '../../support/proofs/proof.ts';

const ZONE = 'America/Mexico_City';

function orderOf(basket: BasketInput): Order {
  const { lines, ...amounts } = priceBasket(basket);
  const order = syntheticOrder({ id: 7, quantities: basket.lines.map(({ quantity }) => quantity) });
  const sold = order.lines.map((line, index) => ({
    ...line,
    priceCents: basket.lines[index]?.unitPriceCents ?? 0,
    ...lines[index],
  }));
  // The last instant of November in Mexico.
  const paid = { paymentStatus: 'paid', paymentForm: '03', paymentDate: '2026-12-01T05:59:59.999Z' } as const;
  return { ...order, ...amounts, ...paid, lines: sold };
}

const twoRates = orderOf({
  lines: [
    { unitPriceCents: 8_550, quantity: 2, ivaRateMicros: 0 },
    { unitPriceCents: 24_999, quantity: 1, ivaRateMicros: 160_000 },
    { unitPriceCents: 11_333, quantity: 3, ivaRateMicros: 160_000 },
  ],
  coupon: { valueMicros: 100_000, has_free_shipping: false },
  shipping: { priceCents: 9_900, discountCents: 4_900, ivaRateMicros: 160_000 },
});
const invoice = taxDocument({ status: 'issued', amountCents: 81_984, stamp: ISSUED.stamp });

describe('the rows of accounting', () => {
  it('have what an invoice says, by rate, with local dates', () => {
    expect(toDocumentRow({ ...twoRates, invoice }, invoice, ZONE)).toEqual({
      order: 7,
      folio: 'RX-00000007',
      kind: 'ingreso',
      uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
      status: 'valid',
      stamped_on: '2026-11-23',
      cancelled_on: '',
      base_0: '153.90',
      base_8: '0.00',
      iva_8: '0.00',
      base_16: '574.09',
      iva_16: '91.85',
      shipping: '50.00',
      discount: '76.10',
      total: '819.84',
      paid_on: '2026-11-30',
      payment_form: '03',
      payment_method: 'PUE',
      related_uuid: '',
      complement_uuid: '',
    });
  });

  it('have the issued total, beside the bases and the IVA of the order', () => {
    const rounded = { ...invoice, issuedCents: 81_985 };
    const row = toDocumentRow({ ...twoRates, invoice: rounded }, rounded, ZONE);
    expect(row).toMatchObject({ base_0: '153.90', base_16: '574.09', iva_16: '91.85', total: '819.85' });
    // The order has changed since its invoice.
    const changed = toDocumentRow({ ...twoRates, invoice, totalCents: 1 }, invoice, ZONE);
    expect(changed).toMatchObject({ base_0: '0.00', base_16: '0.00', total: '819.84' });
  });

  it('have a cancelled invoice as cancelled', () => {
    // The first instant of December in Mexico.
    const cancelled = { ...invoice, status: 'cancelled', cancelledAt: '2026-12-01T06:00:00.000Z' } as const;
    const row = toDocumentRow({ ...twoRates, invoice: cancelled }, cancelled, ZONE);
    expect(row).toMatchObject({ status: 'cancelled', cancelled_on: '2026-12-01', total: '819.84' });
    expect(negate(row)).toEqual({
      ...row,
      ...{ base_0: '-153.90', base_16: '-574.09', iva_16: '-91.85' },
      ...{ shipping: '-50.00', discount: '-76.10', total: '-819.84' },
    });
  });

  it('have the rates of the lines that a credit note is of', () => {
    const [, ...parts] = listOpenParts(twoRates, []);
    const related = { kind: 'credit', relatedUuid: '0F8E4D0A-0002-4341-B259-E8971D9F8A94' } as const;
    const credit = { ...invoice, ...related, issuedAt: ISSUED.stamp.at, key: 'order-7-b', amountCents: 66_594, parts };
    const bases = { base_0: '0.00', base_16: '574.09', iva_16: '91.85', total: '665.94' };
    const row = { kind: 'egreso', related_uuid: related.relatedUuid, ...bases };
    expect(toDocumentRow({ ...twoRates, documents: [credit] }, credit, ZONE)).toMatchObject(row);
  });

  it('name the complement of an invoice, which names the invoice, and split what it pays by rate', () => {
    const stamp = { ...ISSUED.stamp, uuid: '0F8E4D0A-0001-4341-B259-E8971D9F8A94' };
    const payment = { ...invoice, kind: 'payment', key: 'order-7-b', stamp, relatedUuid: ISSUED.stamp.uuid } as const;
    // Neither a credit note in progress nor that of another sale counts.
    const open = { ...payment, kind: 'credit', key: 'order-7-c', status: 'requested', stamp: null } as const;
    const [, ...parts] = listOpenParts(twoRates, []);
    const other = { ...open, key: 'order-7-d', relatedUuid: stamp.uuid, issuedAt: ISSUED.stamp.at, parts };
    const order = { ...twoRates, invoice, documents: [open, other, payment] };
    expect(toDocumentRow(order, invoice, ZONE)).toMatchObject({ complement_uuid: stamp.uuid });
    const paid = { base_0: '153.90', base_16: '574.09', iva_16: '91.85', shipping: '0.00', total: '819.84' };
    const row = { ...paid, kind: 'pago', related_uuid: ISSUED.stamp.uuid };
    expect(toDocumentRow(order, payment, ZONE)).toMatchObject(row);
  });

  it('have an order without a document, and one of a global invoice that is not issued yet', () => {
    expect(toBareRow(twoRates, ZONE)).toMatchObject({ kind: '', uuid: '', status: 'none', total: '819.84' });
    const part = { status: 'requested', stamp: null, issuedAt: null } as GlobalPart;
    expect(toGlobalRow(twoRates, part, ZONE)).toMatchObject({ kind: 'global', uuid: '', status: 'requested' });
  });

  it('have base and IVA that add up to what the order charged, over random orders', { timeout: 3_600_000 }, () => {
    const cents = (text: string) => Number(text.replace('.', ''));
    let charged = 0;
    let exported = 0;
    fc.assert(
      fc.property(randomBasket, fc.constantFrom('own', 'global', 'none'), (basket, document) => {
        const order = orderOf(basket);
        const own = taxDocument({ status: 'issued', amountCents: order.totalCents, stamp: ISSUED.stamp });
        const rows = {
          own: () => toDocumentRow({ ...order, invoice: own }, own, ZONE),
          global: () => toGlobalRow(order, { status: 'issued', stamp: ISSUED.stamp } as GlobalPart, ZONE),
          none: () => toBareRow(order, ZONE),
        };
        const row = rows[document]();
        const parts = [row.base_0, row.base_8, row.iva_8, row.base_16, row.iva_16].map(cents);
        const { subtotalCents, discountCents, ivaCents, shippingPriceCents, shippingDiscountCents } = order;
        charged += subtotalCents - discountCents + ivaCents + shippingPriceCents - shippingDiscountCents;
        exported += parts.reduce((sum, part) => sum + part, 0);
        expect(exported).toBe(charged);
        expect(cents(row.total)).toBe(order.totalCents);
        expect(cents(row.shipping)).toBe(shippingPriceCents - shippingDiscountCents);
        expect(cents(row.discount)).toBe(discountCents);
      }),
      { numRuns: tries(500, 10_000) },
    );
  });
});

describe('the records of an order', () => {
  const ORDER: TaxedOrder = { createdAt: '2026-11-23T18:00:00.000Z', paymentDate: null, invoice: null, documents: [] };
  // The return of 2026 is due by 30 April 2027, and the term ends five years later. The year is that of the shop.
  it.each<[string, Partial<TaxedOrder>, string]>([
    ['of the last millisecond of 2026', { createdAt: '2027-01-01T05:59:59.999Z' }, '2032-04-30'],
    ['of the first millisecond of 2027', { createdAt: '2027-01-01T06:00:00.000Z' }, '2033-04-30'],
    ['paid a year later', { paymentDate: '2027-11-23T18:00:00.000Z' }, '2033-04-30'],
    ['invoiced in January', { invoice: { issuedAt: '2027-01-02T18:00:00.000Z' } }, '2033-04-30'],
    ['not invoiced yet', { invoice: { issuedAt: null } }, '2032-04-30'],
    [
      'with complements or credit notes, from the last of them',
      { documents: [{ issuedAt: '2028-01-04T18:00:00.000Z' }, { issuedAt: '2027-06-01T18:00:00.000Z' }] },
      '2034-04-30',
    ],
  ])('%s are needed for five years', (_, order, day) => {
    expect(getTaxRetentionEnd({ ...ORDER, ...order }, ZONE)).toBe(day);
  });
});
