import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { requiredText } from '../../../shared/api/fields.ts';
import { type Documents, readInvoiceFile } from '../../../shared/documents/documents.ts';
import { listDocuments, type TaxDocument } from '../../../shared/domain/invoices/tax-document.ts';
import { openTable } from '../../../shared/store/table.ts';
import { existingOrder } from '../../../shared/usecases/operations/operate-order.ts';
import { command } from '../command.ts';
import { orderId } from '../orders/changed-order.ts';
import { openDocuments } from '../orders/documents.ts';
import { OWNER_ONLY, writeWhole } from '../terminal/whole-file.ts';

export const invoicesFiles = command({
  name: 'invoices files',
  effect: 'reads',
  summary:
    'Write our copies of the tax documents of an order to a folder, named by their fiscal folios: XML, PDF, and the ' +
    'receipt of a cancellation (acuse)',
  example: '42 --out facturas/',
  arguments: { orderId },
  options: { out: requiredText(4_096).meta({ title: 'folder' }) },
  async run({ orderId: id, out }) {
    const order = await existingOrder(openTable(), id);
    const copies = listDocuments(order).flatMap(listCopies);
    await writeCopies(out, copies, openDocuments());
    const files = copies.map(({ name }) => name);
    return {
      document: { order: id, files },
      text: files.map((name) => `${name}\n`).join('') || `There is no copy of a tax document of order ${id}.\n`,
    };
  },
});

type Copy = { readonly key: string; readonly file: 'xml' | 'pdf' | 'receipt'; readonly name: string };

/** Returns the copies that are kept of a document, none if it is not issued or its patient was erased long ago. */
function listCopies({ key, providerId, stamp, archive }: TaxDocument): Copy[] {
  const name = stamp?.uuid ?? providerId;
  const files: Copy[] = [
    { key, file: 'pdf', name: `${name}.pdf` },
    { key, file: 'xml', name: `${name}.xml` },
  ];
  return [
    ...(archive?.kept.includes('files') ? files : []),
    ...(archive?.kept.includes('receipt') ? [{ key, file: 'receipt', name: `${name}-acuse.xml` } as const] : []),
  ];
}

async function writeCopies(folder: string, copies: readonly Copy[], documents: Documents): Promise<void> {
  if (copies.length > 0) await mkdir(folder, { recursive: true });
  for (const { key, file, name } of copies) {
    const bytes = await readInvoiceFile(documents, key, file);
    // They name the receiver.
    await writeWhole(join(folder, name), [bytes], OWNER_ONLY);
  }
}
