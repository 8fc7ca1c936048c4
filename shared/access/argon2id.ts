import crypto from 'node:crypto';
import { promisify } from 'node:util';
import { unavailable } from '../domain/refusal.ts';
import { MissingFeature, nodeFeature } from '../runtime/node-features.ts';
import { encodeBase64, type PasswordHash, parsePhc } from './password-hash.ts';

// OWASP's Password Storage Cheat Sheet (2026) prefers argon2id with 19 MiB, 2 passes and 1 lane; it takes 30 to 60 ms.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Node has it from 24.7 on, with OpenSSL 3.2 or later; with an older one the function is there and throws
 * (`test-crypto-argon2-unsupported.js` of Node).
 */
export const argon2Feature = /* @__PURE__ */ nodeFeature('crypto.argon2', () => {
  const least = { message: '', nonce: Buffer.alloc(8), memory: 8, passes: 1, parallelism: 1, tagLength: 4 };
  return crypto.argon2Sync('argon2id', least);
});

type Parameters = {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tagLength: number;
};

/** PHC strings of argon2id: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. Without `crypto.argon2` they are unavailable. */
export const argon2id: PasswordHash = {
  prefix: '$argon2id$',
  dummy: '$argon2id$v=19$m=19456,t=2,p=1$Xp70q3LswM5QMoiCas2ObQ$Or/JDVVsdeSPgY+cL1bz/GnadeimBXuBK8Z8yfN9yqs',
  async hash(password) {
    const salt = crypto.randomBytes(SALT_BYTES);
    const parameters = { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagLength: TAG_BYTES };
    const tag = await derive(password, parameters);
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encodeBase64(salt)}$${encodeBase64(tag)}`;
  },
  async verify(phc, password) {
    const { tag, ...parameters } = parse(phc);
    return crypto.timingSafeEqual(await derive(password, parameters), tag);
  },
  isOfToday(phc) {
    const { memory, passes, lanes, salt, tag } = parse(phc);
    const hasParameters = memory === MEMORY_KIB && passes === PASSES && lanes === LANES;
    return hasParameters && salt.length === SALT_BYTES && tag.length === TAG_BYTES;
  },
};

function derive(password: string, { memory, passes, lanes, salt, tagLength }: Parameters): Promise<Buffer> {
  // Without it nobody knows whether the password is right, so the caller must not read that it is wrong.
  if (!argon2Feature.isThere()) throw unavailable({ cause: new MissingFeature(argon2Feature) });
  const parameters = { message: password, nonce: salt, memory, passes, parallelism: lanes, tagLength };
  return promisify(crypto.argon2)('argon2id', parameters);
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(phc: string): Parameters & { readonly tag: Buffer } {
  const {
    parameters: [memory, passes, lanes],
    ...rest
  } = parsePhc(PHC, phc);
  return { memory, passes, lanes, ...rest };
}
