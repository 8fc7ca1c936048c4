import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a document's bytes in 43 characters (base64url), by which the same document is known again. */
export const hashDocument = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');
