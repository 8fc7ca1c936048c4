import * as z from 'zod';
import { timestamp } from '../../api/fields.ts';

/** The one mutable object of the bucket: which snapshot is the catalog of now. */
export const POINTER_KEY = 'current.json';
/** Snapshots never change: they lie under the hash of what they hold. */
export const snapshotKey = (sha256: string): string => `snapshots/${sha256}.sqlite.zst`;

// 64 bits of the hash: short enough to read out and type, and no two catalogs of one shop will ever share them.
const VERSION_DIGITS = 16;
export const versionOf = (sha256: string): string => sha256.slice(0, VERSION_DIGITS);

/** `sha256` and `bytes` are of the uncompressed SQLite file; `published_at` is when it was last published, or made
 * current. */
export const pointer = z.object({
  version: z.string().regex(/^[0-9a-f]{16}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  published_at: timestamp,
});
export type Pointer = z.infer<typeof pointer>;
