import { readdirSync } from 'node:fs';
import { type CatalogFile, type CatalogRecords, catalogFileNames } from './folder.ts';
import { type CatalogFault, type FileLines, type RecordLine, readLines } from './record-lines.ts';
import type { CatalogLines } from './rule-forms.ts';
import { faultsAcross } from './rules.ts';

export type { CatalogFault } from './record-lines.ts';

/**
 * Reads a catalog folder and finds every fault of it at once, each reported once: shape, references, uniqueness, ranges
 * (in `folder.ts` and `rules.ts`), missing and unknown files. The records are those without a fault of their own; they
 * make a catalog only if there are no faults at all.
 */
export function readCatalogFolder(folder: string): { records: CatalogRecords; faults: CatalogFault[] } {
  const names = fileNamesOf(folder);
  if (names === undefined) {
    return {
      records: byFile(() => []),
      faults: [{ file: '', line: 0, field: '', message: `${folder} is no folder.` }],
    };
  }
  const files = byFile((file) => readLines(folder, file));
  const faults = catalogFileNames.flatMap((file) => files[file].faults);
  const lines = byFile((file) => files[file].lines) as CatalogLines;
  return {
    records: byFile((file) => wholeRecords(files[file])) as CatalogRecords,
    faults: [...unknownFiles(names), ...faults, ...faultsAcross(lines)].sort(byPlace),
  };
}

function byFile<Value>(value: (file: CatalogFile) => Value): Record<CatalogFile, Value> {
  return Object.fromEntries(catalogFileNames.map((file) => [file, value(file)])) as Record<CatalogFile, Value>;
}

function fileNamesOf(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function unknownFiles(names: readonly string[]): CatalogFault[] {
  const known = new Set(catalogFileNames.map((file) => `${file}.jsonl`));
  return names
    .filter((name) => name.endsWith('.jsonl') && !known.has(name))
    .map((file) => ({ file, line: 0, field: '', message: 'There is no such file in a catalog.' }));
}

function wholeRecords({ lines = [] }: FileLines<CatalogFile>): RecordLine<CatalogFile>['fields'][] {
  return lines.filter(({ isWhole }) => isWhole).map(({ fields }) => fields);
}

function byPlace(a: CatalogFault, b: CatalogFault): number {
  const fileOrder = (fault: CatalogFault) => catalogFileNames.findIndex((name) => `${name}.jsonl` === fault.file);
  return fileOrder(a) - fileOrder(b) || a.line - b.line;
}
