import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localMonth, shiftMonth } from '../../../shared/domain/working-day.ts';
import { computeSalesTotals } from '../../../shared/invoices/rules/build/cfdi.ts';
import { getGlobalStatus, toNetSale } from '../../../shared/invoices/rules/global/global-sale.ts';
import {
  buildGlobalInvoice,
  fitSales,
  globalDueAt,
  globalWaitsUntil,
  type SoldOrder,
} from '../../../shared/invoices/rules/global/sales.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { tries } from '../../support/proofs/proof.ts';

const ZONE = 'America/Mexico_City';

const paidOrder = {
  orderStatus: 'delivered',
  paymentStatus: 'paid',
  totalCents: 11_600,
  paymentDate: '2026-11-21T23:00:00.000Z',
  global: null,
  invoice: null,
  documents: [],
} as const;

describe('getGlobalStatus', () => {
  const [issued, requested] = [taxDocument({ status: 'issued' }), taxDocument({ status: 'requested' })];
  const cancelled = taxDocument({ status: 'cancelled' });
  it.each<[string, Partial<Parameters<typeof getGlobalStatus>[0]>, 'ready' | 'waiting' | null]>([
    ['a paid order without an invoice', {}, 'ready'],
    ['an order whose invoice was not issued', { invoice: taxDocument({ status: 'not_issued' }) }, 'ready'],
    ['an order whose invoice was cancelled', { invoice: cancelled }, 'ready'],
    ['an order whose invoice is requested', { invoice: requested }, 'waiting'],
    ['an order whose invoice is tried again', { invoice: taxDocument({ status: 'retrying' }) }, 'waiting'],
    ['an order whose invoice is issued', { invoice: issued }, null],
    ['an order whose invoice is being cancelled', { invoice: taxDocument({ status: 'cancelling' }) }, null],
    ['an order whose receiver refused', { invoice: taxDocument({ status: 'cancellation_rejected' }) }, null],
    ['an order with a valid replacement', { invoice: cancelled, documents: [issued] }, null],
    ['an order that was refunded in part', { refunds: [{ cents: 11_599 }] }, 'ready'],
    ['an order that was refunded', { refunds: [{ cents: 11_000 }, { cents: 600 }] }, null],
    ['an order with a credit note alone', { documents: [{ ...issued, kind: 'credit' }] }, 'ready'],
    ['an order on credit', { paymentStatus: 'credit', paymentDate: null }, null],
    ['a cancelled order', { orderStatus: 'cancelled' }, null],
    ['an order that costs nothing', { totalCents: 0 }, null],
    ['an order that is in one', { global: { period: '2026-11', part: 1 } }, null],
  ])('of %s', (_, change, standing) => {
    expect(getGlobalStatus({ ...paidOrder, ...change })).toBe(standing);
  });
});

it('the period is a local month, due 24 hours after its end, which waits for half of them', () => {
  expect(localMonth(new Date('2026-12-01T05:59:59.999Z'), ZONE)).toBe('2026-11');
  expect(localMonth(new Date('2026-12-01T06:00:00.000Z'), ZONE)).toBe('2026-12');
  expect(globalDueAt('2026-11', ZONE)).toEqual(new Date('2026-12-02T06:00:00.000Z'));
  expect(globalWaitsUntil('2026-11', ZONE)).toEqual(new Date('2026-12-01T18:00:00.000Z'));
  expect([shiftMonth('2026-12', 1), shiftMonth('2027-01', -2)]).toEqual(['2027-01', '2026-11']);
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const sold = (folio: string, shares: SoldOrder['shares'], paymentForm = '04'): SoldOrder => ({
  ...{ folio, paymentForm, shares },
  totalCents: sum(shares.map(({ cents }) => cents)),
});

// The worked example of the rules of money: 153.90 without IVA, 260.99 and 354.95 with 16 %, shipping 99.00 less 49.00.
const WORKED = {
  totalCents: 81_984,
  shippingPriceCents: 9_900,
  shippingDiscountCents: 4_900,
  shippingIvaRateMicros: 160_000,
  lines: [
    { id: 1, quantity: 1, totalCents: 15_390, ivaRateMicros: 0 },
    { id: 2, quantity: 1, totalCents: 26_099, ivaRateMicros: 160_000 },
    { id: 3, quantity: 1, totalCents: 35_495, ivaRateMicros: 160_000 },
  ],
};
const worked: SoldOrder = { folio: 'RX-00000007', paymentForm: '04', ...toNetSale(WORKED, []) };

const buildNovember = (orders: readonly SoldOrder[]) =>
  buildGlobalInvoice({ period: '2026-11', zipcode: '06700', orders });

describe('buildGlobalInvoice', () => {
  it('has one sale an order, with base and IVA of each rate at six decimals', () => {
    const tenOfBorder = sold('RX-00000008', [{ rateMicros: 80_000, cents: 1_080 }], '03');
    expect(buildNovember([worked, tenOfBorder])).toEqual({
      kind: 'global',
      expeditionZipcode: '06700',
      period: { month: '11', year: 2026 },
      paymentForm: '04',
      totalCents: 83_064,
      sales: [
        {
          folio: 'RX-00000007',
          amountMicros: 727_986_207n,
          taxes: [
            { rateMicros: 0, baseMicros: 153_900_000n, ivaMicros: 0n },
            { rateMicros: 160_000, baseMicros: 574_086_207n, ivaMicros: 91_853_793n },
          ],
        },
        {
          folio: 'RX-00000008',
          amountMicros: 10_000_000n,
          taxes: [{ rateMicros: 80_000, baseMicros: 10_000_000n, ivaMicros: 800_000n }],
        },
      ],
    });
  });

  it('states the form of the largest sale', () => {
    const of = (cents: number, paymentForm: string) => sold('RX-1', [{ rateMicros: 0, cents }], paymentForm);
    const [small, large] = [of(100, '01'), of(101, '28')];
    expect(buildNovember([small, large, small]).paymentForm).toBe('28');
  });

  it('refuses an order whose lines do not add up, no orders at all, and a total that no base fits', () => {
    expect(() => toNetSale({ ...WORKED, totalCents: 81_985 }, [])).toThrow(RangeError);
    expect(() => buildNovember([])).toThrow(RangeError);
    expect(() => fitSales(buildNovember([worked]).sales, 81_995)).toThrow(RangeError);
  });
});

/** Expects a global invoice of what was paid, to the cent, also of a provider that computes in binary fractions. */
function expectExact(orders: readonly SoldOrder[]): void {
  const paidCents = sum(orders.map(({ totalCents }) => totalCents));
  const { sales, totalCents } = buildNovember(orders);
  const taxes = sales.flatMap((sale) => sale.taxes);
  const iva = [80_000, 160_000].map((rate) => {
    const bases = taxes.filter(({ rateMicros }) => rateMicros === rate).map(({ baseMicros }) => Number(baseMicros));
    return Math.round(sum(bases.map((base) => (base * rate) / 1e10)));
  });
  const inFractions = sum(iva) + Math.round(sum(sales.map(({ amountMicros }) => Number(amountMicros) / 1e4)));
  expect([totalCents, computeSalesTotals(sales).totalCents, inFractions]).toEqual(Array(3).fill(paidCents));
  expect(taxes.every(({ baseMicros }) => baseMicros > 0n)).toBe(true);
  const off = sales.map(({ amountMicros, taxes: own }, index) => {
    const micros = own.reduce((total, { ivaMicros }) => total + ivaMicros, amountMicros);
    return Math.abs(Number(micros) / 1e4 - (orders[index]?.totalCents ?? 0));
  });
  expect(Math.max(...off)).toBeLessThan(1);
}

const randomOrder = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 300_000 }), fc.constantFrom(0, 80_000, 160_000)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((lines) => {
    const shares = Map.groupBy(lines, ([, rateMicros]) => rateMicros);
    return sold(
      'RX-1',
      [...shares]
        .map(([rateMicros, same]) => ({ rateMicros, cents: sum(same.map(([cents]) => cents)) }))
        .sort((one, other) => one.rateMicros - other.rateMicros),
    );
  });

it('random orders add up to what was paid, to the cent', { timeout: 3_600_000 }, () => {
  const orders = fc.array(randomOrder, { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(orders, expectExact), { numRuns: tries(300, 20_000) });
});

it('thousands of equal orders add up to what was paid, to the cent', { timeout: 3_600_000 }, () => {
  const orders = fc.tuple(randomOrder, fc.integer({ min: 1_000, max: 2_000 }));
  const property = fc.property(orders, ([order, count]) => expectExact(Array(count).fill(order)));
  fc.assert(property, { numRuns: tries(3, 500) });
});
