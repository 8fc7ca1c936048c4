import { toMonthInstants } from '../../../../shared/domain/working-day.ts';
import { toFiscalDocument } from '../../../../shared/invoices/issue-document.ts';
import {
  isAttemptLost,
  markIssued,
  markNotIssued,
  postponeAttempt,
  restartAttempt,
} from '../../../../shared/invoices/rules/attempts.ts';
import { chooseInvoicePayment } from '../../../../shared/invoices/rules/build/invoice.ts';
import { getGlobalStatus, toNetSale } from '../../../../shared/invoices/rules/global/global-sale.ts';
import { globalWaitsUntil } from '../../../../shared/invoices/rules/global/period.ts';
import { buildGlobalInvoice } from '../../../../shared/invoices/rules/global/sales.ts';
import {
  getIssueEnd,
  getNextDue,
  issueRefusal,
  listDueTasks,
} from '../../../../shared/invoices/rules/invoice-status.ts';
import {
  applyCancellation,
  finishMail,
  isMailWaiting,
  listMissingParts,
  recordCopy,
} from '../../../../shared/invoices/rules/issued-document.ts';
import { listOwed, listReturnedParts, promoteReplacement } from '../../../../shared/invoices/rules/owed-documents.ts';
import { repeatTask } from '../../../../shared/invoices/rules/tasks.ts';
import {
  findDocument,
  listDocuments,
  replaceDocument,
  type TaxDocument,
} from '../../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../../shared/order/order.ts';
import { formatFolio } from '../../../../shared/order/rules/status.ts';
import { actOn } from './acts.ts';
import { Authority, type Cfdi, type StampedCfdi } from './authority.ts';
import { type Act, type Consent, type Fate, type Plan, toOrder, toYearInstant } from './plans.ts';

const TIME_ZONE = 'America/Mexico_City';
const MOST_STEPS = 3_000;
// More than a plan has, so that the provider and the receiver come round.
const MOST_TRIES = 8;
const MINUTE_MS = 60_000;

/** The provider's description of a document. */
const getAmount = ({ total, payment }: Cfdi): bigint => payment?.paid ?? total;

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

  #act(act: Act, now: Date): void {
    const asked = actOn(this.order, act, { now, timeZone: TIME_ZONE, newKey: this.#newKey });
    const isIssuing = asked.invoice?.status === 'requested' && asked.invoice !== this.order.invoice;
    this.order = asked;
    if (isIssuing && asked.invoice) this.#issue(asked.invoice, now);
  }

  #newKey = (): string => `order-${this.order.id}-${++this.#keys}`;
  // Whatever goes wrong ends at last.
  #nextFate = (): Fate => this.plan.fates[this.#fates++ % MOST_TRIES] ?? 'stamped';
  #nextConsent = (): Consent => this.plan.consents[this.#consents++ % MOST_TRIES] ?? 'accepted';

  #runJob(now: Date): void {
    for (const { key } of listDocuments(this.order)) {
      const document = findDocument(this.order, key);
      if (!document) continue;
      const due = listDueTasks(document, this.order, now);
      if (due.includes('payment')) this.#change(key, { ...document, isOverdue: true });
      else if (due.some((task) => task !== 'archive')) this.#settle(document, now);
      const settled = findDocument(this.order, key);
      const isCopyDue = settled && listDueTasks(settled, this.order, now).includes('archive');
      if (isCopyDue) this.#change(key, recordCopy(settled, listMissingParts(settled)));
    }
  }

  #settle(document: TaxDocument, now: Date): void {
    const { key, status, cancellation } = document;
    if (status === 'requested') this.#findOut(document, now);
    if (status === 'retrying') this.#retry(document, now);
    if (status === 'cancelling' && cancellation) {
      const result = this.#authority.cancel(key, cancellation, this.#nextConsent());
      this.#change(key, this.#mail(applyCancellation(document, result, now)));
    }
    if (status === 'cancellation_pending') {
      this.#change(key, this.#mail(applyCancellation(document, this.#authority.answer(key, this.#nextConsent()), now)));
    }
    if (isMailWaiting(document)) this.#change(key, finishMail(document, 'sent'));
  }

  #findOut(attempt: TaxDocument, now: Date): void {
    const found = this.#authority.documents.get(attempt.key);
    if (found) this.#recordIssued(attempt, now);
    else if (isAttemptLost(attempt, now)) this.#postpone(attempt, 'not_found', now);
    else this.#change(attempt.key, repeatTask(attempt, 'issue', now));
  }

  #postpone(attempt: TaxDocument, reason: string, now: Date): void {
    const until = getIssueEnd(attempt, this.order, TIME_ZONE);
    this.#change(attempt.key, postponeAttempt(attempt, { reason, now, until }));
  }

  #retry(document: TaxDocument, now: Date): void {
    const { kind, relatedUuid, key } = document;
    const beside = relatedUuid === null ? {} : { cfdi: '', invoice: null };
    const refusal = kind === 'invoice' ? issueRefusal({ ...this.order, ...beside }) : null;
    const until = getIssueEnd(document, this.order, TIME_ZONE);
    if (refusal === 'payment_rejected') {
      this.#postpone(document, refusal, now);
      return;
    }
    if (refusal || (until && now > until)) {
      this.#change(key, markNotIssued(document, refusal ?? 'invoice_window_closed'));
      return;
    }
    const isFirst = kind === 'invoice' && relatedUuid === null;
    const terms = isFirst ? { ...chooseInvoicePayment(this.order), amountCents: this.order.totalCents } : {};
    const attempt = restartAttempt(document, { ...document, ...terms, key: this.#newKey() }, now);
    this.#change(key, attempt);
    this.#issue(attempt, now);
  }

  /** Asks the provider for a requested document. */
  #issue(attempt: TaxDocument, now: Date): void {
    const fate = this.#nextFate();
    if (fate === 'down') this.#postpone(attempt, 'unavailable', now);
    if (fate === 'refused') this.#change(attempt.key, markNotIssued(attempt, 'refused'));
    if (fate !== 'stamped' && fate !== 'unheard') return;
    const { id: orderId } = this.order;
    const content = toFiscalDocument(this.order, attempt);
    this.#authority.stamp(content, { key: attempt.key, orderId, folio: `RX-${orderId}`, now });
    if (fate === 'stamped') this.#recordIssued(attempt, now);
  }

  /** Records an issued document, with what it makes the order owe, as settling does in one change. */
  #recordIssued({ key }: TaxDocument, now: Date): void {
    const known = this.#authority.documents.get(key);
    const document = findDocument(this.order, key);
    if (!known || !document) throw new Error('an order has what was stamped for it');
    const issued = { id: key, stamp: known.stamp, totalCents: Number(getAmount(known.cfdi) / 10_000n) };
    const next = this.#mail(markIssued(document, issued, { ...this.order, now, timeZone: TIME_ZONE }));
    this.#change(key, next);
    if (next.kind !== 'invoice') return;
    this.order = promoteReplacement(this.order, key, now);
    const owed = listOwed(this.order, { newKey: this.#newKey, now });
    const cfdi = this.order.invoice?.providerId ?? '';
    this.order = { ...this.order, cfdi, documents: [...this.order.documents, ...owed] };
  }

  #mail = (document: TaxDocument): TaxDocument =>
    document.mail === 'sending' ? finishMail(document, 'sent') : document;

  #change(key: string, next: TaxDocument): void {
    this.order = { ...this.order, ...replaceDocument(this.order, key, next) };
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
  readonly globals: StampedCfdi[] = [];

  constructor(plans: readonly Plan[]) {
    this.orders = plans.map((plan, index) => new LivingOrder(plan, index + 1, this.authority));
  }

  /** Lives through the year and the months after it; `close` sees each month when its global invoice was issued. */
  live(close: (month: ClosedMonth) => void): void {
    for (const month of MONTHS) {
      const { until } = toMonthInstants(month, TIME_ZONE);
      const globals = [];
      for (const at of [new Date(until.getTime() + HOUR_MS), globalWaitsUntil(month, TIME_ZONE)]) {
        for (const living of this.orders) living.liveUntil(at);
        globals.push(...this.#issueGlobal(month, at));
      }
      close({ month, until, globals });
    }
  }

  #issueGlobal(month: string, now: Date): ClosedMonth['globals'] {
    const { from, until } = toMonthInstants(month, TIME_ZONE);
    const ready = this.orders.filter(({ order }) => {
      const { paymentDate } = order;
      const isOfMonth = paymentDate !== null && paymentDate >= from.toISOString() && paymentDate < until.toISOString();
      return isOfMonth && getGlobalStatus(order) === 'ready';
    });
    if (ready.length === 0) return [];
    const part = this.globals.length + 1;
    for (const living of ready) living.order = { ...living.order, global: { period: month, part } };
    const orders = ready.map(({ order }) => ({
      ...toNetSale(order, listReturnedParts(order)),
      folio: formatFolio(order.id),
      paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
    }));
    const content = buildGlobalInvoice({ period: month, zipcode: '06700', orders });
    const reference = { key: `global-${part}`, orderId: null, folio: `GLOBAL-${part}`, now };
    const stamped = this.authority.stamp(content, reference);
    this.globals.push(stamped);
    return [{ stamped, orderIds: ready.map(({ order }) => order.id) }];
  }
}
