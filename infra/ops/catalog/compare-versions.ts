import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Comparison, compareFiles, type Difference, findLost } from '../../../shared/catalog/compare/compare.ts';
import {
  COMPARED_KINDS,
  type ComparedKind,
  type RecordKey,
  selectRows,
  toRecordKey,
} from '../../../shared/catalog/compare/content.ts';
import { buildCatalog, type FolderErrors } from '../../../shared/catalog/compile/compile.ts';
import { hasCurrentFormat, readCatalogFile } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import type { Danger, Judge } from '../../../shared/catalog/publish/publish.ts';
import { type CatalogBucket, downloadSnapshot, readRecord } from '../../../shared/catalog/publish/versions.ts';
import { findVersion } from './published-catalog.ts';

/**
 * `unknown`: there is no such version, or none is current, and `version` is undefined. `damaged`: its snapshot is missing, has
 * changed, or has an older format.
 */
export type Incomparable = { readonly outcome: 'unknown' | 'damaged'; readonly version: string | undefined };

export type ComparedVersions = Comparison & {
  readonly outcome: 'compared';
  readonly from: string;
  readonly to: string;
  readonly records: readonly RecordChange[];
  /** The products that the later version does not know. */
  readonly forgotten: readonly number[];
};

type Compared = {
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Ends the comparison with its reason. */
  readonly signal: AbortSignal;
};

/** Compares two published versions: what going from one to the other adds, removes and changes. Throws what S3 throws. */
export async function compareVersions({
  from,
  to,
  bucket,
  now,
  signal,
}: Compared & { readonly to: string }): Promise<Incomparable | ComparedVersions> {
  const before = await findVersion(bucket, from);
  if (!before) return { outcome: 'unknown', version: from };
  const after = await readRecord(bucket, to);
  if (!after) return { outcome: 'unknown', version: to };
  const compared = await inScratch(async (scratch): Promise<Incomparable | ComparedVersions> => {
    signal.throwIfAborted();
    const former = await downloadSnapshot(bucket, before, join(scratch, 'before.sqlite'));
    signal.throwIfAborted();
    const latter = await downloadSnapshot(bucket, after, join(scratch, 'after.sqlite'));
    signal.throwIfAborted();
    if (latter === null || !hasCurrentFormat(await readFile(latter))) return { outcome: 'damaged', version: to };
    const comparison = compareFiles(former, latter, now);
    if (former === null || comparison === null) return { outcome: 'damaged', version: before.version };
    const records = listRecordChanges(former, latter, comparison.difference);
    const forgotten = findLost(former, latter);
    return { outcome: 'compared', from: before.version, to, ...comparison, records, forgotten };
  });
  signal.throwIfAborted();
  return compared;
}

type ComparedFolder = Compared & {
  readonly folder: string;
  /** A CSV file of products that are changed or added. */
  readonly csv: string | undefined;
  /** Returns why the folder would be published with `--accept` only. */
  readonly judge: Judge;
  readonly onProgress: (done: number) => void;
};

type FolderComparison =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | Incomparable
  | ({ readonly outcome: 'compared'; readonly from: string; readonly dangers: readonly Danger[] } & Comparison);

/** Compares a catalog folder with a published version and stores nothing. Throws what S3 throws. */
export async function compareFolder(input: ComparedFolder): Promise<FolderComparison> {
  const { folder, csv, from, bucket, now, judge, onProgress, signal } = input;
  const version = await findVersion(bucket, from);
  if (!version) return { outcome: 'unknown', version: from };
  const compared = await inScratch(async (scratch): Promise<FolderComparison> => {
    const file = join(scratch, 'next.sqlite');
    const build = await buildCatalog(folder, file, { previous: null, csv, onProgress, signal });
    if ('errors' in build) return { outcome: 'invalid', ...build };
    const previous = await downloadSnapshot(bucket, version, join(scratch, 'previous.sqlite'));
    signal.throwIfAborted();
    const comparison = compareFiles(previous, file, now);
    if (comparison === null || previous === null) return { outcome: 'damaged', version: version.version };
    const dangers = await judge(comparison, { before: previous, after: file });
    return { outcome: 'compared', from: version.version, ...comparison, dangers };
  });
  // The comparison keeps the process busy, which learns of a Ctrl-C only while the folder is removed.
  signal.throwIfAborted();
  return compared;
}

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
  readCatalogFile(before, (former) =>
    readCatalogFile(after, (latter) =>
      COMPARED_KINDS.flatMap((kind) => {
        const keys = new Set(CHANGES.flatMap((change) => kinds[kind][change]));
        if (keys.size === 0) return [];
        const [one, other] = [readRecords(former, kind, keys), readRecords(latter, kind, keys)];
        return CHANGES.flatMap((change) =>
          kinds[kind][change].map((key) => toRecordChange({ kind, key, change }, one.get(key), other.get(key))),
        );
      }),
    ),
  );

function toRecordChange(
  change: Pick<RecordChange, 'kind' | 'key' | 'change'>,
  before: NamedRecord | undefined,
  after: NamedRecord | undefined,
): RecordChange {
  const name = (after ?? before)?.name ?? '';
  return { ...change, name, fields: before && after ? listChangedFields(before.fields, after.fields) : [] };
}

function listChangedFields(before: NamedRecord['fields'], after: NamedRecord['fields']): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}

/** A record of a catalog file without its times, with every field that is published of it. */
type NamedRecord = { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

function readRecords(
  database: DatabaseSync,
  kind: ComparedKind,
  keys: ReadonlySet<RecordKey>,
): Map<RecordKey, NamedRecord> {
  const records = new Map<RecordKey, NamedRecord>();
  for (const { content, detail } of selectKeys(database, kind, keys)) {
    const fields = { ...JSON.parse(String(content), withoutTimes), ...JSON.parse(String(detail)) };
    const key = toRecordKey(fields);
    if (keys.has(key)) records.set(key, { name: nameRecord(fields), fields });
  }
  return kind === 'products' ? nameProducts(records, database) : records;
}

function nameProducts(products: ReadonlyMap<RecordKey, NamedRecord>, database: DatabaseSync) {
  const bases = readRecords(
    database,
    'bases',
    new Set([...products.values()].map(({ fields }) => Number(fields.base))),
  );
  const nameProduct = ({ base, presentation }: NamedRecord['fields']) =>
    `${bases.get(Number(base))?.name}, ${presentation}`;
  return new Map([...products].map(([key, { fields }]) => [key, { name: nameProduct(fields), fields }]));
}

/** A coupon has a code, a rate has zip codes, a holiday has a date, synonyms are of an ingredient, and all others have a name. */
const nameRecord = ({ name, code, zip_from, zip_to, date, active_ingredient }: NamedRecord['fields']): string =>
  String(name ?? code ?? date ?? active_ingredient ?? `${zip_from}–${zip_to}`);

// Only products and their bases are so many that reading all of them for a few takes seconds.
function selectKeys(database: DatabaseSync, kind: ComparedKind, keys: ReadonlySet<RecordKey>) {
  if (kind !== 'products' && kind !== 'bases') return selectRows(database, kind);
  const columns = kind === 'products' ? 'content, detail' : 'content, NULL AS detail';
  const wanted = 'id IN (SELECT value FROM json_each(?))';
  return database
    .prepare(`SELECT ${columns} FROM ${kind} WHERE ${wanted} ORDER BY id`)
    .iterate(JSON.stringify([...keys]));
}

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);
