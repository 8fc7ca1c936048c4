import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { refusedToOperator } from '../../domain/operator-refusal.ts';
import { type CatalogBucket, type PointerRead, readPointer } from '../bucket.ts';
import { hasCurrentFormat, type Pointer, packSnapshot, type SnapshotSeal, toVersion } from '../file/snapshot.ts';
import { type Comparison, compareFiles } from './compare/compare.ts';
import { buildCatalog, type Compilation, type FolderBuild, type FolderErrors } from './compile/compile.ts';
import type { ProductSheet } from './folder/product-table.ts';
import {
  downloadSnapshot,
  movePointer,
  readRecord,
  storeImages,
  storeRecord,
  storeSnapshot,
  type VersionDifference,
  withTempDir,
} from './versions.ts';

/** A reason not to publish a version without confirmation. */
export type Danger = {
  readonly code:
    | 'products_removed'
    | 'shipping_rates_removed'
    | 'holidays_removed'
    | 'prices_changed'
    | 'id_in_use_removed'
    | 'products_lost'
    | 'updates_undone'
    | 'sold_more_freely'
    | 'no_products'
    | 'current_unreadable';
  readonly message: string;
};

type Compared = Compilation & {
  /** The difference from the current version; null if there was none, or it cannot be read. */
  readonly difference: Comparison['difference'] | null;
  /** The number of different images of products, and of those that were stored now. */
  readonly images: number;
  readonly new_images?: number;
};

/** Returns the reasons not to replace a catalog file by another without confirmation. */
export type Judge = (comparison: Comparison, files: ComparedFiles) => Promise<readonly Danger[]>;
export type ComparedFiles = { readonly before: string; readonly after: string };

/** The result of publishing a folder without storing anything: `dangers` need acceptance, `current` would be replaced. */
type Trial = Compared & {
  readonly version: string;
  readonly current: string | null;
  readonly dangers: readonly Danger[];
};

export type Publication =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | ({ readonly outcome: 'refused'; readonly dangers: readonly Danger[] } & Compared)
  | ({ readonly outcome: 'checked' } & Trial)
  | ({ readonly outcome: 'published' | 'unchanged' | 'overtaken'; readonly version: string } & Compared);

type Publishing = {
  /** Absent in a trial of a folder by itself, which is compared with nothing. */
  readonly bucket?: CatalogBucket | undefined;
  /** The bucket of the images, if the stage serves them. */
  readonly images?: CatalogBucket | undefined;
  readonly now: Date;
  /** If set, nothing is stored. */
  readonly isTrial?: boolean;
  readonly label?: string | undefined;
  readonly author?: string | undefined;
  /** Set if it is derived from the current version instead of a folder. */
  readonly isUpdate?: true;
  /** If absent, every difference is published. */
  readonly judge?: Judge | undefined;
  /** Aborts before anything more is stored, until the pointer has moved. */
  readonly signal?: AbortSignal;
};

type FolderPublishing = Publishing & {
  /** The folder, or a function that makes one in a temporary folder from the current version's file (null without one). */
  readonly folder: string | ((current: string | null, temp: string) => string);
  readonly sheet?: ProductSheet | undefined;
  readonly onProgress?: (done: number) => void;
};

/** `file` is null without a current version, or if its snapshot is missing or damaged. */
type Current = { readonly read: PointerRead; readonly file: string | null };

type Built = { readonly file: string; readonly build: FolderBuild; readonly current: Current };

/**
 * Compiles a catalog folder and makes it current: stores its images and the snapshot, verifies it by reading it back, adds its record
 * to the list of versions, then moves the pointer. `invalid`, `refused`: nothing was stored. `unchanged`: it is current
 * already, and only the pointer's date is new. `overtaken`: somebody else moved the pointer meanwhile, which stays.
 * `checked`: a trial stored nothing. Throws what S3 throws.
 */
export async function publishCatalog({
  folder,
  sheet,
  onProgress,
  ...publishing
}: FolderPublishing): Promise<Publication> {
  const { bucket, now, signal } = publishing;
  const publication = await withTempDir(async (temp): Promise<Publication> => {
    const current = await downloadCurrent(bucket, temp);
    const file = join(temp, 'next.sqlite');
    const source = typeof folder === 'string' ? folder : folder(current.file, temp);
    const build = await buildCatalog(source, file, { previous: current.file, sheet, now, onProgress, signal });
    return 'errors' in build ? { outcome: 'invalid', ...build } : publishBuilt({ file, build, current }, publishing);
  });
  // The comparison blocks the process, which notices a Ctrl-C only while the folder is removed.
  if (publication.outcome === 'refused' || publication.outcome === 'checked') signal?.throwIfAborted();
  return publication;
}

async function downloadCurrent(bucket: CatalogBucket | undefined, temp: string): Promise<Current> {
  if (!bucket) return { read: { etag: undefined, pointer: undefined }, file: null };
  const read = await readPointer(bucket);
  const { pointer } = read;
  const file = pointer ? await downloadSnapshot(bucket, pointer, join(temp, 'current.sqlite')) : null;
  return { read, file };
}

async function publishBuilt(built: Built, publishing: Publishing): Promise<Publication> {
  const { build, file, current } = built;
  const { bucket, images, now, signal } = publishing;
  if (bucket && build.images.length > 0 && !images) throw refusedToOperator('images_not_served', {});
  const comparison = compareFiles(current.file, file, now);
  const compared = { difference: comparison?.difference ?? null, ...build, images: build.images.length };
  const dangers = await findDangersOf(built, comparison, publishing.judge);
  if (dangers.length > 0 && !publishing.isTrial) return { outcome: 'refused', dangers, ...compared };
  const snapshot = await packSnapshot(createReadStream(file));
  const version = toVersion(snapshot.sha256);
  const { pointer } = current.read;
  if (publishing.isTrial || !bucket)
    return { outcome: 'checked', version, current: pointer?.version ?? null, dangers, ...compared };
  const isCurrent = current.file !== null && version === pointer?.version;
  signal?.throwIfAborted();
  const new_images = images ? await storeImages(images, build.images) : 0;
  signal?.throwIfAborted();
  if (!isCurrent) await storeSnapshot(bucket, snapshot);
  signal?.throwIfAborted();
  const next = toPointer(snapshot, now);
  if (!isCurrent || publishing.label || !publishing.isUpdate)
    await storeRecord(bucket, {
      ...next,
      products: build.products,
      compressed_bytes: snapshot.compressed.length,
      label: publishing.label ?? null,
      author: publishing.author ?? null,
      difference: countDifference(comparison, pointer),
      is_update: publishing.isUpdate,
    });
  signal?.throwIfAborted();
  const hasMoved = await movePointer(bucket, next, current.read);
  if (!hasMoved) return { outcome: 'overtaken', version, new_images, ...compared };
  return { outcome: isCurrent ? 'unchanged' : 'published', version, new_images, ...compared };
}

async function findDangersOf(
  { file, build, current }: Built,
  comparison: Comparison | null,
  judge: Judge | undefined,
): Promise<readonly Danger[]> {
  if (!judge) return [];
  if (comparison && current.file !== null) return judge(comparison, { before: current.file, after: file });
  const unreadable = describeUnreadable(current);
  return [
    ...(unreadable ? [{ code: 'current_unreadable' as const, message: `${unreadable}, ${CONSEQUENCE}` }] : []),
    ...(build.products === 0 ? [{ code: 'no_products' as const, message: 'The catalog has no products.' }] : []),
  ];
}

const CONSEQUENCE = 'so that nothing tells what is removed or changed.';

function describeUnreadable({ read: { etag, pointer }, file }: Current): string | undefined {
  if (etag === undefined) return undefined;
  if (pointer === undefined) return 'What names the current version (current.json) cannot be read';
  const reason = file === null ? 'is missing or damaged' : 'has another format';
  return `The snapshot of the current version ${pointer.version} ${reason}`;
}

function countDifference(comparison: Comparison | null, from: Pointer | undefined): VersionDifference | null {
  if (!comparison || !from) return null;
  const counts = Object.entries(comparison.difference.kinds).map(([kind, { added, removed, changed }]) => {
    return [kind, { added: added.length, removed: removed.length, changed: changed.length }] as const;
  });
  const differing = counts.filter(([, { added, removed, changed }]) => added + removed + changed > 0);
  return { from: from.version, kinds: Object.fromEntries(differing) };
}

const toPointer = ({ sha256, bytes }: SnapshotSeal, now: Date): Pointer => ({
  version: toVersion(sha256),
  sha256,
  bytes,
  published_at: now.toISOString(),
});

type Activating = {
  readonly version: string;
  /** The pointer as read before the differences were judged. */
  readonly read: PointerRead;
  readonly bucket: CatalogBucket;
  readonly now: Date;
};

type Activation =
  | 'activated'
  | 'unchanged'
  | 'version_unknown'
  | 'snapshot_damaged'
  | 'snapshot_of_older_format'
  | 'catalog_overtaken';

/**
 * Makes an earlier published version current. `version_unknown`: there is no such version. `snapshot_damaged`: its snapshot is missing or
 * changed. `snapshot_of_older_format`: its format could not be opened by any function. `catalog_overtaken`: somebody moved the pointer after
 * it was read. Only `activated` changes anything. Throws what S3 throws.
 */
export async function activateVersion({ version, read, bucket, now }: Activating): Promise<Activation> {
  const record = await readRecord(bucket, version);
  if (!record) return 'version_unknown';
  const fault = await withTempDir(async (temp) => {
    const file = await downloadSnapshot(bucket, record, join(temp, 'catalog.sqlite'));
    if (file === null) return 'snapshot_damaged';
    return hasCurrentFormat(file) ? undefined : 'snapshot_of_older_format';
  });
  if (fault) return fault;
  if (read.pointer?.version === version)
    return (await readPointer(bucket)).etag === read.etag ? 'unchanged' : 'catalog_overtaken';
  return (await movePointer(bucket, toPointer(record, now), read)) ? 'activated' : 'catalog_overtaken';
}
