import type { Table } from '../store/table.ts';
import { globalParts } from './global/global-parts.ts';
import { readDocuments } from './read-month.ts';
import type { ArchivedPart } from './rules/document-values.ts';
import { nameFiles } from './rules/tax-document.ts';

const COPIES = [
  { file: 'pdf', part: 'files', ending: '.pdf' },
  { file: 'xml', part: 'files', ending: '.xml' },
  { file: 'receipt', part: 'receipt', ending: '-acuse.xml' },
] as const;

/** A document with the parts of its copy to be written; none if it is not issued or its patient was erased long ago. */
export type ListedCopies = Parameters<typeof nameFiles>[0] & {
  readonly key: string;
  readonly kept: readonly ArchivedPart[];
};

/** Lists the documents that were stamped or cancelled in a month, and the global invoices of its sales. */
export async function listMonth(table: Table, month: string, timeZone: string): Promise<ListedCopies[]> {
  const documents = await readDocuments(table, { month, timeZone });
  const parts = await globalParts(table, { from: month, until: month });
  const globals = parts.filter(({ status }) => status === 'issued');
  return [
    ...documents.map(({ document, isCancellation }) => {
      const { kept, ...copies } = document;
      return { ...copies, kept: kept.filter((part) => (part === 'receipt') === isCancellation) };
    }),
    ...globals.map((part) => ({ ...part, kind: 'global' as const, kept: part.isKept ? (['files'] as const) : [] })),
  ];
}

/** Names the copies. Documents of the sandbox have the folio of their order, so that their UUIDs tell equal names apart. */
export function nameCopies(listed: readonly ListedCopies[]) {
  const keys = Map.groupBy(listed, nameFiles);
  return listed.flatMap((document) => {
    const { key, providerId, stamp, kept } = document;
    const name = nameFiles(document);
    const isShared = new Set(keys.get(name)?.map((same) => same.key)).size > 1;
    const unique = isShared ? `${name}-${(stamp?.uuid ?? providerId).slice(0, 8)}` : name;
    const copies = COPIES.filter(({ part }) => kept.includes(part));
    return copies.map(({ file, ending }) => ({ key, file, name: `${unique}${ending}` }));
  });
}
