import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BasketAmounts, type BasketInput, priceBasket } from '../../../shared/domain/pricing.ts';
import { computeTotals, type Invoice, type InvoiceConcept } from '../../../shared/invoices/rules/build/cfdi.ts';
import { buildInvoice } from '../../../shared/invoices/rules/build/invoice.ts';
import { randomBasket } from '../../support/orders/random-baskets.ts';
import { tries } from '../../support/proofs/proof.ts';

const receiver = { legalName: 'A', rfc: 'PALA800101AB1', fiscalRegime: '612', cfdiUse: 'S01', zipcode: '06700' };

function invoiceOfBasket({ lines }: BasketInput, amounts: BasketAmounts): Invoice {
  const texts = { name: 'A', presentation: 'B', eanKey: '1', satKey: '51142001', satUnit: 'H87' };
  const sold = lines.map(({ unitPriceCents: priceCents, ...one }, index) => ({
    ...texts,
    ...one,
    priceCents,
    discountCents: amounts.lines[index]?.discountCents ?? 0,
  }));
  const payment = {
    ...amounts,
    paymentStatus: 'paid' as const,
    paymentMethod: { sat_payment_form: '03' },
    paymentForm: null,
    store: null,
  };
  return buildInvoice({ ...payment, lines: sold, receiver });
}

const cents = (pesos: number): number => Math.round(pesos * 100);
const conceptAmount = ({ unitPriceMicros, quantity }: InvoiceConcept): number =>
  (unitPriceMicros * quantity) / 1_000_000;
const taxBase = (concept: InvoiceConcept): number => conceptAmount(concept) - concept.discountCents / 100;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Computes the total by SAT's rules in fractions, and keeps all their digits. */
function totalInFractions({ concepts }: Invoice): number {
  const ivaAt = (rate: number) =>
    sum(concepts.filter((one) => one.ivaRateMicros === rate).map((one) => (taxBase(one) * rate) / 1_000_000));
  const subtotal = cents(sum(concepts.map(conceptAmount)));
  return subtotal - sum(concepts.map((one) => one.discountCents)) + sum([0, 80_000, 160_000].map(ivaAt).map(cents));
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const chargedLines = (amounts: BasketAmounts): number =>
  amounts.lines.filter((one) => one.subtotalCents > one.discountCents).length;

function brokenRules(input: BasketInput): string[] {
  const amounts = priceBasket(input);
  const invoice = invoiceOfBasket(input, amounts);
  const totals = computeTotals(invoice.concepts);
  const feeCents = amounts.shippingPriceCents - amounts.shippingDiscountCents;
  const holds: Record<string, boolean> = {
    'the invoice has the total of the order': totals.totalCents === amounts.totalCents,
    'a computation in fractions gives the same total': totalInFractions(invoice) === amounts.totalCents,
    'the summary adds up': totals.subtotalCents - totals.discountCents + totals.ivaCents === totals.totalCents,
    'every concept has a base': invoice.concepts.every((concept) => taxBase(concept) > 0),
    'a discount is within its concept': invoice.concepts.every((one) => one.discountCents / 100 <= conceptAmount(one)),
    'there is one concept for each charged line and fee':
      invoice.concepts.length === chargedLines(amounts) + Number(feeCents > 0),
    'the fee is at most a cent off its base':
      feeCents === 0 ||
      Math.abs(
        (invoice.concepts.at(-1)?.unitPriceMicros ?? 0) -
          (feeCents * 10_000) / (1 + input.shipping.ivaRateMicros / 1e6),
      ) < 10_000,
  };
  return Object.keys(holds).filter((rule) => !holds[rule]);
}

describe('buildInvoice, for random orders', () => {
  it('has the total of the order to the cent, and keeps every other rule', { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(randomBasket, (input) => {
        const broken = brokenRules(input);
        if (broken.length > 0) expect(broken).toEqual([]);
      }),
      { numRuns: tries(1_000, 40_000) },
    );
  });

  // A base that is 25 cents higher has 4 cents more of IVA at 16 %, and 2 at 8 %, so the sums repeat from there on.
  it.each([80_000, 160_000])('has a base for every fee at %d, beside every amount of goods at it', (ivaRateMicros) => {
    const baskets = range(29 * 25).map((index): BasketInput => {
      const shipping = { priceCents: 1 + (index % 29), discountCents: 0, ivaRateMicros };
      const goods = { unitPriceCents: Math.floor(index / 29), quantity: 1, ivaRateMicros };
      return { coupon: null, shipping, lines: [goods] };
    });
    expect(baskets.filter((basket) => brokenRules(basket).length > 0)).toEqual([]);
  });
});
