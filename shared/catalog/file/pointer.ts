import * as z from 'zod';
import { timestamp } from '../../api/fields.ts';

/** The key of the one object that changes: it names the current snapshot. */
export const POINTER_KEY = 'current.json';
/** Returns the key of a snapshot. Snapshots never change, so their key is the hash of their content. */
export const snapshotKey = (sha256: string): string => `snapshots/${sha256}.sqlite.zst`;

// 64 bits of the hash are short enough to read aloud and type, and long enough never to repeat in one shop.
const VERSION_DIGITS = 16;
export const toVersion = (sha256: string): string => sha256.slice(0, VERSION_DIGITS);

/**
 * `sha256` and `bytes` are those of the uncompressed file; `published_at` is when it was last published or activated.
 */
export const pointer = z.object({
  version: z.string().regex(/^[0-9a-f]{16}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  published_at: timestamp,
});
export type Pointer = z.infer<typeof pointer>;
