import type { MailOutcome } from '../mail/send.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { formatFolio } from '../order/rules/status.ts';
import { logError, logInfo } from '../runtime/log.ts';
import { readInvoiceFile, storeInvoiceFiles } from '../store/documents.ts';
import { composeDocumentMail, type MailFiles, type MailSubject } from './document-mail.ts';
import type { Attempted, InvoiceDeps } from './invoice-attempt.ts';
import { changeDocument } from './invoice-changes.ts';
import type { InvoicingProvider } from './provider.ts';
import {
  finishMail,
  isCopyDue,
  listMissingParts,
  postponeCopy,
  postponeMail,
  recordCopy,
} from './rules/issued-document.ts';
import { type ArchivedPart, findDocument, listDocuments, nameFiles, type TaxDocument } from './rules/tax-document.ts';

type MailDeps = Omit<InvoiceDeps, 'business'>;

// Nobody waits for the mail of a job or of an operator.
const MAIL_MS = 10_000;

/**
 * Mails a tax document whose mail the caller has claimed, and records the outcome. What the mail says follows from the document: it was
 * issued, replaces another one, or was cancelled. A mail whose outcome is unknown is not sent again automatically. Throws
 * only if the outcome cannot be recorded; the claim then expires.
 */
export async function mailDocument(
  { order, key }: Attempted,
  { timeoutMs = MAIL_MS, ...act }: Act & { readonly timeoutMs?: number },
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
    if (!mailer) return { outcome: { outcome: 'refused', code: 'NoSender' }, copied };
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

function logOutcome(orderId: number, outcome: MailOutcome, mail: TaxDocument['mail']): void {
  const code = outcome.outcome === 'sent' ? undefined : outcome.code;
  const fields = { orderId, outcome: outcome.outcome, code, mail: mail?.status, tries: mail?.tries };
  const needsPerson = mail?.status === 'unconfirmed' || mail?.status === 'given_up';
  if (needsPerson) logError('mail needs a person', new Error(`the mail is ${mail.status}`), fields);
  else logInfo('mail', fields);
}

type ArchiveDeps = Pick<InvoiceDeps, 'invoicing' | 'documents'>;

const PROVIDER_MS = 5_000;

/**
 * Copies what is due of an order's tax documents from the provider into our bucket, and records it. Safe to run
 * concurrently. A copy that fails is due again later; the first failure is thrown when all were tried.
 */
export async function archiveDueDocuments(
  order: Order,
  act: Act,
  deps: ArchiveDeps & Pick<InvoiceDeps, 'table'>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const document of listDocuments(order).filter((document) => isCopyDue(document, act.now))) {
    const copied = await copyMissingParts(document, AbortSignal.timeout(PROVIDER_MS), deps).catch((error: unknown) => {
      failures.push(error);
      return undefined;
    });
    await changeDocument(deps.table, { order, key: document.key }, act, (fresh) => applyCopy(fresh, copied, act.now));
  }
  if (failures.length > 0) throw failures[0];
}

/** Records a copy, undefined if it failed; what is missing then is due again after a pause. */
function applyCopy(document: TaxDocument, copied: readonly ArchivedPart[] | undefined, now: Date) {
  if (listMissingParts(document).length === 0) return undefined;
  const next = recordCopy(document, copied ?? []);
  return listMissingParts(next).length === 0 ? next : postponeCopy(next, now, copied ? 'not_offered' : 'failed');
}

/** Copies the parts that are missing and that the provider has; returns which. */
async function copyMissingParts(
  document: TaxDocument,
  signal: AbortSignal,
  deps: ArchiveDeps,
): Promise<ArchivedPart[]> {
  const copied: ArchivedPart[] = [];
  for (const part of listMissingParts(document)) {
    if (await copyPart(document, part, signal, deps)) copied.push(part);
  }
  return copied;
}

/** Copies a part; returns it, or undefined if the provider has none. */
async function copyPart(
  { key, providerId }: TaxDocument,
  part: ArchivedPart,
  signal: AbortSignal,
  { invoicing, documents }: ArchiveDeps,
): Promise<MailFiles | undefined> {
  const files =
    part === 'files' ? await invoicing().files(providerId, signal) : await findReceipt(providerId, signal, invoicing());
  if (files) await storeInvoiceFiles(documents, key, files);
  return files;
}

async function findReceipt(
  id: string,
  signal: AbortSignal,
  provider: InvoicingProvider,
): Promise<MailFiles | undefined> {
  const receipt = await provider.receipt(id, signal);
  return receipt && { receipt };
}

/**
 * Returns the part of a document that its mail carries, as our bucket has it, and what was copied there for that. A cancelled
 * document is mailed with its receipt, if there is one.
 */
async function archiveParts(
  document: TaxDocument,
  signal: AbortSignal,
  deps: ArchiveDeps,
): Promise<{ readonly files: MailFiles; readonly copied: readonly ArchivedPart[] }> {
  const part = document.status === 'cancelled' ? 'receipt' : 'files';
  if (document.archive?.kept.includes(part)) return { files: await readArchivedPart(document, part, deps), copied: [] };
  const files = await copyPart(document, part, signal, deps);
  return { files: files ?? {}, copied: files ? [part] : [] };
}

async function readArchivedPart(
  { key }: TaxDocument,
  part: ArchivedPart,
  { documents }: ArchiveDeps,
): Promise<MailFiles> {
  if (part === 'receipt') return { receipt: await readInvoiceFile(documents, key, 'receipt') };
  const [xml, pdf] = await Promise.all([
    readInvoiceFile(documents, key, 'xml'),
    readInvoiceFile(documents, key, 'pdf'),
  ]);
  return { xml, pdf };
}
