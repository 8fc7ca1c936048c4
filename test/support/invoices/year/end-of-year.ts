import type { TaxDocument } from '../../../../shared/domain/invoices/tax-document.ts';
import type { Order } from '../../../../shared/store/orders/order.ts';
import type { StampedCfdi } from './authority.ts';
import type { LivingOrder } from './living-order.ts';
import { brokenGlobals, brokenInvoice, brokenRelated, countInvoices } from './rules.ts';
import type { ClosedMonth, TaxYear } from './tax-year.ts';

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

const describe = ({ kind, key, status, relatedUuid, amountCents }: TaxDocument): string =>
  `${kind} ${key} ${status} of ${amountCents} for ${relatedUuid ?? 'nothing'}`;

function tell({ order, plan }: LivingOrder, wrong: string): string {
  const documents = [order.invoice, ...order.documents].flatMap((document) => (document ? [describe(document)] : []));
  const { acts, fates, consents } = plan;
  return `order ${order.id}: ${wrong}: ${JSON.stringify({ documents, acts, fates, consents })}`;
}

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
    'a stamped document is forgotten': all.some(({ key }) => !documents.some((one) => one.key === key)),
    'order and authority do not agree': documents.some((one) => !isAgreed(one, all)),
    'something is never done': documents.some(({ status }) => ON_THE_WAY.includes(status) || status === 'cancelling'),
    'what was paid back has no credit note': isUncredited(order, documents),
    'a payment has no complement': isUncomplemented(order, documents),
  };
  return [
    ...Object.entries(rules).flatMap(([wrong, isTrue]) => (isTrue ? [wrong] : [])),
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
