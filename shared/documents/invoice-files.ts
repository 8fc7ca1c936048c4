import { hash } from 'node:crypto';
import type { Documents } from './documents.ts';

const FOLDER = 'invoices/';
const HASH_DIGITS = 32;

const FILES = {
  xml: { name: 'document.xml', type: 'application/xml' },
  pdf: { name: 'document.pdf', type: 'application/pdf' },
  receipt: { name: 'receipt.xml', type: 'application/xml' },
} as const;
type InvoiceFile = keyof typeof FILES;

// The key of an attempt has a random part, so nobody can guess its hash; the same document always has the same place, so that
// it may be copied twice.
const toObjectKey = (key: string, file: InvoiceFile): string =>
  `${FOLDER}${hash('sha256', key).slice(0, HASH_DIGITS)}/${FILES[file].name}`;

/** Returns the objects of a tax document, by the key of its attempt, whether they are stored or not. */
export const listInvoiceObjects = (key: string): string[] =>
  (['xml', 'pdf', 'receipt'] as const).map((file) => toObjectKey(key, file));

type Files = Partial<Readonly<Record<InvoiceFile, Uint8Array | undefined>>>;

/** Stores files of a tax document: private, encrypted, under keys that say nothing. May be repeated. Throws if one is not stored. */
export async function storeInvoiceFiles(documents: Documents, key: string, files: Files): Promise<void> {
  const entries = Object.entries(files) as [InvoiceFile, Uint8Array | undefined][];
  await Promise.all(
    entries.map(async ([file, bytes]) => {
      if (bytes) await documents.put({ key: toObjectKey(key, file), bytes, type: FILES[file].type });
    }),
  );
}

/** Reads a stored file of a tax document. Throws if it is not there. */
export const readInvoiceFile = (documents: Documents, key: string, file: InvoiceFile): Promise<Uint8Array> =>
  documents.read(toObjectKey(key, file));
