import { createHash } from 'node:crypto';
import { closeSync, createWriteStream, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import * as z from 'zod';
import { timestamp } from '../../api/fields.ts';

// The numbers in schema.sql. Any change of stored data, or of how it is read, raises the version.
const APPLICATION_ID = 0x626f7463;
const FORMAT_VERSION = 9;
// The offset of SQLite's `user_version` (https://www.sqlite.org/fileformat.html, 1.3).
const FORMAT_VERSION_OFFSET = 60;

export function hasCurrentFormat(path: string): boolean {
  const version = Buffer.alloc(Uint32Array.BYTES_PER_ELEMENT);
  const file = openSync(path, 'r');
  readSync(file, version, 0, version.length, FORMAT_VERSION_OFFSET);
  closeSync(file);
  return version.readUInt32BE() === FORMAT_VERSION;
}

/** Runs four pragmas and a stat; the hash has verified the content. Throws for other files, other formats and truncated ones. */
export function openCatalogFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
    const isWhole = read('page_count') * read('page_size') === statSync(file).size;
    const format = read('user_version');
    if (isWhole && read('application_id') === APPLICATION_ID && format === FORMAT_VERSION) return database;
    throw new Error(`format ${format}`);
  } catch (cause) {
    database.close();
    throw new Error(`${file} is no catalog of format ${FORMAT_VERSION}, or not a whole one: ${cause}`, { cause });
  }
}

export function readCatalogFile<Result>(file: string, read: (database: DatabaseSync) => Result): Result {
  const database = openCatalogFile(file);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** The only object that changes: it names the current snapshot. */
export const POINTER_KEY = 'current.json';
/** Snapshots never change; their key is the hash of their content. */
export const snapshotKey = (sha256: string): string => `snapshots/${sha256}.sqlite.zst`;

// 64 bits of the hash are short enough to read aloud, and long enough never to repeat in one shop.
const VERSION_DIGITS = 16;
export const toVersion = (sha256: string): string => sha256.slice(0, VERSION_DIGITS);

/** `sha256` and `bytes` describe the uncompressed file; `published_at` is its last publication or activation. */
export const pointer = z.object({
  version: z.string().regex(/^[0-9a-f]{16}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  published_at: timestamp,
});
export type Pointer = z.infer<typeof pointer>;

export type SnapshotSeal = { readonly sha256: string; readonly bytes: number };
export type PackedSnapshot = SnapshotSeal & { readonly compressed: Buffer };

// 70 MB take 0.23 s with chunks of 1 MB, 0.3 s with 64 KB and 0.5 s with 16 KB, while they arrive at 50 MB/s.
const CHUNK_BYTES = 1_048_576;

/** Passes bytes on, and then has their seal. Throws at more than `most` bytes. */
function createSealer(most = Number.POSITIVE_INFINITY) {
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    async *pass(plain: AsyncIterable<Buffer> | Iterable<Buffer>) {
      for await (const chunk of plain) {
        bytes += chunk.length;
        if (bytes > most) throw new Error(`snapshot of more than ${most} bytes`);
        digest.update(chunk);
        yield chunk;
      }
    },
    seal: (): SnapshotSeal => ({ sha256: digest.digest('hex'), bytes }),
  };
}

export async function packSnapshot(plain: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<PackedSnapshot> {
  const { pass, seal } = createSealer();
  const compressor = createZstdCompress({ chunkSize: CHUNK_BYTES });
  const [compressed] = await Promise.all([buffer(compressor), pipeline(plain, pass, compressor)]);
  return { ...seal(), compressed };
}

type Compressed = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Unpacks a snapshot while it arrives. Throws if it is not zstd, or differs in length or hash, and may then have written a part;
 * never unpacks more bytes than the seal allows.
 */
export async function unpackSnapshot(compressed: Compressed, expected: SnapshotSeal, output: Writable): Promise<void> {
  const { pass, seal } = createSealer(expected.bytes);
  await pipeline(compressed, createZstdDecompress({ chunkSize: CHUNK_BYTES }), pass, output);
  compareWithSeal(seal(), expected);
}

export const unpackSnapshotInto = (file: string, compressed: Compressed, expected: SnapshotSeal): Promise<void> =>
  unpackSnapshot(compressed, expected, createWriteStream(file, { flags: 'wx', mode: 0o600 }));

function compareWithSeal(actual: SnapshotSeal, seal: SnapshotSeal): void {
  if (actual.bytes !== seal.bytes) throw new Error(`snapshot of ${actual.bytes} bytes instead of ${seal.bytes}`);
  if (actual.sha256 !== seal.sha256) throw new Error(`snapshot does not have the hash ${seal.sha256}`);
}
