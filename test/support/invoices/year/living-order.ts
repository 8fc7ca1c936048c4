import {
  isAttemptLost,
  markIssued,
  markNotIssued,
  postponeAttempt,
  restartAttempt,
} from '../../../../shared/domain/invoices/attempts.ts';
import { chooseInvoicePayment } from '../../../../shared/domain/invoices/content/invoice.ts';
import {
  getIssueEnd,
  getNextCheck,
  isCheckDue,
  isPaymentOverdue,
  issueRefusal,
} from '../../../../shared/domain/invoices/invoice-status.ts';
import {
  applyCancellation,
  finishMail,
  isCopyDue,
  isMailWaiting,
  listMissingParts,
  postponeCheck,
  recordCopy,
} from '../../../../shared/domain/invoices/issued-document.ts';
import { listOwed, promoteReplacement } from '../../../../shared/domain/invoices/owed-documents.ts';
import {
  findDocument,
  listDocuments,
  replaceDocument,
  type TaxDocument,
} from '../../../../shared/domain/invoices/tax-document.ts';
import type { Order } from '../../../../shared/store/orders/order.ts';
import { toFiscalDocument } from '../../../../shared/usecases/invoices/issue-document.ts';
import { actOn } from './acts.ts';
import type { Authority } from './authority.ts';
import type { Cfdi } from './cfdi-sums.ts';
import { toOrder, toYearInstant } from './order-of-plan.ts';
import type { Act, Consent, Fate, Plan } from './plans.ts';

export const TIME_ZONE = 'America/Mexico_City';
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
      const checkAt = getNextCheck(this.order) ?? '~';
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
      if (isPaymentOverdue(document, this.order, now)) this.#change(key, { ...document, isOverdue: true });
      else if (isCheckDue(document, now)) this.#settle(document, now);
      const settled = findDocument(this.order, key);
      if (settled && isCopyDue(settled, now)) this.#change(key, recordCopy(settled, listMissingParts(settled)));
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
    else this.#change(attempt.key, postponeCheck(attempt, now));
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
    document.mail?.status === 'sending' ? finishMail(document, 'sent') : document;

  #change(key: string, next: TaxDocument): void {
    this.order = { ...this.order, ...replaceDocument(this.order, key, next) };
  }
}
