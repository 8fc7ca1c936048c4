import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readInvoiceFile } from '../../../shared/documents/documents.ts';
import { listDocuments, type TaxDocument } from '../../../shared/domain/invoices/tax-document.ts';
import { existingOrder } from '../../../shared/usecases/operations/operate-order.ts';
import { command } from '../command.ts';
import { OWNER_ONLY, writeWhole } from '../files.ts';
import { orderId, path } from '../input.ts';

export const invoicesFiles = command({
  name: 'invoices files',
  summary:
    'Write our copies of the tax documents of an order to a folder, named by their fiscal folios: XML, PDF, and the ' +
    'receipt of a cancellation (acuse)',
  example: '42 --out facturas/',
  positional: ['orderId'],
  input: z.object({ orderId, out: path('folder') }),
  async run({ orderId: id, out }, { table, documents }) {
    const copies = listDocuments(await existingOrder(table, id)).flatMap(listCopies);
    if (copies.length > 0) await mkdir(out, { recursive: true });
    for (const { key, file, name } of copies) {
      const bytes = await readInvoiceFile(documents, key, file);
      // They name the receiver.
      await writeWhole(join(out, name), [bytes], OWNER_ONLY);
    }
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
    { key, file: 'receipt', name: `${name}-acuse.xml` },
  ];
  return files.filter(({ file }) => archive?.kept.includes(file === 'receipt' ? 'receipt' : 'files'));
}
