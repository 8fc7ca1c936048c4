import { isDeepStrictEqual } from 'node:util';
import { readCatalogFile } from '../../file/snapshot.ts';
import type { Difference } from './compare.ts';
import { COMPARED_KINDS, type ComparedKind, type RecordKey, selectRows, toRecordKey } from './content.ts';

const CHANGES = ['added', 'removed', 'changed'] as const;

/** A record that differs between two versions, as a person knows it. */
export type RecordChange = {
  readonly kind: ComparedKind;
  readonly key: RecordKey;
  /** The name, code, range of zip codes or date by which a person knows it, as the later version that has it says. */
  readonly name: string;
  readonly change: (typeof CHANGES)[number];
  /** The fields that differ, in the order of the alphabet; none of a record that was added or removed. */
  readonly fields: readonly string[];
};

/** Returns the records of a difference between two catalog files with their names. Throws what `openCatalogFile` throws. */
export const listRecordChanges = (before: string, after: string, { kinds }: Difference): RecordChange[] =>
  COMPARED_KINDS.flatMap((kind) => {
    const keys = CHANGES.flatMap((change) => kinds[kind][change]);
    if (keys.length === 0) return [];
    const [former, latter] = [readRecords(before, kind, keys), readRecords(after, kind, keys)];
    return CHANGES.flatMap((change) =>
      kinds[kind][change].map((key) => {
        const [one, other] = [former.get(key), latter.get(key)];
        return { kind, key, name: (other ?? one)?.name ?? '', change, fields: listChangedFields(one, other) };
      }),
    );
  });

/** A record of a catalog file without its times, with every field that is published of it. */
type NamedRecord = { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

function listChangedFields(before: NamedRecord | undefined, after: NamedRecord | undefined): string[] {
  if (!before || !after) return [];
  const names = Object.keys({ ...before.fields, ...after.fields });
  return names.filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])).sort();
}

// Only products and their bases are so many that reading all of them for a few takes seconds.
const SELECT_BY_IDS = {
  products: `SELECT products.content, detail, bases.content ->> 'name' AS base
    FROM products JOIN bases ON bases.id = products.base WHERE products.id IN (SELECT value FROM json_each(?))`,
  bases: 'SELECT content, NULL AS detail FROM bases WHERE id IN (SELECT value FROM json_each(?))',
} as const;

/** Returns the records with these keys, and maybe others. */
const readRecords = (file: string, kind: ComparedKind, keys: readonly RecordKey[]): Map<RecordKey, NamedRecord> =>
  readCatalogFile(file, (database) => {
    const rows =
      kind === 'products' || kind === 'bases'
        ? database.prepare(SELECT_BY_IDS[kind]).iterate(JSON.stringify(keys))
        : selectRows(database, kind);
    return new Map(
      Array.from(rows, ({ content, detail, base }) => {
        const fields = { ...JSON.parse(String(content), withoutTimes), ...JSON.parse(String(detail)) };
        return [toRecordKey(fields), { name: base ? `${base}, ${fields.presentation}` : nameRecord(fields), fields }];
      }),
    );
  });

/** A coupon has a code, a rate has zip codes, a holiday has a date, synonyms are of an ingredient, and all others have a name. */
const nameRecord = ({ name, code, zip_from, zip_to, date, active_ingredient }: NamedRecord['fields']): string =>
  String(name ?? code ?? date ?? active_ingredient ?? `${zip_from}–${zip_to}`);

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);
