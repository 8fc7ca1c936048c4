import { listOpenParts, spreadAmount } from '../../../../shared/domain/sale-parts.ts';
import { toMonthInstants } from '../../../../shared/domain/working-day.ts';
import { listUncreditedParts, refuseIrreplaceable } from '../../../../shared/invoices/correct-invoice.ts';
import { toFiscalDocument } from '../../../../shared/invoices/issue-document.ts';
import { chooseInvoicePayment } from '../../../../shared/invoices/rules/build/invoice.ts';
import {
  applyCancellation,
  finishMail,
  isAttemptLost,
  isMailWaiting,
  listMissingParts,
  markIssued,
  markNotIssued,
  postponeAttempt,
  recordCopy,
  repeatCancellation,
  restartAttempt,
  startAttempt,
} from '../../../../shared/invoices/rules/document-life.ts';
import { getGlobalStatus, toNetSale } from '../../../../shared/invoices/rules/global/global-sale.ts';
import { buildGlobalInvoice, globalWaitsUntil } from '../../../../shared/invoices/rules/global/sales.ts';
import {
  getIssueEnd,
  getNextDue,
  invoiceRefusal,
  issueRefusal,
  listDueTasks,
} from '../../../../shared/invoices/rules/invoice-status.ts';
import {
  cancelSale,
  chooseCreditOfRefund,
  findReplacement,
  findValidInvoice,
  getUncreditedCents,
  listOwed,
  listRelated,
  listReturnedParts,
  promoteReplacement,
  startCredit,
  startReplacement,
} from '../../../../shared/invoices/rules/owed-documents.ts';
import {
  findDocument,
  listDocuments,
  repeatTask,
  replaceDocument,
  type TaxDocument,
} from '../../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../../shared/order/order.ts';
import {
  canMoveOrder,
  canMovePayment,
  formatFolio,
  isCancellable,
  ORDER_STATUSES,
  type PaymentStatus,
  sumRefunds,
} from '../../../../shared/order/rules/status.ts';
import { Authority, type StampedCfdi } from './authority.ts';
import { type Act, type Plan, toOrder, toYearInstant } from './plans.ts';

const timeZone = 'America/Mexico_City';
const MOST_STEPS = 3_000;
// More than a plan has, so that the provider and the receiver come round.
const MOST_TRIES = 8;
const MINUTE_MS = 60_000;

type Crediting = Extract<Act, { readonly share: number }>;

/** Returns a share in thousandths. */
const takeShare = (cents: number, share: number): number => Number((BigInt(cents) * BigInt(share)) / 1_000n);

/** An order of the simulated year, with operators, jobs and a provider that follow its plan. */
export class LivingOrder {
  order: Order;
  readonly plan: Plan;
  readonly #authority: Authority;
  #acts: Plan['acts'];
  #keys = 0;
  #fates = 0;
  #consents = 0;

  constructor(plan: Plan, id: number, authority: Authority) {
    this.plan = plan;
    this.order = toOrder(plan, id);
    this.#acts = plan.acts;
    this.#authority = authority;
  }

  /** Lets everything happen that is due until an instant. */
  liveUntil(end: Date): void {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const [next] = this.#acts;
      const actAt = next ? toYearInstant(this.plan.placedAt + next.at).toISOString() : '~';
      const checkAt = getNextDue(this.order) ?? '~';
      const at = actAt <= checkAt ? actAt : checkAt;
      if (at > end.toISOString()) return;
      if (next && actAt <= checkAt) {
        this.#acts = this.#acts.slice(1);
        this.#act(next.act, new Date(at));
      } else {
        // A job runs each minute.
        this.#runJob(new Date(Math.ceil(Date.parse(at) / MINUTE_MS) * MINUTE_MS));
      }
    }
    throw new Error(`order ${this.order.id} never comes to rest`);
  }

  #newKey = (): string => `order-${this.order.id}-${++this.#keys}`;
  // Whatever goes wrong ends at last.
  #nextFate = () => this.plan.fates[this.#fates++ % MOST_TRIES] ?? 'stamped';
  #nextConsent = () => this.plan.consents[this.#consents++ % MOST_TRIES] ?? 'accepted';

  /** An act of the client or of an operator, which changes nothing where the service refuses it. */
  #act(act: Act, now: Date): void {
    const { order } = this;
    if (act.kind === 'ask' && invoiceRefusal(order, now, timeZone) === null) this.#ask(now);
    // An operator issues what was not issued, past the window too.
    const isUnissued = order.invoice?.status === 'not_issued' || order.invoice?.status === 'refused';
    if (act.kind === 'issue' && isUnissued && issueRefusal(order) === null) this.#ask(now);
    if (act.kind === 'advance') this.#advance();
    if (act.kind === 'cancel' && isCancellable(order.orderStatus))
      this.#assign({ ...cancelSale(order, { newKey: this.#newKey, now }), orderStatus: 'cancelled' });
    if (act.kind === 'cancel again') this.#cancelAgain(now);
    if (act.kind === 'replace') this.#replace(now);
    if (act.kind === 'pay') this.#movePayment('paid', now, { paymentDate: now.toISOString(), paymentForm: act.form });
    if (act.kind === 'move payment') this.#movePayment(act.to, now);
    if (act.kind === 'credit') this.#credit(act, now);
    if (act.kind === 'refund') this.#refund(act, now);
  }

  #advance(): void {
    const next = ORDER_STATUSES.findLast((status) => canMoveOrder(this.order, status) && status !== 'cancelled');
    if (next) this.#assign({ orderStatus: next });
  }

  #cancelAgain(now: Date): void {
    for (const document of listDocuments(this.order))
      if (document.status === 'cancellation_rejected') this.#change(document.key, repeatCancellation(document, now));
  }

  #assign(changes: Partial<Order>): void {
    this.order = { ...this.order, ...changes };
  }

  #ask(now: Date): void {
    const terms = { kind: 'invoice', key: this.#newKey(), amountCents: this.order.totalCents } as const;
    const invoice = startAttempt({ ...terms, ...chooseInvoicePayment(this.order) }, now);
    this.#assign({ invoice });
    this.#issue(invoice, now);
  }

  #replace(now: Date): void {
    try {
      const invoice = refuseIrreplaceable(this.order);
      const others = this.order.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
      const replacement = startReplacement(invoice, this.order, { key: this.#newKey(), now, timeZone });
      this.#assign({ documents: [...others, replacement] });
    } catch {}
  }

  #movePayment(to: PaymentStatus, now: Date, paid: Partial<Order> = {}): void {
    if (!canMovePayment(this.order, to) || (to === 'paid' && findReplacement(this.order))) return;
    this.#assign({ ...paid, paymentStatus: to });
    this.#addOwed(now);
  }

  #addOwed(now: Date): void {
    this.#assign({ documents: [...this.order.documents, ...listOwed(this.order, { newKey: this.#newKey, now })] });
  }

  #credit({ share, form: paymentForm }: Crediting, now: Date): void {
    const invoice = findValidInvoice(this.order);
    if (!invoice || findReplacement(this.order)) return;
    const amountCents = takeShare(getUncreditedCents(this.order, invoice), share);
    if (amountCents === 0) return;
    const parts = spreadAmount(listUncreditedParts(this.order), amountCents);
    const note = startCredit(invoice, { key: this.#newKey(), parts, paymentForm }, now);
    this.#assign({ documents: [...this.order.documents, note] });
  }

  #refund({ share, form }: Crediting, now: Date): void {
    const { paymentStatus, totalCents, refunds = [] } = this.order;
    const cents = takeShare(totalCents - sumRefunds(this.order), share);
    if (paymentStatus !== 'paid' || cents === 0 || findReplacement(this.order)) return;
    const paidBack = refunds.flatMap(({ parts }) => parts);
    const parts = spreadAmount(listOpenParts(this.order, paidBack), cents);
    this.#assign({ refunds: [...refunds, { cents, form, at: now.toISOString(), parts }] });
    const invoice = findValidInvoice(this.order);
    if (!invoice) return;
    const credits = listRelated(this.order, 'credit', invoice.stamp.uuid);
    const credited = chooseCreditOfRefund(this.order, { parts }, credits);
    if (credited.length === 0) return;
    const note = startCredit(invoice, { key: this.#newKey(), parts: credited, paymentForm: form }, now);
    this.#assign({ documents: [...this.order.documents, note] });
  }

  #runJob(now: Date): void {
    for (const { key } of listDocuments(this.order)) {
      const document = findDocument(this.order, key);
      const due = document ? listDueTasks(document, this.order, now) : [];
      if (!document || due.length === 0) continue;
      if (due.includes('payment')) this.#change(key, { ...document, isOverdue: true });
      else this.#settle(document, now);
    }
  }

  #settle(document: TaxDocument, now: Date): void {
    const { key, status, cancellation } = document;
    if (status === 'requested') this.#findOut(document, now);
    if (status === 'retrying') this.#retry(document, now);
    if (status === 'cancelling' && cancellation)
      this.#change(
        key,
        applyCancellation(document, this.#authority.cancel(key, cancellation, this.#nextConsent()), now),
      );
    if (status === 'cancellation_pending')
      this.#change(key, applyCancellation(document, this.#authority.answer(key, this.#nextConsent()), now));
  }

  #findOut(attempt: TaxDocument, now: Date): void {
    if (this.#authority.documents.has(attempt.key)) this.#recordIssued(attempt.key, now);
    else if (isAttemptLost(attempt, now)) this.#postpone(attempt, 'not_found', now);
    else this.#change(attempt.key, repeatTask(attempt, 'issue', now));
  }

  #postpone(attempt: TaxDocument, reason: string, now: Date): void {
    const until = getIssueEnd(attempt, this.order, timeZone);
    this.#change(attempt.key, postponeAttempt(attempt, { reason, now, until }));
  }

  #retry(document: TaxDocument, now: Date): void {
    const { kind, relatedUuid, key } = document;
    const beside = relatedUuid === null ? {} : { cfdi: '', invoice: null };
    const refusal = kind === 'invoice' ? issueRefusal({ ...this.order, ...beside }) : null;
    const until = getIssueEnd(document, this.order, timeZone);
    if (refusal === 'payment_rejected') this.#postpone(document, refusal, now);
    else if (refusal || (until && now > until))
      this.#change(key, markNotIssued(document, refusal ?? 'invoice_window_closed'));
    else this.#issueAnew(document, now);
  }

  #issueAnew(document: TaxDocument, now: Date): void {
    const { kind, relatedUuid, key } = document;
    const isFirst = kind === 'invoice' && relatedUuid === null;
    const terms = isFirst ? { ...chooseInvoicePayment(this.order), amountCents: this.order.totalCents } : {};
    const attempt = restartAttempt(document, { ...document, ...terms, key: this.#newKey() }, now);
    this.#change(key, attempt);
    this.#issue(attempt, now);
  }

  /** Asks the provider for a requested document. */
  #issue(attempt: TaxDocument, now: Date): void {
    const { key } = attempt;
    const fate = this.#nextFate();
    if (fate === 'down') this.#postpone(attempt, 'unavailable', now);
    if (fate === 'refused') this.#change(key, markNotIssued(attempt, 'refused'));
    if (fate !== 'stamped' && fate !== 'unheard') return;
    const { id: orderId } = this.order;
    const content = toFiscalDocument(this.order, attempt);
    this.#authority.stamp(content, { key, orderId, folio: `RX-${orderId}`, now });
    if (fate === 'stamped') this.#recordIssued(key, now);
  }

  /** Records an issued document, with what it makes the order owe, as settling does in one change. */
  #recordIssued(key: string, now: Date): void {
    const known = this.#authority.documents.get(key);
    const document = findDocument(this.order, key);
    if (!known || !document) throw new Error('an order has what was stamped for it');
    const { total, payment } = known.cfdi;
    const issued = { id: key, stamp: known.stamp, totalCents: Number((payment?.paid ?? total) / 10_000n) };
    this.#change(key, markIssued(document, issued, { ...this.order, now, timeZone }));
    if (document.kind !== 'invoice') return;
    this.order = promoteReplacement(this.order, key, now);
    this.#assign({ cfdi: this.order.invoice?.providerId ?? '' });
    this.#addOwed(now);
  }

  /** Changes a document, which is mailed and copied at once. */
  #change(key: string, next: TaxDocument): void {
    const sent = isMailWaiting(next) ? finishMail(next, 'sent') : next;
    const copied = sent.stamp ? recordCopy(sent, listMissingParts(sent)) : sent;
    this.order = { ...this.order, ...replaceDocument(this.order, key, copied) };
  }
}

const HOUR_MS = 60 * 60 * 1_000;
const MONTHS = [
  ...Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`),
  ...['2027-01', '2027-02', '2027-03', '2027-04'],
];

/** A month that is over, with the global invoices that were issued for it. */
export type ClosedMonth = {
  readonly month: string;
  readonly until: Date;
  readonly globals: readonly { readonly stamped: StampedCfdi; readonly orderIds: readonly number[] }[];
};

/** Orders of a year, and the documents that were stamped for them. */
export class TaxYear {
  readonly authority = new Authority();
  readonly orders: readonly LivingOrder[];
  #globals = 0;

  constructor(plans: readonly Plan[]) {
    this.orders = plans.map((plan, index) => new LivingOrder(plan, index + 1, this.authority));
  }

  /** Lives through the year and the months after it; `close` sees each month when its global invoice was issued. */
  live(close: (month: ClosedMonth) => void): void {
    for (const month of MONTHS) {
      const { until } = toMonthInstants(month, timeZone);
      const globals = [];
      for (const at of [new Date(until.getTime() + HOUR_MS), globalWaitsUntil(month, timeZone)]) {
        for (const living of this.orders) living.liveUntil(at);
        globals.push(...this.#issueGlobal(month, at));
      }
      close({ month, until, globals });
    }
  }

  #issueGlobal(month: string, now: Date): ClosedMonth['globals'] {
    const { from, until } = toMonthInstants(month, timeZone);
    const ready = this.orders.filter(({ order }) => {
      const { paymentDate } = order;
      const isOfMonth = paymentDate !== null && paymentDate >= from.toISOString() && paymentDate < until.toISOString();
      return isOfMonth && getGlobalStatus(order) === 'ready';
    });
    if (ready.length === 0) return [];
    const part = ++this.#globals;
    for (const living of ready) living.order = { ...living.order, global: { period: month, part } };
    const orders = ready.map(({ order }) => ({
      ...toNetSale(order, listReturnedParts(order)),
      folio: formatFolio(order.id),
      paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
    }));
    const content = buildGlobalInvoice({ period: month, zipcode: '06700', orders });
    const reference = { key: `global-${part}`, orderId: null, folio: `GLOBAL-${part}`, now };
    const stamped = this.authority.stamp(content, reference);
    return [{ stamped, orderIds: ready.map(({ order }) => order.id) }];
  }
}
