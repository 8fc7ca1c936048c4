import { listOpenParts, spreadAmount } from '../../../shared/domain/sale-parts.ts';
import { toMonthInstants } from '../../../shared/domain/working-day.ts';
import { listUncreditedParts, refuseIrreplaceable } from '../../../shared/invoices/correct-invoice.ts';
import { toFiscalDocument } from '../../../shared/invoices/issue-document.ts';
import { type FiscalDocument, getDocumentTotal } from '../../../shared/invoices/rules/build/cfdi.ts';
import { chooseInvoicePayment } from '../../../shared/invoices/rules/build/invoice.ts';
import * as life from '../../../shared/invoices/rules/document-life.ts';
import { getGlobalStatus, toNetSale } from '../../../shared/invoices/rules/global/global-sale.ts';
import { buildGlobalInvoice, globalWaitsUntil } from '../../../shared/invoices/rules/global/sales.ts';
import * as due from '../../../shared/invoices/rules/invoice-status.ts';
import * as owed from '../../../shared/invoices/rules/owed-documents.ts';
import {
  type Cancellation,
  findDocument,
  listDocuments,
  repeatTask,
  replaceDocument,
  type Stamp,
  type TaxDocument,
} from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import * as statuses from '../../../shared/order/rules/status.ts';
import { type Act, type Consent, type Plan, toOrder, toYearInstant } from './year-plans.ts';

const timeZone = 'America/Mexico_City';
const MOST_STEPS = 3_000;
// More than a plan has, so that the provider and the receiver come round.
const MOST_TRIES = 8;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A stamped document as SAT has it. */
export type StampedDocument = {
  readonly key: string;
  readonly stamp: Stamp;
  readonly content: FiscalDocument;
  readonly orderId: number | null;
  /** `pending`: valid, while the receiver is asked. */
  status: 'valid' | 'pending' | 'cancelled';
};

/** SAT and the provider of the simulated year: they hold what was stamped. */
class Authority {
  readonly documents = new Map<string, StampedDocument>();

  stamp(content: FiscalDocument, { key, orderId, now }: { key: string; orderId: number | null; now: Date }) {
    if (this.documents.has(key)) throw new Error(`the key ${key} was used twice`);
    const folio = String(this.documents.size + 1);
    const stamp = {
      uuid: `00000000-0000-4000-8000-${folio.padStart(12, '0')}`,
      series: 'F',
      folio,
      at: now.toISOString(),
    };
    const stamped: StampedDocument = { key, stamp, content, orderId, status: 'valid' };
    this.documents.set(key, stamped);
    return stamped;
  }

  /** Cancels a document, or asks the receiver; SAT cancels none to which a valid one relates, except by its substitute. */
  cancel(key: string, { substitution }: Cancellation, consent: Consent): life.CancellationResult {
    const document = this.documents.get(key);
    if (!document) throw new Error('only a stamped document is cancelled');
    if (document.status === 'cancelled') return 'accepted';
    if (this.#isRelated(document.stamp.uuid)) return 'not_cancelable';
    // A substitute has to be valid; the provider refuses the call, and a job tries again.
    const all = [...this.documents.values()];
    const isValid = all.some(({ stamp, status }) => stamp.uuid === substitution && status === 'valid');
    if (substitution !== null && !isValid) return 'none';
    if (consent === 'accepted') document.status = 'cancelled';
    if (consent === 'pending') document.status = 'pending';
    return consent;
  }

  /** The receiver answers. */
  answer(key: string, consent: Consent): life.CancellationResult {
    const document = this.documents.get(key);
    if (document?.status !== 'pending') return document?.status === 'cancelled' ? 'accepted' : 'none';
    if (consent === 'accepted') document.status = 'cancelled';
    if (consent === 'rejected' || consent === 'expired') document.status = 'valid';
    return consent;
  }

  #isRelated(uuid: string): boolean {
    return this.documents.values().some(({ content, status }) => {
      const related =
        content.kind === 'payment' ? content.invoice.uuid : content.kind === 'credit' && content.creditsUuid;
      return related === uuid && status !== 'cancelled';
    });
  }
}

/** Returns a share in thousandths. */
const takeShare = (cents: number, share: number): number => Number((BigInt(cents) * BigInt(share)) / 1_000n);

type Crediting = Extract<Act, { readonly share: number }>;

/** An order of the simulated year, with operators, jobs and a provider that follow its plan. */
export class LivingOrder {
  order: Order;
  readonly plan: Plan;
  readonly #authority: Authority;
  #acts: Plan['acts'];
  #keys = 0;
  #outcomes = 0;
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
      const checkAt = due.getNextDue(this.order) ?? '~';
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
  #nextOutcome = () => this.plan.outcomes[this.#outcomes++ % MOST_TRIES] ?? 'stamped';
  #nextConsent = () => this.plan.consents[this.#consents++ % MOST_TRIES] ?? 'accepted';

  #assign(changes: Partial<Order>): void {
    this.order = { ...this.order, ...changes };
  }

  #addDocuments(...documents: readonly TaxDocument[]): void {
    this.#assign({ documents: [...this.order.documents, ...documents] });
  }

  /** An act of the client or of an operator, which changes nothing where the service refuses it. */
  #act(act: Act, now: Date): void {
    const { order } = this;
    if (act.kind === 'ask' && due.invoiceRefusal(order, now, timeZone) === null) this.#ask(now);
    // An operator issues what was not issued, past the window too.
    const isUnissued = order.invoice?.status === 'not_issued' || order.invoice?.status === 'refused';
    if (act.kind === 'issue' && isUnissued && due.issueRefusal(order) === null) this.#ask(now);
    if (act.kind === 'advance') this.#advance();
    if (act.kind === 'cancel' && statuses.isCancellable(order.orderStatus))
      this.#assign({ ...owed.cancelSale(order, { newKey: this.#newKey, now }), orderStatus: 'cancelled' });
    if (act.kind === 'cancel again') this.#cancelAgain(now);
    if (act.kind === 'replace') this.#replace(now);
    if (act.kind === 'pay') this.#movePayment('paid', now, { paymentDate: now.toISOString(), paymentForm: act.form });
    if (act.kind === 'move payment') this.#movePayment(act.to, now);
    if (act.kind === 'credit') this.#credit(act, now);
    if (act.kind === 'refund') this.#refund(act, now);
  }

  #advance(): void {
    const next = statuses.ORDER_STATUSES.findLast((to) => statuses.canMoveOrder(this.order, to) && to !== 'cancelled');
    if (next) this.#assign({ orderStatus: next });
  }

  #cancelAgain(now: Date): void {
    for (const document of listDocuments(this.order))
      if (document.status === 'cancellation_rejected')
        this.#change(document.key, life.repeatCancellation(document, now));
  }

  #ask(now: Date): void {
    const terms = { kind: 'invoice', key: this.#newKey(), amountCents: this.order.totalCents } as const;
    const invoice = life.startAttempt({ ...terms, ...chooseInvoicePayment(this.order) }, now);
    this.#assign({ invoice });
    this.#issue(invoice, now);
  }

  #replace(now: Date): void {
    try {
      const invoice = refuseIrreplaceable(this.order);
      const others = this.order.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
      const replacement = owed.startReplacement(invoice, this.order, { key: this.#newKey(), now, timeZone });
      this.#assign({ documents: [...others, replacement] });
    } catch {}
  }

  #movePayment(to: statuses.PaymentStatus, now: Date, paid: Partial<Order> = {}): void {
    if (!statuses.canMovePayment(this.order, to) || (to === 'paid' && owed.findReplacement(this.order))) return;
    this.#assign({ ...paid, paymentStatus: to });
    this.#addOwed(now);
  }

  #addOwed(now: Date): void {
    this.#addDocuments(...owed.listOwed(this.order, { newKey: this.#newKey, now }));
  }

  #credit({ share, form: paymentForm }: Crediting, now: Date): void {
    const invoice = owed.findValidInvoice(this.order);
    if (!invoice || owed.findReplacement(this.order)) return;
    const amountCents = takeShare(owed.getUncreditedCents(this.order, invoice), share);
    if (amountCents === 0) return;
    const parts = spreadAmount(listUncreditedParts(this.order), amountCents);
    this.#addDocuments(owed.startCredit(invoice, { key: this.#newKey(), parts, paymentForm }, now));
  }

  #refund({ share, form }: Crediting, now: Date): void {
    const { paymentStatus, totalCents, refunds = [] } = this.order;
    const cents = takeShare(totalCents - statuses.sumRefunds(this.order), share);
    if (paymentStatus !== 'paid' || cents === 0 || owed.findReplacement(this.order)) return;
    const paidBack = refunds.flatMap(({ parts }) => parts);
    const parts = spreadAmount(listOpenParts(this.order, paidBack), cents);
    this.#assign({ refunds: [...refunds, { cents, form, at: now.toISOString(), parts }] });
    const invoice = owed.findValidInvoice(this.order);
    if (!invoice) return;
    const credits = owed.listRelated(this.order, 'credit', invoice.stamp.uuid);
    const credited = owed.chooseCreditOfRefund(this.order, { parts }, credits);
    if (credited.length === 0) return;
    this.#addDocuments(owed.startCredit(invoice, { key: this.#newKey(), parts: credited, paymentForm: form }, now));
  }

  #runJob(now: Date): void {
    for (const { key } of listDocuments(this.order)) {
      const document = findDocument(this.order, key);
      const tasks = document ? due.listDueTasks(document, this.order, now) : [];
      if (!document || tasks.length === 0) continue;
      if (tasks.includes('payment')) this.#change(key, { ...document, isOverdue: true });
      else this.#settle(document, now);
    }
  }

  #settle(document: TaxDocument, now: Date): void {
    const { key, cancellation } = document;
    const apply = (result: life.CancellationResult) => this.#change(key, life.applyCancellation(document, result, now));
    if (document.status === 'requested') this.#findOut(document, now);
    if (document.status === 'retrying') this.#retry(document, now);
    if (document.status === 'cancelling' && cancellation)
      apply(this.#authority.cancel(key, cancellation, this.#nextConsent()));
    if (document.status === 'cancellation_pending') apply(this.#authority.answer(key, this.#nextConsent()));
  }

  #findOut(attempt: TaxDocument, now: Date): void {
    if (this.#authority.documents.has(attempt.key)) this.#recordIssued(attempt.key, now);
    else if (life.isAttemptLost(attempt, now)) this.#postpone(attempt, 'not_found', now);
    else this.#change(attempt.key, repeatTask(attempt, 'issue', now));
  }

  #postpone(attempt: TaxDocument, reason: string, now: Date): void {
    const until = due.getIssueEnd(attempt, this.order, timeZone);
    this.#change(attempt.key, life.postponeAttempt(attempt, { reason, now, until }));
  }

  #retry(document: TaxDocument, now: Date): void {
    const { kind, relatedUuid, key } = document;
    const beside = relatedUuid === null ? {} : { cfdi: '', invoice: null };
    const refusal = kind === 'invoice' ? due.issueRefusal({ ...this.order, ...beside }) : null;
    const until = due.getIssueEnd(document, this.order, timeZone);
    if (refusal === 'payment_rejected') this.#postpone(document, refusal, now);
    else if (refusal || (until && now > until))
      this.#change(key, life.markNotIssued(document, refusal ?? 'invoice_window_closed'));
    else this.#issueAnew(document, now);
  }

  #issueAnew(document: TaxDocument, now: Date): void {
    const { kind, relatedUuid, key } = document;
    const isFirst = kind === 'invoice' && relatedUuid === null;
    const terms = isFirst ? { ...chooseInvoicePayment(this.order), amountCents: this.order.totalCents } : {};
    const attempt = life.restartAttempt(document, { ...document, ...terms, key: this.#newKey() }, now);
    this.#change(key, attempt);
    this.#issue(attempt, now);
  }

  /** Asks the provider for a requested document. */
  #issue(attempt: TaxDocument, now: Date): void {
    const { key } = attempt;
    const outcome = this.#nextOutcome();
    if (outcome === 'down') this.#postpone(attempt, 'unavailable', now);
    if (outcome === 'refused') this.#change(key, life.markNotIssued(attempt, 'refused'));
    if (outcome !== 'stamped' && outcome !== 'unheard') return;
    this.#authority.stamp(toFiscalDocument(this.order, attempt), { key, orderId: this.order.id, now });
    if (outcome === 'stamped') this.#recordIssued(key, now);
  }

  /** Records an issued document, with what it makes the order owe, as settling does in one change. */
  #recordIssued(key: string, now: Date): void {
    const known = this.#authority.documents.get(key);
    const document = findDocument(this.order, key);
    if (!known || !document) throw new Error('an order has what was stamped for it');
    const provided = { id: key, stamp: known.stamp, totalCents: getDocumentTotal(known.content) };
    this.#change(key, life.markIssued(document, provided, { ...this.order, now, timeZone }));
    if (document.kind !== 'invoice') return;
    this.order = owed.promoteReplacement(this.order, key, now);
    this.#assign({ cfdi: this.order.invoice?.providerId ?? '' });
    this.#addOwed(now);
  }

  /** Changes a document, which is mailed and copied at once. */
  #change(key: string, next: TaxDocument): void {
    const sent = life.isMailWaiting(next) ? life.finishMail(next, 'sent') : next;
    const copied = sent.stamp ? life.recordCopy(sent, life.listMissingParts(sent)) : sent;
    this.order = { ...this.order, ...replaceDocument(this.order, key, copied) };
  }
}

const MONTHS = [
  ...Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`),
  ...['2027-01', '2027-02', '2027-03', '2027-04'],
];

/** A month that is over, with the global invoices that were issued for it. */
export type ClosedMonth = {
  readonly month: string;
  readonly until: Date;
  readonly globals: readonly { readonly stamped: StampedDocument; readonly orderIds: readonly number[] }[];
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
      ...toNetSale(order, owed.listReturnedParts(order)),
      folio: statuses.formatFolio(order.id),
      paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
    }));
    const content = buildGlobalInvoice({ period: month, zipcode: '06700', orders });
    const stamped = this.authority.stamp(content, { key: `global-${part}`, orderId: null, now });
    return [{ stamped, orderIds: ready.map(({ order }) => order.id) }];
  }
}
