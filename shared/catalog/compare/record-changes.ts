import type { DatabaseSync } from 'node:sqlite';
import { openCatalogFile } from '../file/format.ts';
import type { Difference } from './compare.ts';
import { COMPARED_KINDS, type ComparedKind, type RecordKey, type RecordRow, readRows } from './content.ts';

/** A record that differs between two versions, as a person knows it. */
export type RecordChange = {
  readonly kind: ComparedKind;
  readonly key: RecordKey;
  /** The name, code, range of zip codes or date by which a person knows it, as the later version that has it says. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The fields that differ, in the order of the alphabet; none of a record that was added or removed. */
  readonly fields: readonly string[];
};

/** Returns the records of a difference between two catalog files with their names. Throws what `openCatalogFile` throws. */
export function listRecordChanges(before: string, after: string, { kinds }: Difference): RecordChange[] {
  const files = [openCatalogFile(before), openCatalogFile(after)] as const;
  try {
    return COMPARED_KINDS.flatMap((kind) => {
      const { added, removed, changed } = kinds[kind];
      if (added.length + removed.length + changed.length === 0) return [];
      const keys = new Set([...added, ...removed, ...changed]);
      const [former, latter] = [readNamed(files[0], kind, keys), readNamed(files[1], kind, keys)];
      const toChange = (change: RecordChange['change']) => (key: RecordKey) =>
        describeChange({ kind, key, change }, former.get(key), latter.get(key));
      return [
        ...added.map(toChange('added')),
        ...removed.map(toChange('removed')),
        ...changed.map(toChange('changed')),
      ];
    });
  } finally {
    for (const file of files) file.close();
  }
}

type Named = { readonly name: string; readonly fields: RecordRow['fields'] };

function describeChange(
  change: Pick<RecordChange, 'kind' | 'key' | 'change'>,
  before: Named | undefined,
  after: Named | undefined,
): RecordChange {
  const name = (after ?? before)?.name ?? '';
  return { ...change, name, fields: before && after ? listChangedFields(before.fields, after.fields) : [] };
}

function listChangedFields(before: RecordRow['fields'], after: RecordRow['fields']): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}

function readNamed(
  database: DatabaseSync,
  kind: ComparedKind,
  keys: ReadonlySet<RecordKey>,
): ReadonlyMap<RecordKey, Named> {
  const rows = readRows(database, kind, keys);
  if (kind !== 'products') return new Map(rows.map(({ key, fields }) => [key, { name: nameRecord(fields), fields }]));
  const bases = readNamed(database, 'bases', new Set(rows.map(({ fields }) => Number(fields.base))));
  const nameProduct = ({ base, presentation }: RecordRow['fields']) =>
    `${bases.get(Number(base))?.name}, ${presentation}`;
  return new Map(rows.map(({ key, fields }) => [key, { name: nameProduct(fields), fields }]));
}

/** A coupon has a code, a rate has zip codes, a holiday has a date, and all others have a name. */
function nameRecord({ name, code, zip_from, zip_to, date }: RecordRow['fields']): string {
  return String(name ?? code ?? date ?? `${zip_from}–${zip_to}`);
}
