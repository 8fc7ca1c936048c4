import { readInvoiceFile, storeInvoiceFiles } from '../../../documents/invoice-files.ts';
import { isCopyDue, listMissingParts, postponeCopy, recordCopy } from '../../../domain/invoices/archive.ts';
import { listDocuments } from '../../../domain/invoices/order-documents.ts';
import type { ArchivedPart, TaxDocument } from '../../../domain/invoices/tax-document.ts';
import type { InvoicingProvider } from '../../../invoicing/provider.ts';
import type { MailFiles } from '../../../mail/compose-document.ts';
import { changeDocument } from '../../../store/invoices/invoice-changes.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';

type Deps = Pick<InvoiceDeps, 'invoicing' | 'documents'>;

const PROVIDER_MS = 5_000;

/**
 * Copies what is due of an order's tax documents from the provider into our bucket, and records it. Safe to run
 * concurrently. A copy that fails is due again later; the first failure is thrown when all were tried.
 */
export async function archiveDueDocuments(
  order: Order,
  act: Act,
  deps: Deps & Pick<InvoiceDeps, 'table'>,
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
async function copyMissingParts(document: TaxDocument, signal: AbortSignal, deps: Deps): Promise<ArchivedPart[]> {
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
  { invoicing, documents }: Deps,
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
export async function archiveParts(
  document: TaxDocument,
  signal: AbortSignal,
  deps: Deps,
): Promise<{ readonly files: MailFiles; readonly copied: readonly ArchivedPart[] }> {
  const part = document.status === 'cancelled' ? 'receipt' : 'files';
  if (document.archive?.kept.includes(part)) return { files: await readPart(document, part, deps), copied: [] };
  const files = await copyPart(document, part, signal, deps);
  return { files: files ?? {}, copied: files ? [part] : [] };
}

async function readPart({ key }: TaxDocument, part: ArchivedPart, { documents }: Deps): Promise<MailFiles> {
  if (part === 'receipt') return { receipt: await readInvoiceFile(documents, key, 'receipt') };
  const [xml, pdf] = await Promise.all([
    readInvoiceFile(documents, key, 'xml'),
    readInvoiceFile(documents, key, 'pdf'),
  ]);
  return { xml, pdf };
}
