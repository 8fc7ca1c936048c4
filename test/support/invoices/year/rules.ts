import type { TaxDocument } from '../../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../../shared/order/order.ts';
import type { Cfdi, Rates, StampedCfdi } from './authority.ts';
import { BRANCH_ZIPCODE } from './plans.ts';
import type { ClosedMonth, LivingOrder, TaxYear } from './tax-year.ts';

/*
 * The rules of the documents of a year, by sums over what their XML says and what the orders say. None of the code that
 * builds the documents is used.
 */

const CENT = 10_000n;
const toMicros = (cents: number): bigint => BigInt(cents) * CENT;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one);
const sumRates = (rates: Rates): bigint => sum([...rates.values()].map(({ base, iva }) => base + iva));
const toRate = (rateMicros: number): string => `0.${String(rateMicros).padStart(6, '0')}`;

/** Returns the names of the rules that are broken. */
const broken = (rules: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));

/** The sums that an order charges at each rate, IVA included: its lines and its fee, without what was paid back before an instant. */
function sumByRate(order: Order, at = ''): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const paidBack = listPaidBack(order, at).flatMap(({ parts }) => parts);
  const add = (rate: number, id: number | null, charged: number) => {
    const cents = charged - sumCents(paidBack.filter(({ line }) => line === id));
    if (cents > 0) sums.set(toRate(rate), (sums.get(toRate(rate)) ?? 0n) + toMicros(cents));
  };
  for (const { id, ivaRateMicros, totalCents } of order.lines) add(ivaRateMicros, id, totalCents);
  add(order.shippingIvaRateMicros ?? 0, null, order.shippingPriceCents - order.shippingDiscountCents);
  return sums;
}

const listPaidBack = ({ refunds = [] }: Order, before: string) => refunds.filter(({ at }) => at <= before);

const isSame = (rates: Rates, charged: ReadonlyMap<string, bigint>): boolean =>
  rates.size === charged.size && [...charged].every(([rate, amount]) => sumOfRate(rates, rate) === amount);

const sumOfRate = (rates: Rates, rate: string): bigint => {
  const { base = 0n, iva = 0n } = rates.get(rate) ?? {};
  return base + iva;
};

/** Returns what is wrong with the sums of any document that states amounts. */
const brokenSums = ({ subtotal, discount, iva, total, concepts, rates }: Cfdi): string[] =>
  broken({
    'total = subtotal − discount + IVA': total === subtotal - discount + iva,
    'IVA is that of its rates': iva === sum([...rates.values()].map((rate) => rate.iva)),
    'the subtotal is that of its concepts': distance(subtotal, sum(concepts.map(({ amount }) => amount))) <= CENT / 2n,
    'the discount is that of its concepts': discount === sum(concepts.map((one) => one.discount)),
    'bases and discounts are the amounts': concepts.every(
      (one) => sum([...one.rates.values()].map(({ base }) => base)) === one.amount - one.discount,
    ),
    'every base is above 0': concepts.every((one) => [...one.rates.values()].every(({ base }) => base > 0n)),
  });

/** Returns what is wrong with an invoice of an order; `invoice.property.test.ts` has its other rules. */
const brokenInvoice = ({ cfdi }: StampedCfdi, order: Order): string[] => [
  ...brokenSums(cfdi),
  ...broken({
    'an invoice has the total of its order': cfdi.total === toMicros(order.totalCents),
    'and its amounts by rate': isSame(cfdi.rates, sumByRate(order)),
    'and the place of its store': cfdi.expeditionZipcode === (order.store?.is_sat_branch ? BRANCH_ZIPCODE : '06700'),
    'form 99 goes with PPD': (cfdi.method === 'PPD') === (cfdi.form === '99'),
  }),
];

/** Returns what is wrong with the complements and credit notes of an invoice. */
function brokenRelated(invoice: StampedCfdi, all: readonly StampedCfdi[], order: Order): string[] {
  const { uuid } = invoice.stamp;
  const standing = all.filter(({ status }) => status !== 'cancelled');
  const credits = standing.filter(({ cfdi }) => cfdi.type === 'E' && cfdi.relation?.uuid === uuid);
  const payments = standing.flatMap((one) =>
    one.cfdi.payment?.uuid === uuid ? [{ ...one, paid: one.cfdi.payment }] : [],
  );
  return [
    ...credits.flatMap(({ cfdi }) => brokenSums(cfdi)),
    ...broken({
      'a credit note is related by 01': credits.every(({ cfdi }) => cfdi.relation?.type === '01'),
      'credit notes stay within their invoice': sum(credits.map(({ cfdi }) => cfdi.total)) <= invoice.cfdi.total,
      // A share that no base of whole cents has with its IVA is a cent off in the summary: 0.76 at 16 % is 0.66 and 0.11.
      'and within each of its rates': [...invoice.cfdi.rates].every(([rate, { base, iva }]) => {
        return (
          sum(credits.map(({ cfdi }) => sumOfRate(cfdi.rates, rate))) <= base + iva + CENT * BigInt(credits.length)
        );
      }),
      'an invoice has one complement at most': payments.length <= 1,
      'only an invoice with PPD has one': payments.length === 0 || invoice.cfdi.method === 'PPD',
      'a complement is for all that was not credited before': payments.every(({ key, paid }) => {
        const { atLeast, atMost } = sumCreditedBefore(order, key, uuid);
        return paid.paid + atLeast <= invoice.cfdi.total && invoice.cfdi.total <= paid.paid + atMost;
      }),
      'and leaves nothing': payments.every(
        ({ paid }) => paid.after === 0n && paid.paidOfInvoice === paid.paid && paid.before === paid.paid,
      ),
      'and its rates are its amount': payments.every(
        ({ paid }) => distance(sumRates(paid.rates), paid.paid) <= CENT * BigInt(paid.rates.size),
      ),
      'in a form that exists': payments.every(({ paid }) => paid.form !== '99'),
    }),
  ];
}

/** The sum credited of an invoice before a complement; a note that was given up may have been open then. */
function sumCreditedBefore({ documents }: Order, key: string, uuid: string) {
  const before = documents.slice(
    0,
    documents.findIndex((document) => document.key === key),
  );
  const credits = before.filter(({ kind, relatedUuid }) => kind === 'credit' && relatedUuid === uuid);
  const sumOf = (some: typeof credits) => sum(some.map((one) => toMicros(one.amountCents)));
  return { atLeast: sumOf(credits.filter(({ status }) => status !== 'not_issued')), atMost: sumOf(credits) };
}

/** Returns what is wrong with the global invoices of a month. */
function brokenGlobals({ month, globals }: ClosedMonth, year: TaxYear): string[] {
  return globals.flatMap(({ stamped: { cfdi, stamp }, orderIds }) => {
    const orders = orderIds.flatMap((id) => year.orders[id - 1]?.order ?? []);
    const totals = orders.map((order) => toMicros(order.totalCents - sumCents(listPaidBack(order, stamp.at))));
    return [
      ...brokenSums(cfdi),
      ...broken({
        'a global invoice has what is left of its orders': cfdi.total === sum(totals),
        'and a line of each': cfdi.concepts.map(({ folio }) => Number(folio.slice(3))).join() === orderIds.join(),
        'with its total, less than two cents off': cfdi.concepts.every((one, index) => {
          return distance(sumRates(one.rates), totals[index] ?? 0n) < 2n * CENT;
        }),
        'and the amount of each rate, less than two cents off': [...cfdi.rates.keys()].every((rate) => {
          const charged = sum(orders.map((order) => sumByRate(order, stamp.at).get(rate) ?? 0n));
          return distance(sumOfRate(cfdi.rates, rate), charged) < 2n * CENT;
        }),
        'of its month': cfdi.period === month,
      }),
    ];
  });
}

/** Returns the number of valid invoices of an order that no other one replaces. */
function countInvoices(all: readonly StampedCfdi[]): number {
  const own = all.filter(({ cfdi, status }) => cfdi.type === 'I' && status !== 'cancelled');
  const replaced = new Set(own.flatMap(({ cfdi }) => (cfdi.relation?.type === '04' ? [cfdi.relation.uuid] : [])));
  return own.filter(({ stamp }) => !replaced.has(stamp.uuid)).length;
}

type Held = ReadonlyMap<number | null, readonly StampedCfdi[]>;
const groupByOrder = ({ authority }: TaxYear): Held =>
  Map.groupBy(authority.documents.values(), ({ orderId }) => orderId);

const sumCents = (amounts: readonly { readonly cents: number }[]): number =>
  amounts.reduce((total, { cents }) => total + cents, 0);

/** True if an order is a sale: it is paid, costs something, is not cancelled, and was not paid back. */
const isSale = ({ paymentStatus, totalCents, orderStatus, refunds = [] }: Order): boolean =>
  paymentStatus === 'paid' && totalCents > 0 && orderStatus !== 'cancelled' && sumCents(refunds) < totalCents;

const ON_THE_WAY: readonly TaxDocument['status'][] = ['requested', 'retrying'];
const isBeingInvoiced = ({ invoice }: Order): boolean => invoice !== null && ON_THE_WAY.includes(invoice.status);

const tell = ({ order: { id, invoice, documents }, plan }: LivingOrder, wrong: string): string =>
  `order ${id}: ${wrong}: ${JSON.stringify({ invoice, documents, acts: plan.acts, fates: plan.fates })}`;

/** Finds what is wrong at the ends of the months of a year, and at its own end. */
export class YearJudge {
  readonly found: string[] = [];
  readonly #year: TaxYear;
  readonly #inGlobal = new Map<number, number>();

  constructor(year: TaxYear) {
    this.#year = year;
  }

  readonly closeMonth = (closed: ClosedMonth): void => {
    this.found.push(...brokenGlobals(closed, this.#year).map((wrong) => `${closed.month}: ${wrong}`));
    for (const id of closed.globals.flatMap(({ orderIds }) => orderIds)) {
      this.#inGlobal.set(id, (this.#inGlobal.get(id) ?? 0) + 1);
    }
    const held = groupByOrder(this.#year);
    const until = closed.until.toISOString();
    for (const living of this.#year.orders) {
      const { order } = living;
      const incomes = countInvoices(held.get(order.id) ?? []) + (this.#inGlobal.get(order.id) ?? 0);
      const isPaidBefore = order.paymentDate !== null && order.paymentDate < until;
      const isMissing = incomes === 0 && isPaidBefore && isSale(order) && !isBeingInvoiced(order);
      if (incomes > 1 || isMissing) this.found.push(tell(living, `${closed.month}: in ${incomes} income documents`));
    }
  };

  /** Checks every document once, and that orders and authority agree. */
  closeYear(): string[] {
    const held = groupByOrder(this.#year);
    for (const living of this.#year.orders) {
      const all = held.get(living.order.id) ?? [];
      this.found.push(...judgeOrder(living.order, all).map((wrong) => tell(living, wrong)));
    }
    return this.found;
  }
}

function judgeOrder(order: Order, all: readonly StampedCfdi[]): string[] {
  const documents = [...(order.invoice ? [order.invoice] : []), ...order.documents];
  const invoices = all.filter(({ cfdi }) => cfdi.type === 'I');
  const rules = {
    'no stamped document is forgotten': all.every(({ key }) => documents.some((one) => one.key === key)),
    'order and authority agree': documents.every((one) => isAgreed(one, all)),
    'everything is done': documents.every(({ status }) => !ON_THE_WAY.includes(status) && status !== 'cancelling'),
    'what was paid back has a credit note': !isUncredited(order, documents),
    'a payment has a complement': !isUncomplemented(order, documents),
  };
  return [
    ...broken(rules),
    ...invoices.flatMap((invoice) => [...brokenInvoice(invoice, order), ...brokenRelated(invoice, all, order)]),
  ];
}

const HELD_AS: Readonly<Record<TaxDocument['status'], StampedCfdi['status'] | undefined>> = {
  requested: undefined,
  retrying: undefined,
  refused: undefined,
  not_issued: undefined,
  issued: 'valid',
  cancelling: 'valid',
  cancellation_pending: 'pending',
  cancellation_rejected: 'valid',
  cancelled: 'cancelled',
};

const isAgreed = ({ key, status }: TaxDocument, all: readonly StampedCfdi[]): boolean =>
  all.find((one) => one.key === key)?.status === HELD_AS[status];

/** The refunds of an order with a valid invoice are credited, or listed for an operator. */
function isUncredited({ refunds = [], invoice }: Order, documents: readonly TaxDocument[]): boolean {
  if (invoice?.status !== 'issued' || !invoice.stamp) return false;
  const { uuid } = invoice.stamp;
  const credits = documents.filter(({ kind, relatedUuid }) => kind === 'credit' && relatedUuid === uuid);
  const credited = credits.reduce((total, { amountCents }) => total + amountCents, 0);
  return credited < Math.min(sumCents(refunds), invoice.amountCents);
}

/** The payment of a valid invoice that says paid later has a complement, unless all of it was credited. */
function isUncomplemented({ paymentStatus, invoice }: Order, documents: readonly TaxDocument[]): boolean {
  if (invoice?.status !== 'issued' || !invoice.stamp || invoice.paymentMethod !== 'PPD') return false;
  const { uuid } = invoice.stamp;
  const related = documents.filter(({ relatedUuid }) => relatedUuid === uuid);
  const credited = related.filter(({ kind }) => kind === 'credit').reduce((total, one) => total + one.amountCents, 0);
  return paymentStatus === 'paid' && credited < invoice.amountCents && !related.some(({ kind }) => kind === 'payment');
}
