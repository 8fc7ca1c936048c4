import { recordCopy } from '../../../domain/invoices/archive.ts';
import { finishMail, postponeMail } from '../../../domain/invoices/documents/mail.ts';
import { findDocument } from '../../../domain/invoices/order-documents.ts';
import type { ArchivedPart, TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { formatFolio } from '../../../domain/order.ts';
import { composeDocumentMail } from '../../../mail/compose-document.ts';
import type { MailSubject } from '../../../mail/document-text.ts';
import type { MailOutcome } from '../../../mail/send.ts';
import { logError, logInfo } from '../../../runtime/log.ts';
import { changeDocument } from '../../../store/invoices/invoice-changes.ts';
import { isPatientErased, type Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import type { Attempted } from '../issuing/invoice-attempt.ts';
import { archiveParts } from './archive-document.ts';

type MailDeps = Omit<InvoiceDeps, 'business'>;

/**
 * Mails a tax document whose mail the caller has claimed, and records the outcome. What the mail says follows from the document: it was
 * issued, replaces another one, or was cancelled. A mail whose outcome is unknown is not sent again automatically. Throws
 * only if the outcome cannot be recorded; the claim then expires.
 */
export async function mailDocument(
  { order, key }: Attempted,
  { timeoutMs, ...act }: Act & { readonly timeoutMs: number },
  deps: MailDeps,
): Promise<TaxDocument['mail']> {
  const claimed = findDocument(order, key);
  if (!claimed) throw new Error('a mail is of a document of its order');
  if (isPatientErased(order)) return dropMail({ order, key }, act, deps);
  const { outcome, copied } = await composeAndSend(order, claimed, AbortSignal.timeout(Math.max(0, timeoutMs)), deps);
  const { order: after } = await changeDocument(deps.table, { order, key }, act, (document) =>
    isClaimed(document, claimed) ? applyMailOutcome(recordCopy(document, copied), outcome, act.now) : undefined,
  );
  const mail = findDocument(after, key)?.mail ?? null;
  logOutcome(order.id, outcome, mail);
  return mail;
}

/** Ends the mail of an order whose patient was erased: there is no address any more. */
async function dropMail({ order, key }: Attempted, act: Act, { table }: MailDeps): Promise<null> {
  await changeDocument(table, { order, key }, act, (document) => ({ ...finishMail(document, 'sent'), mail: null }));
  return null;
}

/** True unless somebody else has claimed the mail since. An expired claim still counts: its mail may have been sent. */
const isClaimed = ({ mail }: TaxDocument, claimed: TaxDocument): boolean => mail?.tries === claimed.mail?.tries;

type Sending = { readonly outcome: MailOutcome; readonly copied: readonly ArchivedPart[] };

async function composeAndSend(
  order: Order,
  document: TaxDocument,
  signal: AbortSignal,
  deps: MailDeps,
): Promise<Sending> {
  let copied: readonly ArchivedPart[] = [];
  try {
    const mailer = deps.mail();
    const archived = await archiveParts(document, signal, deps);
    copied = archived.copied;
    const to = order.invoicing?.email || order.patient.email;
    const { sender, sellerName } = mailer;
    const { files } = archived;
    const raw = await composeDocumentMail({ to, sender, sellerName, files, ...toMailWords(order, document) });
    return { outcome: await mailer.send(raw, to, signal), copied };
  } catch (error) {
    // SES has not received anything yet: `send` itself does not throw.
    logError('a mail could not be composed', error, { orderId: order.id });
    return { outcome: { outcome: 'refused', code: 'NotComposed' }, copied };
  }
}

const toMailWords = (order: Order, document: TaxDocument) => ({
  subject: chooseSubject(document),
  folio: formatFolio(order.id),
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

function logOutcome(orderId: number, outcome: MailOutcome, mail: TaxDocument['mail']): void {
  const code = outcome.outcome === 'sent' ? undefined : outcome.code;
  const fields = { orderId, outcome: outcome.outcome, code, mail: mail?.status, tries: mail?.tries };
  const needsPerson = mail?.status === 'unconfirmed' || mail?.status === 'given_up';
  if (needsPerson) logError('mail needs a person', new Error(`the mail is ${mail.status}`), fields);
  else logInfo('mail', fields);
}
