import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FiscalDocument, GlobalInvoice, Invoice } from '../../../shared/invoices/rules/build/cfdi.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import { type ClosedMonth, type LivingOrder, type StampedDocument, TaxYear } from '../../support/invoices/tax-year.ts';
import { BRANCH_ZIPCODE, randomPlan } from '../../support/invoices/year-plans.ts';
import { prove, seed, tries } from '../../support/proofs/proof.ts';

/*
 * The tax documents of a year of random orders state what the orders state, and every paid order is in exactly one income
 * document. The rules add up what the documents and the orders say, without any code that builds documents.
 */

const CENT = 10_000n;
const toMicros = (cents: number): bigint => BigInt(cents) * CENT;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one);
const roundTo = (unit: bigint, amount: bigint): bigint => ((amount + unit / 2n) / unit) * unit;
const sumCents = (amounts: readonly { readonly cents: number }[]): number =>
  amounts.reduce((total, { cents }) => total + cents, 0);

/** Returns the names of the rules that are broken. */
const broken = (rules: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));

type Rates = ReadonlyMap<number, bigint>;
type Sums = { readonly total: bigint; readonly rates: Rates };

/** Returns the total of an invoice or a credit note, and base and IVA of each rate together, in millionths of a peso. */
function addUp(content: Exclude<FiscalDocument, { kind: 'payment' }>): Sums {
  const lines =
    content.kind === 'global'
      ? content.sales.map(({ amountMicros, taxes }) => ({ amount: amountMicros, discount: 0n, taxes }))
      : content.concepts.map(({ quantity, unitPriceMicros, discountCents, ivaRateMicros: rateMicros }) => {
          const amount = BigInt(unitPriceMicros) * BigInt(quantity);
          const baseMicros = amount - toMicros(discountCents);
          const ivaMicros = roundTo(1_000_000n, baseMicros * BigInt(rateMicros)) / 1_000_000n;
          return { amount, discount: toMicros(discountCents), taxes: [{ rateMicros, baseMicros, ivaMicros }] };
        });
  const byRate = Map.groupBy(
    lines.flatMap(({ taxes }) => taxes),
    ({ rateMicros }) => rateMicros,
  );
  const iva = [...byRate.values()].map((taxes) => roundTo(CENT, sum(taxes.map(({ ivaMicros }) => ivaMicros))));
  const rates = [...byRate].map(([rate, taxes], index): [number, bigint] => {
    return [rate, roundTo(CENT, sum(taxes.map(({ baseMicros }) => baseMicros))) + (iva[index] ?? 0n)];
  });
  const subtotal = roundTo(CENT, sum(lines.map(({ amount }) => amount)));
  return { total: subtotal - sum(lines.map(({ discount }) => discount)) + sum(iva), rates: new Map(rates) };
}

const refundsBefore = ({ refunds = [] }: Order, instant: string) => refunds.filter(({ at }) => at <= instant);

/** Returns what an order charges at each rate, IVA included: its lines and its fee, without what was paid back until an instant. */
function sumByRate(order: Order, until = ''): Rates {
  const sums = new Map<number, bigint>();
  const paidBack = refundsBefore(order, until).flatMap(({ parts }) => parts);
  const add = (rate: number, id: number | null, charged: number) => {
    const cents = charged - sumCents(paidBack.filter(({ line }) => line === id));
    if (cents > 0) sums.set(rate, (sums.get(rate) ?? 0n) + toMicros(cents));
  };
  for (const { id, ivaRateMicros, totalCents } of order.lines) add(ivaRateMicros, id, totalCents);
  add(order.shippingIvaRateMicros ?? 0, null, order.shippingPriceCents - order.shippingDiscountCents);
  return sums;
}

/** Returns what is wrong with an invoice of an order; `invoice.test.ts` has its other rules. */
function brokenInvoice(content: Invoice, order: Order): string[] {
  const { total, rates } = addUp(content);
  return broken({
    'an invoice states the total of its order': content.totalCents === order.totalCents,
    'and comes to it': total === toMicros(order.totalCents),
    'and has its amounts by rate': JSON.stringify(sortRates(rates)) === JSON.stringify(sortRates(sumByRate(order))),
    'and the place of its store': content.expeditionZipcode === (order.store?.is_sat_branch ? BRANCH_ZIPCODE : null),
    'form 99 goes with PPD': (content.paymentMethod === 'PPD') === (content.paymentForm === '99'),
  });
}
const sortRates = (rates: Rates) => [...rates].map(([rate, amount]) => `${rate} ${amount}`).sort();

/** Returns what is wrong with the complements and credit notes of an invoice. */
function brokenRelated({ stamp: { uuid }, content }: StampedDocument, all: readonly StampedDocument[], order: Order) {
  const standing = all.filter(({ status }) => status !== 'cancelled');
  const credits = standing.flatMap(({ content: own }) =>
    own.kind === 'credit' && own.creditsUuid === uuid ? [{ ...addUp(own), stated: toMicros(own.totalCents) }] : [],
  );
  const payments = standing.flatMap(({ key, content: own }) =>
    own.kind === 'payment' && own.invoice.uuid === uuid ? [{ ...own, key, paid: toMicros(own.amountCents) }] : [],
  );
  const invoice = addUp(content as Invoice);
  return broken({
    'a credit note comes to what it states': credits.every(({ total, stated }) => total === stated),
    'credit notes stay within their invoice': sum(credits.map(({ total }) => total)) <= invoice.total,
    // A share that no base of whole cents has with its IVA is a cent off in the summary: 0.76 at 16 % is 0.66 and 0.11.
    'and within each of its rates': [...invoice.rates].every(([rate, amount]) => {
      return sum(credits.map(({ rates }) => rates.get(rate) ?? 0n)) <= amount + CENT * BigInt(credits.length);
    }),
    'an invoice has one complement at most': payments.length <= 1,
    'only an invoice with PPD has one': payments.length === 0 || (content as Invoice).paymentMethod === 'PPD',
    'a complement is for all that was not credited before': payments.every(({ key, paid }) => {
      const { atLeast, atMost } = sumCreditedBefore(order, key, uuid);
      return paid + atLeast <= invoice.total && invoice.total <= paid + atMost;
    }),
    'and leaves nothing': payments.every(({ balanceCents, amountCents }) => balanceCents === amountCents),
    'and its rates are its amount': payments.every(({ taxes, paid }) => {
      const ofRates = taxes.map(({ baseCents, ivaCents }) => toMicros(baseCents + ivaCents));
      return distance(sum(ofRates), paid) <= CENT * BigInt(taxes.length);
    }),
    'in a form that exists': payments.every(({ paymentForm }) => paymentForm !== '99'),
  });
}

/** The sum credited of an invoice before a complement; a note that was given up may have been open then. */
function sumCreditedBefore({ documents }: Order, key: string, uuid: string) {
  const complementAt = documents.findIndex((document) => document.key === key);
  const credits = documents
    .slice(0, complementAt)
    .filter(({ kind, relatedUuid }) => kind === 'credit' && relatedUuid === uuid);
  const sumOf = (some: typeof credits) => sum(some.map((one) => toMicros(one.amountCents)));
  return { atLeast: sumOf(credits.filter(({ status }) => status !== 'not_issued')), atMost: sumOf(credits) };
}

/** Returns what is wrong with a global invoice of a month. */
function brokenGlobal(content: GlobalInvoice, orders: readonly Order[], { at, month }: { at: string; month: string }) {
  const left = orders.map((order) => toMicros(order.totalCents - sumCents(refundsBefore(order, at))));
  const { total, rates } = addUp(content);
  const ofSales = content.sales.map(({ amountMicros, taxes }) => amountMicros + sum(taxes.map((one) => one.ivaMicros)));
  return broken({
    'a global invoice has what is left of its orders': total === sum(left) && total === toMicros(content.totalCents),
    'and a line of each':
      content.sales.map(({ folio }) => Number(folio.slice(3))).join() === orders.map(({ id }) => id).join(),
    'with its total, less than two cents off': ofSales.every((amount, index) => {
      return distance(amount, left[index] ?? 0n) < 2n * CENT;
    }),
    'and the amount of each rate, less than two cents off': [...rates].every(([rate, amount]) => {
      const charged = sum(orders.map((order) => sumByRate(order, at).get(rate) ?? 0n));
      return distance(amount, charged) < 2n * CENT;
    }),
    'of its month': `${content.period.year}-${content.period.month}` === month,
  });
}

/** Returns the number of valid invoices of an order that no other one replaces. */
function countInvoices(all: readonly StampedDocument[]): number {
  const own = all.flatMap(({ content, status, stamp }) =>
    content.kind === 'invoice' && status !== 'cancelled' ? [{ uuid: stamp.uuid, replaces: content.replacesUuid }] : [],
  );
  const replaced = new Set(own.map(({ replaces }) => replaces));
  return own.filter(({ uuid }) => !replaced.has(uuid)).length;
}

/** True if an order is a sale: it is paid, costs something, is not cancelled, and was not paid back. */
const isSale = ({ paymentStatus, totalCents, orderStatus, refunds = [] }: Order): boolean =>
  paymentStatus === 'paid' && totalCents > 0 && orderStatus !== 'cancelled' && sumCents(refunds) < totalCents;

const ON_THE_WAY: readonly TaxDocument['status'][] = ['requested', 'retrying'];
const HELD_AS: Readonly<Record<TaxDocument['status'], StampedDocument['status'] | undefined>> = {
  ...{ requested: undefined, retrying: undefined, refused: undefined, not_issued: undefined },
  ...{ issued: 'valid', cancelling: 'valid', cancellation_pending: 'pending', cancellation_rejected: 'valid' },
  cancelled: 'cancelled',
};

/** Returns what is wrong with the documents of an order at the end of the year. */
function brokenOrder(order: Order, all: readonly StampedDocument[]): string[] {
  const documents = [...(order.invoice ? [order.invoice] : []), ...order.documents];
  return [
    ...broken({
      'no stamped document is forgotten': all.every(({ key }) => documents.some((one) => one.key === key)),
      'order and authority agree': documents.every(({ key, status }) => {
        return all.find((one) => one.key === key)?.status === HELD_AS[status];
      }),
      'everything is done': documents.every(({ status }) => !ON_THE_WAY.includes(status) && status !== 'cancelling'),
      ...rulesOfInvoice(order, documents),
    }),
    ...all.flatMap((one) =>
      one.content.kind === 'invoice' ? [...brokenInvoice(one.content, order), ...brokenRelated(one, all, order)] : [],
    ),
  ];
}

/** The refunds of an order with a valid invoice are credited, and its payment has a complement unless all was credited. */
function rulesOfInvoice({ refunds = [], invoice, paymentStatus }: Order, documents: readonly TaxDocument[]) {
  if (invoice?.status !== 'issued') return {};
  const related = documents.filter(({ relatedUuid }) => relatedUuid === invoice.stamp?.uuid);
  const credits = related.filter(({ kind }) => kind === 'credit');
  const credited = credits.reduce((total, { amountCents }) => total + amountCents, 0);
  const isPaidLater = paymentStatus === 'paid' && invoice.paymentMethod === 'PPD' && credited < invoice.amountCents;
  return {
    'what was paid back has a credit note': credited >= Math.min(sumCents(refunds), invoice.amountCents),
    'a payment has a complement': !isPaidLater || related.some(({ kind }) => kind === 'payment'),
  };
}

const tell = ({ order: { id, invoice, documents }, plan }: LivingOrder, wrong: string): string =>
  `order ${id}: ${wrong}: ${JSON.stringify({ invoice, documents, acts: plan.acts, outcomes: plan.outcomes })}`;

/** Lives through a year, and returns what is wrong at the ends of its months and at its own. */
function findFaults(year: TaxYear): string[] {
  const faults: string[] = [];
  const inGlobal = new Map<number, number>();
  const groupByOrder = () => Map.groupBy(year.authority.documents.values(), ({ orderId }) => orderId);
  year.live(({ month, until, globals }: ClosedMonth) => {
    for (const { stamped, orderIds } of globals) {
      const orders = orderIds.flatMap((id) => year.orders[id - 1]?.order ?? []);
      const wrong = brokenGlobal(stamped.content as GlobalInvoice, orders, { at: stamped.stamp.at, month });
      faults.push(...wrong.map((one) => `${month}: ${one}`));
      for (const id of orderIds) inGlobal.set(id, (inGlobal.get(id) ?? 0) + 1);
    }
    const held = groupByOrder();
    for (const living of year.orders) {
      const { order } = living;
      const incomes = countInvoices(held.get(order.id) ?? []) + (inGlobal.get(order.id) ?? 0);
      const isPaidBefore = order.paymentDate !== null && order.paymentDate < until.toISOString();
      const isBeingInvoiced = order.invoice !== null && ON_THE_WAY.includes(order.invoice.status);
      const isMissing = incomes === 0 && isPaidBefore && isSale(order) && !isBeingInvoiced;
      if (incomes > 1 || isMissing) faults.push(tell(living, `${month}: in ${incomes} income documents`));
    }
  });
  const held = groupByOrder();
  for (const living of year.orders)
    faults.push(...brokenOrder(living.order, held.get(living.order.id) ?? []).map((wrong) => tell(living, wrong)));
  return faults;
}

const ORDERS_OF_A_YEAR = 50;
const YEARS = tries(6, 800);

it('a year of random orders', { timeout: 3_600_000 }, () => {
  const counts = new Map<string, number>();
  const plans = fc.array(randomPlan, { minLength: ORDERS_OF_A_YEAR, maxLength: ORDERS_OF_A_YEAR });
  fc.assert(
    fc.property(plans, (lives) => {
      const year = new TaxYear(lives);
      expect(findFaults(year).slice(0, 3)).toEqual([]);
      for (const { content } of year.authority.documents.values())
        counts.set(content.kind, (counts.get(content.kind) ?? 0) + 1);
    }),
    { numRuns: YEARS, seed: seed(), endOnFailure: true },
  );
  prove({
    check: 'Invoices: documents of a year of random orders, by sums over what they say',
    tries: YEARS * ORDERS_OF_A_YEAR,
    figure: [...counts].map(([kind, number]) => `${number} ${kind}`).join(', '),
  });
});
