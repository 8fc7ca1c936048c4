import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog, type Compilation, type FolderErrors } from '../compile/compile.ts';
import { type Pointer, toVersion } from '../file/pointer.ts';
import { type PackedSnapshot, packSnapshot } from '../file/snapshot.ts';
import type { CatalogBucket } from './bucket.ts';
import {
  movePointer,
  type PointerRead,
  readPointer,
  readRecord,
  readSnapshot,
  storeRecord,
  storeSnapshot,
} from './versions.ts';

export type Publication =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | ({ readonly outcome: 'published' | 'unchanged' | 'overtaken'; readonly version: string } & Compilation);

export type Publishing = {
  readonly folder: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Called with the share of the compilation that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
};

/**
 * Compiles a catalog folder and makes it the current catalog: stores the snapshot, reads it back and verifies it, then
 * stores its record in the list of versions, then moves the pointer. `invalid`: nothing was stored. `unchanged`: it is
 * the current catalog already, and only the pointer's date is new. `overtaken`: somebody else moved the pointer in the
 * meantime, and it stays as they left it. Throws what S3 throws.
 */
export async function publishCatalog({ folder, bucket, now, ...progress }: Publishing): Promise<Publication> {
  const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    const read = await readPointer(bucket);
    const previous = await downloadCurrent(bucket, read, scratch);
    const file = join(scratch, 'next.sqlite');
    const build = await buildCatalog(folder, file, { previous, now, ...progress });
    if ('errors' in build) return { outcome: 'invalid', ...build };
    const snapshot = await packSnapshot(await readFile(file));
    const version = toVersion(snapshot.sha256);
    const isCurrent = previous !== null && version === read.pointer?.version;
    if (!isCurrent) await storeVersion(bucket, snapshot, build.products, now);
    const hasMoved = await movePointer(bucket, toPointer(snapshot, now), read);
    if (!hasMoved) return { outcome: 'overtaken', version, ...build };
    return { outcome: isCurrent ? 'unchanged' : 'published', version, ...build };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

// Returns null also when the current snapshot is missing or damaged, because publishing repairs that.
async function downloadCurrent(bucket: CatalogBucket, read: PointerRead, scratch: string): Promise<string | null> {
  const present = read.pointer && (await readSnapshot(bucket, read.pointer));
  if (!present) return null;
  const file = join(scratch, 'current.sqlite');
  await writeFile(file, present);
  return file;
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
