import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { POINTER_KEY, type Pointer, pointer, snapshotKey } from '../file/pointer.ts';
import { type PackedSnapshot, type SnapshotSeal, unpackSnapshot } from '../file/snapshot.ts';
import { type CatalogBucket, listKeys, readObject, replaceObject, writeObject } from './bucket.ts';

/** What is kept of a version beside its snapshot; `bytes` are of the plain file, `compressed_bytes` of the stored one. */
const versionRecord = pointer.extend({ products: z.int(), compressed_bytes: z.int() });
export type VersionRecord = z.infer<typeof versionRecord>;

const PREFIX = 'versions/';
const recordKey = (version: string): string => `${PREFIX}${version}.json`;

/** The pointer as it was read: undefined if nothing is published, or if what lies there is no pointer. */
export type PointerRead = { readonly etag: string | undefined; readonly pointer: Pointer | undefined };

export async function readPointer(bucket: CatalogBucket): Promise<PointerRead> {
  const stored = await readObject(bucket, POINTER_KEY);
  return { etag: stored?.etag, pointer: stored && decode(pointer, stored.body) };
}

function decode<Shape extends z.ZodType>(shape: Shape, body: Uint8Array): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(new TextDecoder().decode(body))).data;
  } catch {
    return undefined;
  }
}

/** Makes `next` current, unless the pointer is no longer the one that was read: false, and it stays as it is. */
export async function movePointer(bucket: CatalogBucket, next: Pointer, read: PointerRead): Promise<boolean> {
  // The local S3 ignores conditions on PUT; a look just before is the best that it allows.
  if ((await readPointer(bucket)).etag !== read.etag) return false;
  if (await replaceObject(bucket, POINTER_KEY, JSON.stringify(next), read.etag)) return true;
  // The S3 client repeats a PUT whose answer was lost; the second one then meets what the first has written.
  return isDeepStrictEqual((await readPointer(bucket)).pointer, next);
}

/** The plain bytes of a snapshot, or undefined if it is missing or damaged. */
export async function readSnapshot(bucket: CatalogBucket, seal: SnapshotSeal): Promise<Buffer | undefined> {
  const stored = await readObject(bucket, snapshotKey(seal.sha256));
  return stored && (await unpackSnapshot(stored.body, seal).catch(() => undefined));
}

/** Stores a snapshot unless it is there already, and reads it back: throws if it does not arrive whole. */
export async function storeSnapshot(bucket: CatalogBucket, snapshot: PackedSnapshot): Promise<void> {
  if (await readSnapshot(bucket, snapshot)) return;
  await writeObject(bucket, snapshotKey(snapshot.sha256), snapshot.compressed);
  if (!(await readSnapshot(bucket, snapshot))) throw new Error('the uploaded snapshot does not read back as sent');
}

/** The record of a version, or undefined if there never was such a version. */
export async function readRecord(bucket: CatalogBucket, version: string): Promise<VersionRecord | undefined> {
  const stored = await readObject(bucket, recordKey(version));
  return stored && decode(versionRecord, stored.body);
}

/** Keeps the record of a version; one that was published before keeps its first record. */
export async function storeRecord(bucket: CatalogBucket, record: VersionRecord): Promise<void> {
  if (await readRecord(bucket, record.version)) return;
  await writeObject(bucket, recordKey(record.version), JSON.stringify(record));
}

/** Every version ever published, the newest first, and which of them is current. */
export async function listVersions(
  bucket: CatalogBucket,
): Promise<{ current: string | undefined; versions: VersionRecord[] }> {
  const [keys, { pointer: current }] = await Promise.all([listKeys(bucket, PREFIX), readPointer(bucket)]);
  const names = keys.map((key) => key.slice(PREFIX.length, -'.json'.length));
  const records = await Promise.all(names.map((version) => readRecord(bucket, version)));
  const versions = records.filter((record) => record !== undefined);
  versions.sort((a, b) => b.published_at.localeCompare(a.published_at));
  return { current: current?.version, versions };
}
