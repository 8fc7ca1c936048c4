import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogBucket } from '../../bucket.ts';
import { COMPARED_KINDS, type ComparedKind } from '../../file/records.ts';
import { hasCurrentFormat, type Pointer, readCatalogFile } from '../../file/snapshot.ts';
import { downloadSnapshot, withTempDir } from '../versions.ts';
import { type Comparison, compareFiles, type Difference, findLost, type RecordKey, selectRecords } from './compare.ts';

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

type NamedRecord = { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

function listChangedFields(before: NamedRecord | undefined, after: NamedRecord | undefined): string[] {
  if (!before || !after) return [];
  const names = Object.keys({ ...before.fields, ...after.fields });
  return names.filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])).sort();
}

const readRecords = (file: string, kind: ComparedKind, keys: readonly RecordKey[]): Map<RecordKey, NamedRecord> =>
  readCatalogFile(file, (database) => {
    const query = `SELECT records.*, bases.content ->> 'name' AS base
      FROM (${selectRecords(kind)}) AS records LEFT JOIN bases ON bases.id = records.content ->> 'base'
      WHERE key IN (SELECT value FROM json_each(?))`;
    return new Map(
      Array.from(database.prepare(query).iterate(JSON.stringify(keys)), ({ key, content, detail, base }) => {
        const fields = { ...JSON.parse(String(content), withoutTimes), ...JSON.parse(String(detail)) };
        return [key as RecordKey, { name: base ? `${base}, ${fields.presentation}` : nameRecord(fields), fields }];
      }),
    );
  });

const nameRecord = ({ name, code, zip_from, zip_to, date, active_ingredient }: NamedRecord['fields']): string =>
  String(name ?? code ?? date ?? active_ingredient ?? `${zip_from}–${zip_to}`);

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);

export type ComparedVersions = Comparison & {
  readonly records: readonly RecordChange[];
  /** The products that the later one does not know. */
  readonly forgotten: readonly number[];
};

type Versions = { readonly from: Pointer | undefined; readonly to: Pointer | undefined };

/** Compares two published versions; returns undefined if one of them is missing, damaged, or of an older format. */
export const compareVersions = ({ from, to }: Versions, bucket: CatalogBucket): Promise<ComparedVersions | undefined> =>
  withTempDir(async (temp) => {
    const before = await download(bucket, from, join(temp, 'before.sqlite'));
    const after = before && (await download(bucket, to, join(temp, 'after.sqlite')));
    const comparison = before && after && compareFiles(before, after, new Date());
    if (!comparison) return undefined;
    const records = listRecordChanges(before, after, comparison.difference);
    return { ...comparison, records, forgotten: findLost(before, after) };
  });

async function download(bucket: CatalogBucket, pointer: Pointer | undefined, file: string) {
  const snapshot = pointer && (await downloadSnapshot(bucket, pointer, file));
  return snapshot && hasCurrentFormat(snapshot) ? snapshot : undefined;
}
