/*
 * Makes this process a Node without argon2 and zstd, when it is preloaded: `node --import ./without-features.ts`. Node's own
 * option `--no-experimental-sqlite` takes SQLite away.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

const removed: readonly (readonly [object, readonly string[]])[] = [
  [crypto, ['argon2', 'argon2Sync']],
  [zlib, ['zstdDecompress', 'zstdDecompressSync', 'createZstdDecompress']],
];
for (const [module, names] of removed) for (const name of names) Reflect.deleteProperty(module, name);
syncBuiltinESMExports();
