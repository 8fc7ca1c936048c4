import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Comparison, compareFiles, type Difference, findLost } from '../../../shared/catalog/compare/compare.ts';
import {
  COMPARED_KINDS,
  type ComparedKind,
  type Fields,
  type RecordKey,
  selectRows,
  toRecordKey,
} from '../../../shared/catalog/compare/content.ts';
import { buildCatalog, type FolderErrors } from '../../../shared/catalog/compile/compile.ts';
import { hasCurrentFormat, openCatalogFile, type Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import type { Danger, Judge } from '../../../shared/catalog/publish/publish.ts';
import {
  type CatalogBucket,
  downloadSnapshot,
  readPointer,
  readRecord,
} from '../../../shared/catalog/publish/versions.ts';

export type VersionComparison =
  /** `version` is the one that cannot be compared; undefined if that is the current one and none is current. */
  { readonly outcome: 'unknown' | 'damaged'; readonly version: string | undefined } | ComparedVersions;

export type ComparedVersions = Comparison & {
  readonly outcome: 'compared';
  readonly from: string;
  readonly to: string;
  /** The records that differ, with their names. */
  readonly records: readonly RecordChange[];
  /** The products that the later version does not know. */
  readonly forgotten: readonly number[];
};

type Versions = {
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly to: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Ends the comparison with its reason. */
  readonly signal: AbortSignal;
};

/**
 * Compares two published versions: what going from one to the other adds, removes and changes. `unknown`: there is no such
 * version, or none is current. `damaged`: its snapshot is missing, has changed, or has an older format. Throws what S3 throws.
 */
export async function compareVersions({ from, to, bucket, now, signal }: Versions): Promise<VersionComparison> {
  const before = from === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, from);
  if (!before) return { outcome: 'unknown', version: from };
  const after = await readRecord(bucket, to);
  if (!after) return { outcome: 'unknown', version: to };
  const snapshots = { before, after, bucket, now, signal };
  const compared = await inScratch((scratch) => compareSnapshots(snapshots, scratch));
  signal.throwIfAborted();
  return compared;
}

type Snapshots = Pick<Versions, 'bucket' | 'now' | 'signal'> & { readonly before: Pointer; readonly after: Pointer };

async function compareSnapshots(
  { before, after, bucket, now, signal }: Snapshots,
  scratch: string,
): Promise<VersionComparison> {
  signal.throwIfAborted();
  const former = await downloadReadable(bucket, before, join(scratch, 'before.sqlite'));
  if (former === null) return { outcome: 'damaged', version: before.version };
  signal.throwIfAborted();
  const latter = await downloadReadable(bucket, after, join(scratch, 'after.sqlite'));
  signal.throwIfAborted();
  const comparison = latter && compareFiles(former, latter, now);
  if (!latter || !comparison) return { outcome: 'damaged', version: after.version };
  const records = listRecordChanges(former, latter, comparison.difference);
  const forgotten = findLost(former, latter);
  return { outcome: 'compared', from: before.version, to: after.version, ...comparison, records, forgotten };
}

async function downloadReadable(bucket: CatalogBucket, version: Pointer, file: string): Promise<string | null> {
  const downloaded = await downloadSnapshot(bucket, version, file);
  return downloaded !== null && hasCurrentFormat(await readFile(downloaded)) ? downloaded : null;
}

export type FolderComparison =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | { readonly outcome: 'unknown' | 'damaged' }
  | ({ readonly outcome: 'compared'; readonly from: string; readonly dangers: readonly Danger[] } & Comparison);

type ComparedFolder = {
  readonly folder: string;
  /** A CSV file of products that are changed or added. */
  readonly csv?: string | undefined;
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Returns why the folder would be published with `--accept` only. */
  readonly judge: Judge;
  readonly onProgress?: (done: number) => void;
  /** Ends the comparison with its reason. */
  readonly signal?: AbortSignal;
};

/**
 * Compares a catalog folder with a published version and stores nothing. `unknown`: there is no such version, or none is
 * current. `damaged`: its snapshot is missing, has changed, or has an older format. Throws what S3 throws.
 */
export async function compareFolder({ from, ...input }: ComparedFolder): Promise<FolderComparison> {
  const { bucket, signal } = input;
  const version = from === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, from);
  if (!version) return { outcome: 'unknown' };
  const compared = await inScratch((scratch) => compareWith(version, input, scratch));
  // The comparison keeps the process busy, which learns of a Ctrl-C only while the folder is removed.
  signal?.throwIfAborted();
  return compared;
}

async function compareWith(
  version: Pointer,
  { folder, csv, bucket, now, judge, ...progress }: Omit<ComparedFolder, 'from'>,
  scratch: string,
): Promise<FolderComparison> {
  const file = join(scratch, 'next.sqlite');
  const build = await buildCatalog(folder, file, { previous: null, csv, ...progress });
  if ('errors' in build) return { outcome: 'invalid', ...build };
  const previous = await downloadSnapshot(bucket, version, join(scratch, 'previous.sqlite'));
  progress.signal?.throwIfAborted();
  const comparison = compareFiles(previous, file, now);
  if (comparison === null || previous === null) return { outcome: 'damaged' };
  const dangers = await judge(comparison, { before: previous, after: file });
  return { outcome: 'compared', from: version.version, ...comparison, dangers };
}

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
        toRecordChange({ kind, key, change }, former.get(key), latter.get(key));
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

function toRecordChange(
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
  const rows = readChangedRows(database, kind, keys);
  if (kind !== 'products')
    return new Map(rows.map(({ key, fields }) => [key, { name: nameChangedRecord(fields), fields }]));
  const bases = readNamed(database, 'bases', new Set(rows.map(({ fields }) => Number(fields.base))));
  const nameProduct = ({ base, presentation }: RecordRow['fields']) =>
    `${bases.get(Number(base))?.name}, ${presentation}`;
  return new Map(rows.map(({ key, fields }) => [key, { name: nameProduct(fields), fields }]));
}

/** A coupon has a code, a rate has zip codes, a holiday has a date, synonyms are of an ingredient, and all others have a name. */
function nameChangedRecord({ name, code, zip_from, zip_to, date, active_ingredient }: RecordRow['fields']): string {
  return String(name ?? code ?? date ?? active_ingredient ?? `${zip_from}–${zip_to}`);
}

/** A record of a catalog file without its times, with every field that is published of it. */
type RecordRow = { readonly key: RecordKey; readonly fields: Readonly<Record<string, unknown>> };

/** Reads those records of a kind that have one of these keys, by ascending key. */
function readChangedRows(database: DatabaseSync, kind: ComparedKind, keys: ReadonlySet<RecordKey>): RecordRow[] {
  const found: RecordRow[] = [];
  for (const { content, detail } of selectKeys(database, kind, keys)) {
    const { fields, more } = parseContent(content, detail);
    const key = toRecordKey(fields);
    if (keys.has(key)) found.push({ key, fields: { ...fields, ...more } });
  }
  return found;
}

// Only products and their bases are so many that reading all of them for a few takes seconds.
function selectKeys(database: DatabaseSync, kind: ComparedKind, keys: ReadonlySet<RecordKey>) {
  if (kind !== 'products' && kind !== 'bases') return selectRows(database, kind);
  const columns = kind === 'products' ? 'content, detail' : 'content, NULL AS detail';
  const wanted = 'id IN (SELECT value FROM json_each(?))';
  return database
    .prepare(`SELECT ${columns} FROM ${kind} WHERE ${wanted} ORDER BY id`)
    .iterate(JSON.stringify([...keys]));
}

const parseContent = (
  content: unknown,
  detail: unknown,
): { readonly fields: Fields; readonly more: object | null } => ({
  fields: JSON.parse(String(content), withoutTimes),
  more: detail === null ? null : JSON.parse(String(detail)),
});

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);
