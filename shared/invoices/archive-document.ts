import type { Act } from '../order/order-events.ts';
import { readInvoiceFile, storeInvoiceFiles } from '../store/documents.ts';
import type { MailFiles } from './document-mail.ts';
import { changeDocument, expectDocument, type InvoiceDeps, type OrderDocument } from './invoice-attempt.ts';
import { listMissingParts, postponeCopy, recordCopy } from './rules/document-life.ts';
import type { ArchivedPart } from './rules/document-values.ts';
import type { TaxDocument } from './rules/tax-document.ts';

type Deps = Pick<InvoiceDeps, 'invoicing' | 'documents'>;

const PROVIDER_MS = 5_000;

/** Copies a document's missing parts from the provider into our bucket; parts that it does not offer yet are due again. */
export async function archiveDocument(
  archiving: OrderDocument,
  act: Act,
  deps: Deps & Pick<InvoiceDeps, 'table'>,
): Promise<string> {
  const document = expectDocument(archiving);
  const signal = AbortSignal.timeout(PROVIDER_MS);
  const copied: ArchivedPart[] = [];
  for (const part of listMissingParts(document)) {
    if (await copyPart(document, part, signal, deps)) copied.push(part);
  }
  await recordParts(archiving, copied, 'not_offered', act, deps);
  return 'copied';
}

export const postponeArchive = (archiving: OrderDocument, act: Act, deps: Pick<InvoiceDeps, 'table'>): Promise<void> =>
  recordParts(archiving, [], 'failed', act, deps);

async function recordParts(
  archiving: OrderDocument,
  copied: readonly ArchivedPart[],
  cause: 'failed' | 'not_offered',
  act: Act,
  { table }: Pick<InvoiceDeps, 'table'>,
): Promise<void> {
  await changeDocument(table, archiving, act, (fresh) => {
    if (listMissingParts(fresh).length === 0) return undefined;
    const next = recordCopy(fresh, copied);
    return listMissingParts(next).length === 0 ? next : postponeCopy(next, act.now, cause);
  });
}

async function copyPart(
  { key, providerId: id }: TaxDocument,
  part: ArchivedPart,
  signal: AbortSignal,
  { invoicing, documents }: Deps,
): Promise<MailFiles | undefined> {
  const receipt = part === 'receipt' ? await invoicing().receipt(id, signal) : undefined;
  const files = part === 'files' ? await invoicing().files(id, signal) : receipt && { receipt };
  if (files) await storeInvoiceFiles(documents, key, files);
  return files;
}

/** Returns the files for a document's mail, from our bucket or the provider, and the parts copied for it. */
export async function archiveMailFiles(
  document: TaxDocument,
  signal: AbortSignal,
  deps: Deps,
): Promise<{ readonly files: MailFiles; readonly copied: readonly ArchivedPart[] }> {
  const part = document.status === 'cancelled' ? 'receipt' : 'files';
  if (document.kept.includes(part)) return { files: await readPart(document, part, deps), copied: [] };
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
