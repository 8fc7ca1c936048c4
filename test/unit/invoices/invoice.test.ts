import { describe, expect, it } from 'vitest';
import { priceBasket } from '../../../shared/domain/pricing.ts';
import { computeTotals, type InvoiceConcept } from '../../../shared/invoices/rules/build/cfdi.ts';
import { buildInvoice, type InvoicedLine, type InvoicedOrder } from '../../../shared/invoices/rules/build/invoice.ts';
import {
  getIssueTimeZone,
  getPlaceOfIssue,
  type IssuingStore,
  toIssueInstant,
} from '../../../shared/invoices/rules/place-of-issue.ts';

const IVA = 160_000;
const taxpayer = { rfc: 'PALA800101AB1', fiscalRegime: '612', cfdiUse: 'G03', zipcode: '06700' };
const receiver = { ...taxpayer, legalName: 'ANA PAZ LUNA' };

const line = (more: Partial<InvoicedLine> = {}): InvoicedLine => ({
  name: 'Paracetamol',
  presentation: '500 mg, 20 tabletas',
  eanKey: '7509999000017',
  satKey: '51142001',
  satUnit: 'H87',
  quantity: 1,
  priceCents: 10_000,
  discountCents: 0,
  ivaRateMicros: 0,
  ...more,
});

const order = (
  lines: readonly InvoicedLine[],
  totalCents: number,
  more: Partial<InvoicedOrder> = {},
): InvoicedOrder => ({
  receiver,
  lines,
  paymentStatus: 'unpaid',
  paymentMethod: { sat_payment_form: '03' },
  paymentForm: null,
  shippingPriceCents: 0,
  shippingDiscountCents: 0,
  shippingIvaRateMicros: IVA,
  store: null,
  totalCents,
  ...more,
});

// The lines are 171.00 at 0 %, 249.99 and 339.99 at 16 %, less 10 %.
const WORKED = [
  line({ quantity: 2, priceCents: 8_550, discountCents: 1_710 }),
  line({ quantity: 1, priceCents: 24_999, discountCents: 2_500, ivaRateMicros: IVA }),
  line({ quantity: 3, priceCents: 11_333, discountCents: 3_400, ivaRateMicros: IVA }),
];

describe('buildInvoice', () => {
  it('has a concept for each line, with its discount, and one for the shipment without the IVA of its fee', () => {
    // 50.00 / 1.16 = 43.103448 would come to 819.83; from 43.105 on the subtotal is 804.09 and not 804.08.
    const shipped = order(WORKED, 81_984, { shippingPriceCents: 9_900, shippingDiscountCents: 4_900 });
    const { concepts, ...invoice } = buildInvoice(shipped);
    expect(invoice).toMatchObject({ expeditionZipcode: null, replacesUuid: null, totalCents: 81_984 });
    const medicine = { description: 'Paracetamol 500 mg, 20 tabletas', productKey: '51142001', unitKey: 'H87' };
    const fee = { description: 'Servicio de envío', productKey: '78102203', unitKey: 'E48', sku: '' };
    expect([concepts[0], concepts.at(-1)]).toEqual([
      {
        ...{ ...medicine, sku: '7509999000017', quantity: 2 },
        ...{ unitPriceMicros: 85_500_000, discountCents: 1_710, ivaRateMicros: 0 },
      },
      { ...fee, quantity: 1, unitPriceMicros: 43_105_100, discountCents: 0, ivaRateMicros: IVA },
    ]);
  });

  it.each([
    // 1.03 and 0.16, and 90.00: 90.00 / 1.16 = 77.586207 would come to 91.20; below 77.585 the subtotal is 78.61.
    ['lower where the total is too high', [line({ priceCents: 103, ivaRateMicros: IVA })], 9_000, 9_119, 77_584_899],
    // 0.01 / 1.16 = 0.008621, which is 0.01, and its IVA 0.00.
    ['there for a fee of one cent', [], 1, 1, 8_621],
    // 116.00 is 100.00 and 16.00.
    ['exact where it fits', [line()], 11_600, 21_600, 100_000_000],
  ])('has a base of the fee that is %s', (_, lines, shippingPriceCents, totalCents, unitPriceMicros) => {
    const { concepts } = buildInvoice(order(lines, totalCents, { shippingPriceCents }));
    expect(concepts.at(-1)?.unitPriceMicros).toBe(unitPriceMicros);
  });

  it('leaves out lines and fees that cost nothing: a quantity of 0, a gift, a line that its coupon pays, free shipping', () => {
    const lines = [
      line({ quantity: 0 }),
      line({ priceCents: 0 }),
      line({ discountCents: 10_000, ivaRateMicros: IVA }),
      line({ discountCents: 9_999 }),
      line({ quantity: 3, priceCents: 100, discountCents: 299 }),
    ];
    const free = { shippingPriceCents: 9_900, shippingDiscountCents: 9_900 };
    const { concepts } = buildInvoice(order(lines, 2, free));
    expect(concepts.map(({ discountCents }) => discountCents)).toEqual([9_999, 299]);
  });

  it('refuses an order whose total is not that of its lines and its fee at their rates', () => {
    const priced = order([line({ ivaRateMicros: IVA })], 11_600);
    expect(buildInvoice(priced).totalCents).toBe(11_600);
    const atEight = [line({ ivaRateMicros: 80_000 })];
    expect(() => buildInvoice({ ...priced, lines: atEight })).toThrow('the totals of order and invoice differ');
    const shipped = order([line({ ivaRateMicros: IVA })], 21_500, { shippingPriceCents: 9_900 });
    expect(buildInvoice(shipped).totalCents).toBe(21_500);
    expect(() => buildInvoice({ ...shipped, lines: atEight })).toThrow(RangeError);
    expect(() => buildInvoice({ ...shipped, shippingIvaRateMicros: null })).toThrow('a fee has a rate of IVA');
  });

  it.each([
    ['unpaid', '04', null, 'PUE', '04'],
    ['processing', '04', '28', 'PUE', '04'],
    ['paid', '01', '28', 'PUE', '28'],
    ['paid', '99', '03', 'PUE', '03'],
    ['paid', '99', null, 'PPD', '99'],
    ['credit', '03', null, 'PPD', '99'],
  ] as const)(
    'gives an order that is %s by a method of form %s, and paid in form %s, the method %s and the form %s',
    (paymentStatus, satPaymentForm, paymentForm, method, form) => {
      const paymentMethod = { sat_payment_form: satPaymentForm };
      const paid = order([line()], 10_000, { paymentStatus, paymentMethod, paymentForm });
      expect(buildInvoice(paid)).toMatchObject({ paymentMethod: method, paymentForm: form });
    },
  );

  it("writes the receiver as SAT's records do", () => {
    const written = { ...receiver, legalName: ' Muñoz|e  Hijos ', rfc: ' mup800101ab1' };
    const record = { ...receiver, legalName: 'MUÑOZ E HIJOS', rfc: 'MUP800101AB1' };
    expect(buildInvoice({ ...order([line()], 10_000), receiver: written }).receiver).toEqual(record);
  });

  it('describes a product by name and presentation, in the characters of a CFDI', () => {
    const described = (name: string, presentation: string) =>
      buildInvoice(order([line({ name, presentation })], 10_000)).concepts[0]?.description;
    expect(described('Ácido fólico', '')).toBe('Ácido fólico');
    expect(described('Crema|A', ' tubo \n 30 g ')).toBe('Crema A tubo 30 g');
    expect(described('|', '')).toBe('51142001');
    expect(described('ñ'.repeat(600), 'o'.repeat(600))).toBe(`${'ñ'.repeat(600)} ${'o'.repeat(399)}`);
  });
});

describe('computeTotals', () => {
  it('rounds every sum once, by rate', () => {
    const fee = { shippingPriceCents: 9_900, shippingDiscountCents: 4_900 };
    expect(computeTotals(buildInvoice(order(WORKED, 81_984, fee)).concepts)).toEqual({
      subtotalCents: 80_409,
      discountCents: 7_610,
      ivaGroups: [
        { rateMicros: 0, baseCents: 15_390, ivaCents: 0 },
        // 224.99 + 305.99 + 43.1051 = 574.0851, and 16 % of it is 91.853616.
        { rateMicros: IVA, baseCents: 57_409, ivaCents: 9_185 },
      ],
      ivaCents: 9_185,
      totalCents: 81_984,
    });
  });

  it('refuses sums that are no longer exact', () => {
    const [concept] = buildInvoice(order([line()], 10_000)).concepts;
    expect(() => computeTotals([{ ...(concept as InvoiceConcept), quantity: 2 ** 52 }])).toThrow(RangeError);
  });
});

/** Computes the total by SAT's rules in binary fractions, as a provider may. */
function totalInFractions(concepts: readonly InvoiceConcept[]): number {
  const [amounts, iva] = [0, 1].map((isTax) =>
    concepts.reduce((sum, { unitPriceMicros, quantity, ivaRateMicros }) => {
      const amount = (unitPriceMicros * quantity) / 1_000_000;
      return sum + (isTax ? (amount * ivaRateMicros) / 1_000_000 : amount);
    }, 0),
  );
  return Math.round((amounts ?? 0) * 100) + Math.round((iva ?? 0) * 100);
}

// `tax-year.property.test.ts` has random orders. A base that is 25 cents higher has 4 cents more of IVA at 16 %, and 2 at 8 %, so
// the sums repeat from there on.
it.each([80_000, 160_000])('every fee at %d has a base, beside every amount of goods at it', (ivaRateMicros) => {
  const wrong = Array.from({ length: 29 * 25 }, (_, index) => {
    const feeCents = 1 + (index % 29);
    const goods = { unitPriceCents: Math.floor(index / 29), quantity: 1, ivaRateMicros };
    const shipping = { priceCents: feeCents, discountCents: 0, ivaRateMicros };
    const { lines, totalCents, ...fees } = priceBasket({ coupon: null, shipping, lines: [goods] });
    const sold = lines.map(() => line({ priceCents: goods.unitPriceCents, ivaRateMicros }));
    const { concepts } = buildInvoice({ ...order(sold, totalCents), ...fees, lines: sold });
    const offMicros = (concepts.at(-1)?.unitPriceMicros ?? 0) - (feeCents * 10_000) / (1 + ivaRateMicros / 1e6);
    const totals = [computeTotals(concepts).totalCents, totalInFractions(concepts)];
    return totals.every((total) => total === totalCents) && Math.abs(offMicros) < 10_000 ? [] : [index];
  });
  expect(wrong.flat()).toEqual([]);
});

const branch = (zipcode: string, more: Partial<IssuingStore> = {}) => ({
  store: { zipcode, is_sat_branch: true, time_zone: null, ...more },
});

describe('the place of issue', () => {
  // Municipalities of the border and their neighbours in another zone.
  it.each([
    ['America/Tijuana', '22000 21000 22999'],
    ['America/Mexico_City', '20999 25000 26340 26700 27499 27550 64000 65070 86000 87600 87980 88880 88890 89000'],
    ['America/Mazatlan', '23000 63000 63724 63740 80000'],
    [
      'America/Matamoros',
      '26030 26120 26170 26200 26328 26400 26450 26500 26530 26600 26640 26670 27500 27545 65030 87300 87500 88000 88300 88370 88390 88400 88440 88500 88810 88900',
    ],
    ['America/Chihuahua', '31000 31810 31850 32800 32900 32950 33000'],
    ['America/Ciudad_Juarez', '31820 31840 32000 32730 32740 32780'],
    ['America/Ojinaga', '32850 32880 32980'],
    ['America/Bahia_Banderas', '63729 63735'],
    ['America/Cancun', '77500'],
    ['America/Hermosillo', '83000'],
  ])('of a branch has the time zone %s in %s', (timeZone, zipcodes) => {
    for (const zipcode of zipcodes.split(' '))
      expect(getPlaceOfIssue(branch(zipcode))).toEqual({ expeditionZipcode: zipcode, timeZone });
  });

  it('has the time zone that is published of a branch', () => {
    const published = { expeditionZipcode: '22000', timeZone: 'America/Ojinaga' };
    expect(getPlaceOfIssue(branch('22000', { time_zone: 'America/Ojinaga' }))).toEqual(published);
  });

  it.each([
    ['a delivery', { store: null }],
    ['a store that is no branch', branch('22000', { is_sat_branch: false })],
  ])("is the issuer's own for %s", (_, order) => {
    expect(getPlaceOfIssue(order)).toEqual({ expeditionZipcode: null, timeZone: null });
    expect(getIssueTimeZone(order, {}, 'America/Monterrey')).toBe('America/Monterrey');
  });

  it("is the issuer's own for a credit note of a global invoice, whichever branch sold", () => {
    const zoneOf = (document: { globalZipcode?: string }) =>
      getIssueTimeZone(branch('22000'), document, 'America/Monterrey');
    expect([zoneOf({}), zoneOf({ globalZipcode: '06700' })]).toEqual(['America/Tijuana', 'America/Monterrey']);
  });
});

describe('toIssueInstant', () => {
  it.each([
    ['2026-12-01T00:30:00', 'America/Mexico_City', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00', 'America/Tijuana', '2026-12-01T08:30:00.000Z'],
    ['2026-07-01T00:30:00', 'America/Tijuana', '2026-07-01T07:30:00.000Z'],
    ['2026-12-01T00:30:00.250', 'America/Cancun', '2026-12-01T05:30:00.000Z'],
    ['2026-12-01T00:30', 'America/Hermosillo', '2026-12-01T07:30:00.000Z'],
    ['2026-12-01 00:30:00', 'America/Mexico_City', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00-0600', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T06:30:00.000Z', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00-06:00', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
  ])('reads %s in %s as %s', (written, timeZone, instant) => {
    expect(toIssueInstant(written, timeZone)).toBe(instant);
  });

  it.each(['', 'hoy', '2026-12-01', '2026-13-01T00:30:00', 'Dec 1, 2026 00:30'])('refuses "%s"', (written) => {
    expect(() => toIssueInstant(written, 'America/Mexico_City')).toThrow(RangeError);
  });
});
