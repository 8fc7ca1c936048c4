import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { refusedToOperator } from '../../domain/operator-refusal.ts';
import { sideBySide } from '../../runtime/async.ts';
import {
  type CatalogBucket,
  listKeys,
  openObject,
  type PointerRead,
  parseStored,
  putObject,
  readObject,
  readPointer,
  replaceObject,
} from '../bucket.ts';
import { COMPARED_KINDS } from '../file/records.ts';
import {
  hasCurrentFormat,
  type PackedSnapshot,
  POINTER_KEY,
  type Pointer,
  pointer,
  type SnapshotSeal,
  snapshotKey,
  unpackSnapshot,
} from '../file/snapshot.ts';
import type { FolderImage } from './folder/check.ts';

const counts = z.object({ added: z.int(), removed: z.int(), changed: z.int() });

/** The version that was current before, and the numbers of records by kind; kinds without a difference are left out. */
const versionDifference = z.object({ from: z.string(), kinds: z.partialRecord(z.enum(COMPARED_KINDS), counts) });
export type VersionDifference = z.infer<typeof versionDifference>;

/** `bytes` counts the plain file, `compressed_bytes` the stored one. */
const versionRecord = pointer.extend({
  products: z.int(),
  compressed_bytes: z.int(),
  label: z.string().nullable().default(null),
  /** The operator who first published it; null if unknown. */
  author: z.string().nullable().default(null),
  /** Null for a first version, and if the one before could not be read. */
  difference: versionDifference.nullable().default(null),
  /** Set if it was derived from the version before instead of a folder. */
  is_update: z.literal(true).optional(),
});
type VersionRecord = z.infer<typeof versionRecord>;

const PREFIX = 'versions/';
const recordKey = (version: string): string => `${PREFIX}${version}.json`;

/** Makes `next` current if the pointer is still the one read; else changes nothing and returns false. */
export async function movePointer(bucket: CatalogBucket, next: Pointer, read: PointerRead): Promise<boolean> {
  // The local S3 ignores conditions on PUT, so the pointer is read again just before.
  if ((await readPointer(bucket)).etag !== read.etag) return false;
  if (await replaceObject(bucket, POINTER_KEY, JSON.stringify(next), read.etag)) return true;
  // The S3 client repeats a PUT after a lost answer, and the repetition fails because of the first.
  return isDeepStrictEqual((await readPointer(bucket)).pointer, next);
}

export async function getCurrentVersion(bucket: CatalogBucket): Promise<Pointer> {
  const { pointer: current } = await readPointer(bucket);
  if (!current) throw refusedToOperator('catalog_not_published', {});
  return current;
}

export async function withTempDir<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Downloads the plain file. Throws a Refusal if it is missing, damaged, or of an older format. */
export async function downloadOpenable(bucket: CatalogBucket, pointer: Pointer, file: string): Promise<void> {
  const { version } = pointer;
  if (!(await downloadSnapshot(bucket, pointer, file))) throw refusedToOperator('snapshot_damaged', { version });
  if (!hasCurrentFormat(file)) throw refusedToOperator('snapshot_of_older_format', { version });
}

/** Returns the file's path, or null if the snapshot is missing or damaged. */
export const downloadSnapshot = async (bucket: CatalogBucket, seal: SnapshotSeal, file: string) =>
  (await unpackStored(bucket, seal, () => createWriteStream(file, { mode: 0o600 }))) ? file : null;

async function unpackStored(bucket: CatalogBucket, seal: SnapshotSeal, toOutput: () => Writable): Promise<boolean> {
  const stored = await openObject(bucket, snapshotKey(seal.sha256));
  if (!stored) return false;
  try {
    await unpackSnapshot(stored, seal, toOutput());
    return true;
  } catch (error) {
    // A full disk or a lost connection says nothing about the snapshot; the codes of zstd begin with Z.
    if (error instanceof Error && 'code' in error && !/^Z/.test(String(error.code))) throw error;
    return false;
  }
}

const isStored = (bucket: CatalogBucket, seal: SnapshotSeal): Promise<boolean> =>
  unpackStored(bucket, seal, () => new Writable({ write: (_chunk, _encoding, done) => done() }));

/** Stores a new snapshot and reads it back. Throws if it does not read back as sent. */
export async function storeSnapshot(bucket: CatalogBucket, snapshot: PackedSnapshot): Promise<void> {
  if (await isStored(bucket, snapshot)) return;
  await putObject(bucket, snapshotKey(snapshot.sha256), snapshot.compressed);
  if (!(await isStored(bucket, snapshot))) throw new Error('the uploaded snapshot does not read back as sent');
}

export async function readRecord(bucket: CatalogBucket, version: string): Promise<VersionRecord | undefined> {
  const stored = await readObject(bucket, recordKey(version));
  return stored && parseStored(versionRecord, stored.body);
}

/** A version published before keeps its first record, but for a new label, and is no update once a folder gives the same. */
export async function storeRecord(bucket: CatalogBucket, record: VersionRecord): Promise<void> {
  const first = await readRecord(bucket, record.version);
  const label = record.label ?? first?.label ?? null;
  const is_update = first ? first.is_update && record.is_update : record.is_update;
  if (first && label === first.label && is_update === first.is_update) return;
  await putObject(bucket, recordKey(record.version), JSON.stringify({ ...(first ?? record), label, is_update }));
}

export async function listPublishedVersions(bucket: CatalogBucket) {
  const [keys, { pointer: current }] = await Promise.all([listKeys(bucket, PREFIX), readPointer(bucket)]);
  const names = keys.map((key) => key.slice(PREFIX.length, -'.json'.length));
  const records = await Promise.all(names.map((version) => readRecord(bucket, version)));
  const versions = records.filter((record) => record !== undefined);
  versions.sort((a, b) => b.published_at.localeCompare(a.published_at));
  return { current: current?.version, versions };
}

// A key never gets another content.
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Stores the images that the bucket does not have, and returns their number. */
export async function storeImages(bucket: CatalogBucket, images: readonly FolderImage[]): Promise<number> {
  const stored = new Set(images.length > 0 ? await listKeys(bucket, '') : []);
  const missing = images.filter(({ key }) => !stored.has(key));
  await sideBySide(missing, { atOnce: 8 }, async ({ key, file, type }): Promise<void> => {
    await putObject(bucket, key, await readFile(file), { ContentType: type, CacheControl: FOR_EVER });
  });
  return missing.length;
}
