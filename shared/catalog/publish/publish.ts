import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Danger } from '../compare/dangers.ts';
import { buildCatalog, type Compilation, type FolderErrors } from '../compile/compile.ts';
import { type Pointer, toVersion } from '../file/pointer.ts';
import { type PackedSnapshot, packSnapshot } from '../file/snapshot.ts';
import type { CatalogBucket } from './bucket.ts';
import { type Comparison, compareFiles } from './comparison.ts';
import {
  downloadSnapshot,
  movePointer,
  type PointerRead,
  readPointer,
  readRecord,
  readSnapshot,
  storeRecord,
  storeSnapshot,
} from './versions.ts';

type Compared = {
  /** The difference from the version that was current; null if none was, or it cannot be read. */
  readonly difference: Comparison['difference'] | null;
};

export type Publication =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | ({ readonly outcome: 'refused'; readonly dangers: readonly Danger[] } & Compared & Compilation)
  | ({ readonly outcome: 'published' | 'unchanged' | 'overtaken'; readonly version: string } & Compared & Compilation);

export type Publishing = {
  readonly folder: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Returns why this difference from the current catalog is not published; without it, every one is. */
  readonly judge?: (comparison: Comparison) => Promise<readonly Danger[]>;
  /** Called with the share of the compilation that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
};

/**
 * Compiles a catalog folder and makes it the current catalog: stores the snapshot, reads it back and verifies it, then
 * stores its record in the list of versions, then moves the pointer. `invalid`, `refused`: nothing was stored. `unchanged`: it is
 * the current catalog already, and only the pointer's date is new. `overtaken`: somebody else moved the pointer in the
 * meantime, and it stays as they left it. Throws what S3 throws.
 */
export async function publishCatalog({ folder, bucket, now, judge, ...progress }: Publishing): Promise<Publication> {
  const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    const read = await readPointer(bucket);
    const previous = await downloadCurrent(bucket, read, scratch);
    const file = join(scratch, 'next.sqlite');
    const build = await buildCatalog(folder, file, { previous, now, ...progress });
    if ('errors' in build) return { outcome: 'invalid', ...build };
    const comparison = compareFiles(previous, file, now);
    const compared = { difference: comparison?.difference ?? null, ...build };
    const dangers = (comparison && (await judge?.(comparison))) ?? [];
    if (dangers.length > 0) return { outcome: 'refused', dangers, ...compared };
    const snapshot = await packSnapshot(await readFile(file));
    const version = toVersion(snapshot.sha256);
    const isCurrent = previous !== null && version === read.pointer?.version;
    if (!isCurrent) await storeVersion(bucket, snapshot, build.products, now);
    const hasMoved = await movePointer(bucket, toPointer(snapshot, now), read);
    if (!hasMoved) return { outcome: 'overtaken', version, ...compared };
    return { outcome: isCurrent ? 'unchanged' : 'published', version, ...compared };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

// Returns null also when the current snapshot is missing or damaged, because publishing repairs that.
async function downloadCurrent(bucket: CatalogBucket, { pointer }: PointerRead, scratch: string) {
  return pointer ? await downloadSnapshot(bucket, pointer, join(scratch, 'current.sqlite')) : null;
}

async function storeVersion(
  bucket: CatalogBucket,
  snapshot: PackedSnapshot,
  products: number,
  now: Date,
): Promise<void> {
  await storeSnapshot(bucket, snapshot);
  const compressed_bytes = snapshot.compressed.length;
  await storeRecord(bucket, { ...toPointer(snapshot, now), products, compressed_bytes });
}

type Sizes = { readonly sha256: string; readonly bytes: number };
const toPointer = ({ sha256, bytes }: Sizes, now: Date): Pointer => ({
  version: toVersion(sha256),
  sha256,
  bytes,
  published_at: now.toISOString(),
});

export type Activation = 'activated' | 'unchanged' | 'unknown' | 'damaged' | 'overtaken';

/**
 * Makes a version current that was published before. `unknown`: there is no such version. `damaged`: its snapshot is
 * missing or has changed. `overtaken`: as in `publishCatalog`. Only `activated` changes anything. Throws what S3
 * throws.
 */
export async function activateVersion(version: string, bucket: CatalogBucket, now: Date): Promise<Activation> {
  const read = await readPointer(bucket);
  const record = await readRecord(bucket, version);
  if (!record) return 'unknown';
  if (!(await readSnapshot(bucket, record))) return 'damaged';
  if (read.pointer?.version === version) return 'unchanged';
  return (await movePointer(bucket, toPointer(record, now), read)) ? 'activated' : 'overtaken';
}
