import type { MailOutcome } from '../mail/send.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { formatFolio } from '../order/rules/status.ts';
import { logError, logInfo } from '../runtime/log.ts';
import type { Table } from '../store/table.ts';
import { archiveMailFiles } from './archive-document.ts';
import { composeDocumentMail, type MailSubject } from './document-mail.ts';
import {
  type ChangedInvoice,
  changeDocument,
  expectDocument,
  type InvoiceDeps,
  type OrderDocument,
} from './invoice-attempt.ts';
import { claimMail, dropMail, finishMail, postponeMail, recordCopy } from './rules/document-life.ts';
import type { ArchivedPart, MailStatus } from './rules/document-values.ts';
import { findDocument, nameFiles, type TaxDocument } from './rules/tax-document.ts';

type Deps = Omit<InvoiceDeps, 'business'>;

// Nobody waits for the mail of a job or of an operator.
const MAIL_MS = 10_000;

/** Sends a refused mail again. After an expired claim it may have been sent, and is not sent again. Waits for a sender. */
export async function sendDueMail({ order, key }: OrderDocument, act: Act, deps: Deps): Promise<string> {
  if (!deps.mail()) return 'no_sender';
  const document = expectDocument({ order, key });
  if (document.mail === 'sending') return expireClaim({ order, document }, act, deps.table);
  const claim = await claimDueMail({ order, document }, act, deps.table);
  if (!claim.isChanged) return 'unchanged';
  const mail = await mailDocument({ order: claim.order, key }, act, deps);
  return mail ? `mail_${mail}` : 'unchanged';
}

type Mailed = { readonly order: Order; readonly document: TaxDocument };

/** Claims the mail, unless its state has changed. */
export const claimDueMail = (mailed: Mailed, act: Act, table: Table): Promise<ChangedInvoice> =>
  changeMail(mailed, act, table, (document) => claimMail(document, act.now));

async function expireClaim(mailed: Mailed, act: Act, table: Table): Promise<string> {
  const { isChanged } = await changeMail(mailed, act, table, (document) => finishMail(document, 'unconfirmed'));
  if (!isChanged) return 'unchanged';
  logError('mail needs a person', new Error('the mail is unconfirmed'), { orderId: mailed.order.id });
  return 'mail_unconfirmed';
}

const changeMail = (
  { order, document: { key, status, mail, tasks } }: Mailed,
  act: Act,
  table: Table,
  change: (document: TaxDocument) => TaxDocument,
): Promise<ChangedInvoice> =>
  changeDocument(table, { order, key }, act, (fresh) => {
    const isUnchanged = fresh.status === status && fresh.mail === mail && fresh.tasks.mail?.tries === tasks.mail?.tries;
    return isUnchanged ? change(fresh) : undefined;
  });

/**
 * Composes, sends and records the claimed mail of a document or of its cancellation. A mail whose outcome is unknown is not
 * sent again automatically. Throws only if the outcome cannot be recorded; the claim then expires.
 */
export async function mailDocument(
  { order, key }: OrderDocument,
  { timeoutMs = MAIL_MS, ...act }: Act & { readonly timeoutMs?: number },
  deps: Deps,
): Promise<MailStatus | null> {
  const claimed = expectDocument({ order, key });
  if (isPatientErased(order)) {
    // The address was erased.
    await changeDocument(deps.table, { order, key }, act, dropMail);
    return null;
  }
  const { outcome, copied } = await composeAndSend(order, claimed, AbortSignal.timeout(Math.max(0, timeoutMs)), deps);
  const { order: after } = await changeDocument(deps.table, { order, key }, act, (document) =>
    isClaimed(document, claimed) ? applyMailOutcome(recordCopy(document, copied), outcome, act.now) : undefined,
  );
  const document = findDocument(after, key);
  logOutcome(order.id, outcome, document);
  return document?.mail ?? null;
}

/** True unless another claim followed. An expired claim still counts: its mail may have been sent. */
const isClaimed = ({ tasks }: TaxDocument, claimed: TaxDocument): boolean =>
  tasks.mail?.tries === claimed.tasks.mail?.tries;

type Sending = { readonly outcome: MailOutcome; readonly copied: readonly ArchivedPart[] };

async function composeAndSend(order: Order, document: TaxDocument, signal: AbortSignal, deps: Deps): Promise<Sending> {
  let copied: readonly ArchivedPart[] = [];
  try {
    const mailer = deps.mail();
    const archived = await archiveMailFiles(document, signal, deps);
    copied = archived.copied;
    if (!mailer) return { outcome: { outcome: 'refused', code: 'NoSender' }, copied };
    const to = order.invoicing?.email || order.patient.email;
    const { sender, sellerName } = mailer;
    const { files } = archived;
    const raw = await composeDocumentMail({ to, sender, sellerName, files, ...toMailWords(order, document) });
    return { outcome: await mailer.send(raw, to, signal), copied };
  } catch (error) {
    // SES has not received anything: `send` itself does not throw.
    logError('a mail could not be composed', error, { orderId: order.id });
    return { outcome: { outcome: 'refused', code: 'NotComposed' }, copied };
  }
}

const toMailWords = (order: Order, document: TaxDocument) => ({
  subject: chooseSubject(document),
  folio: formatFolio(order.id),
  fileName: nameFiles(document),
  uuid: document.stamp?.uuid ?? null,
  substituteUuid: document.cancellation?.substitution ?? null,
  amountCents: document.amountCents,
  reference: document.key,
});

function chooseSubject({ kind, status, relatedUuid }: TaxDocument): MailSubject {
  if (status === 'cancelled') return `${kind}_cancelled`;
  return kind === 'invoice' && relatedUuid !== null ? 'replacement' : kind;
}

function applyMailOutcome(document: TaxDocument, { outcome }: MailOutcome, now: Date): TaxDocument {
  if (outcome === 'refused') return postponeMail(document, now);
  return finishMail(document, outcome === 'sent' ? 'sent' : 'unconfirmed');
}

function logOutcome(orderId: number, outcome: MailOutcome, document: TaxDocument | undefined): void {
  const { mail, tasks } = document ?? {};
  const code = outcome.outcome === 'sent' ? undefined : outcome.code;
  const fields = { orderId, outcome: outcome.outcome, code, mail: mail ?? undefined, tries: tasks?.mail?.tries };
  const needsPerson = mail === 'unconfirmed' || mail === 'given_up';
  if (needsPerson) logError('mail needs a person', new Error(`the mail is ${mail}`), fields);
  else logInfo('mail', fields);
}
