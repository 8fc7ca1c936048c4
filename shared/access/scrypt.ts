import { randomBytes, type ScryptOptions, scrypt as scryptCallback, timingSafeEqual } from 'node:crypto';
import { encodeBase64, type PasswordHash, parsePhc } from './password-hash.ts';

// OWASP's Password Storage Cheat Sheet (2026), where argon2id is not available: N = 2^17, r = 8, p = 1. It takes 128 MiB.
const LOG_COST = 17;
const BLOCKS = 8;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

type Parameters = {
  readonly logCost: number;
  readonly blocks: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tagLength: number;
};

/** PHC strings of scrypt: `$scrypt$ln=17,r=8,p=1$<salt>$<tag>`. */
export const scrypt: PasswordHash = {
  prefix: '$scrypt$',
  dummy: '$scrypt$ln=17,r=8,p=1$mKwcsgrFGPEWdpXySL3j1Q$PXGTvCashjXXtWtsYs+xmxD2A6Y7E6qKYDB4j6IbOW4',
  async hash(password) {
    const salt = randomBytes(SALT_BYTES);
    const tag = await derive(password, { logCost: LOG_COST, blocks: BLOCKS, lanes: LANES, salt, tagLength: TAG_BYTES });
    return `$scrypt$ln=${LOG_COST},r=${BLOCKS},p=${LANES}$${encodeBase64(salt)}$${encodeBase64(tag)}`;
  },
  async verify(phc, password) {
    const { tag, ...parameters } = parse(phc);
    return timingSafeEqual(await derive(password, parameters), tag);
  },
  isOfToday(phc) {
    const { logCost, blocks, lanes, salt, tag } = parse(phc);
    const hasParameters = logCost === LOG_COST && blocks === BLOCKS && lanes === LANES;
    return hasParameters && salt.length === SALT_BYTES && tag.length === TAG_BYTES;
  },
};

function derive(password: string, { logCost, blocks, lanes, salt, tagLength }: Parameters): Promise<Buffer> {
  const cost = 2 ** logCost;
  // Node's limit is 32 MiB. The work takes 128 × r bytes for each of N (RFC 7914, 6), and OpenSSL counts as much for each lane
  // and for two blocks more (`EVP_PBE_scrypt`).
  const options: ScryptOptions = {
    cost,
    blockSize: blocks,
    parallelization: lanes,
    maxmem: 128 * blocks * (cost + lanes + 2),
  };
  const derived = Promise.withResolvers<Buffer>();
  scryptCallback(password, salt, tagLength, options, (error, tag) =>
    error ? derived.reject(error) : derived.resolve(tag),
  );
  return derived.promise;
}

const PHC = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(phc: string): Parameters & { readonly tag: Buffer } {
  const {
    parameters: [logCost, blocks, lanes],
    ...rest
  } = parsePhc(PHC, phc);
  return { logCost, blocks, lanes, ...rest };
}
