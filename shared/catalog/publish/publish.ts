import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Build, buildCatalog } from '../compile/compile.ts';
import { type Pointer, versionOf } from '../file/pointer.ts';
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
  | ({ readonly outcome: 'faulty' } & Extract<Build, { faults: unknown }>)
  | ({ readonly outcome: 'published' | 'unchanged' | 'overtaken'; readonly version: string } & Exclude<
      Build,
      { faults: unknown }
    >);

export type Publishing = {
  readonly folder: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Told how far the compiling is, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
};

/**
 * Compiles a catalog folder and makes it the current catalog: snapshot first, read back and verified, then its record in
 * the list of versions, then the pointer. `faulty`: nothing was stored. `unchanged`: it is the current one already, and only
 * the date of the pointer is new. `overtaken`: the pointer moved since it was read, and stays as the other publisher left it.
 * Throws what S3 throws.
 */
export async function publishCatalog({ folder, bucket, now, ...progress }: Publishing): Promise<Publication> {
  const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    const read = await readPointer(bucket);
    const previous = await currentFile(bucket, read, scratch);
    const file = join(scratch, 'next.sqlite');
    const build = await buildCatalog(folder, file, { previous, now, ...progress });
    if ('faults' in build) return { outcome: 'faulty', ...build };
    const snapshot = await packSnapshot(await readFile(file));
    const version = versionOf(snapshot.sha256);
    const isCurrent = previous !== null && version === read.pointer?.version;
    if (!isCurrent) await store(bucket, snapshot, build.products, now);
    const hasMoved = await movePointer(bucket, pointerTo(snapshot, now), read);
    if (!hasMoved) return { outcome: 'overtaken', version, ...build };
    return { outcome: isCurrent ? 'unchanged' : 'published', version, ...build };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

// Null also if the current snapshot is missing or damaged: publishing is what repairs that.
async function currentFile(bucket: CatalogBucket, read: PointerRead, scratch: string): Promise<string | null> {
  const present = read.pointer && (await readSnapshot(bucket, read.pointer));
  if (!present) return null;
  const file = join(scratch, 'current.sqlite');
  await writeFile(file, present);
  return file;
}

async function store(bucket: CatalogBucket, snapshot: PackedSnapshot, products: number, now: Date): Promise<void> {
  await storeSnapshot(bucket, snapshot);
  const compressed_bytes = snapshot.compressed.length;
  await storeRecord(bucket, { ...pointerTo(snapshot, now), products, compressed_bytes });
}

type Sizes = { readonly sha256: string; readonly bytes: number };
const pointerTo = ({ sha256, bytes }: Sizes, now: Date): Pointer => ({
  version: versionOf(sha256),
  sha256,
  bytes,
  published_at: now.toISOString(),
});

export type Activation = 'activated' | 'unchanged' | 'unknown' | 'damaged' | 'overtaken';

/**
 * Goes back (or forward) to a version that was published before. `unknown`: there is no such version; `damaged`: its
 * snapshot is missing or not what it was; `overtaken`: as in publishing. Only `activated` changes anything.
 * Throws what S3 throws.
 */
export async function activateVersion(version: string, bucket: CatalogBucket, now: Date): Promise<Activation> {
  const read = await readPointer(bucket);
  const record = await readRecord(bucket, version);
  if (!record) return 'unknown';
  if (!(await readSnapshot(bucket, record))) return 'damaged';
  if (read.pointer?.version === version) return 'unchanged';
  return (await movePointer(bucket, pointerTo(record, now), read)) ? 'activated' : 'overtaken';
}
