import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CatalogBucket, listKeys, readObject, replaceObject } from '../../../shared/catalog/bucket.ts';
import { type CatalogSource, currentCatalog } from '../../../shared/catalog/current.ts';
import { packSnapshot, pointer, unpackSnapshotInto } from '../../../shared/catalog/file/snapshot.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

// Requests to the bucket, and its answers that no local S3 gives, are tested here. A snapshot is taken only if it is the one
// that the pointer names, and is never unpacked beyond its length.

const toAnswer = (status: number, body = ''): Scripted => {
  return { status, body, headers: { 'Content-Type': 'application/xml' } };
};
const toError = (status: number, code: string): Scripted =>
  toAnswer(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);

/** Returns a bucket of an S3 that gives these answers, and the requests that it got. */
async function openBucket(...script: readonly Scripted[]) {
  const { url, heard } = await openScriptedApi(...script);
  const s3 = new S3Client({
    endpoint: new URL(url).origin,
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(() => s3.destroy());
  const bucket: CatalogBucket = { s3, name: 'catalogs' };
  return { bucket, heard };
}

describe('an object of the bucket', () => {
  it.each([
    [true, toAnswer(200)],
    [false, toError(409, 'ConditionalRequestConflict')],
    [false, toError(412, 'PreconditionFailed')],
  ])('is replaced only as it was read: %s', async (isReplaced, answer) => {
    const { bucket, heard } = await openBucket(answer);
    expect(await replaceObject(bucket, 'current.json', '{}', '"etag"')).toBe(isReplaced);
    expect(await replaceObject(bucket, 'current.json', '{}', undefined)).toBe(isReplaced);
    expect(heard.map(({ headers }) => [headers['if-match'], headers['if-none-match']])).toEqual([
      ['"etag"', undefined],
      [undefined, '*'],
    ]);
  });

  it('is undefined if it is missing, and any other failure is thrown', async () => {
    expect(await readObject((await openBucket(toError(404, 'NoSuchKey'))).bucket, 'current.json')).toBeUndefined();
    const { bucket } = await openBucket(toError(403, 'AccessDenied'));
    await expect(readObject(bucket, 'current.json')).rejects.toThrow('no');
    await expect(replaceObject(bucket, 'current.json', '{}', '"etag"')).rejects.toThrow('no');
  });

  it('is listed from page to page', async () => {
    const toPage = (isTruncated: boolean, ...keys: readonly string[]) => {
      const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
      return toAnswer(200, `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`);
    };
    const { bucket, heard } = await openBucket(toPage(true, 'a/1', 'a/2'), toPage(false, 'a/3'));
    expect(await listKeys(bucket, 'a/')).toEqual(['a/1', 'a/2', 'a/3']);
    const asked = heard.map(({ line }) => new URL(line.slice('GET '.length), 'http://s3').searchParams);
    expect(asked.map((query) => [query.get('prefix'), query.get('start-after')])).toEqual([
      ['a/', null],
      ['a/', 'a/2'],
    ]);
  });
});

describe('the current catalog', () => {
  const SOURCE: CatalogSource = {
    bucket: 'catalogs',
    directory: tmpdir(),
    imageBaseUrl: 'https://images.example/',
    region: 'mx-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    pathStyle: false,
    now: () => 0,
  };
  const UNAVAILABLE = { code: 'unavailable', retryAfterSeconds: 5 };

  // This stub replaces AWS, which no test can reach.
  it.each([
    [false, 'https://catalogs.s3.mx-central-1.amazonaws.com/current.json'],
    [true, 'https://s3.mx-central-1.amazonaws.com/catalogs/current.json'],
  ])('is asked for at the regional address of AWS (path style %s)', async (pathStyle, address) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (request: Request) => {
      asked.push(request.url);
      return new Response(null, { status: 403 });
    });
    await expect(currentCatalog({ ...SOURCE, pathStyle })()).rejects.toMatchObject(UNAVAILABLE);
    vi.unstubAllGlobals();
    expect(asked).toContain(address);
  });
});

describe('a snapshot', () => {
  const HELLO = Buffer.from('hello'.repeat(20));
  // The hash comes from `printf 'hello%.0s' {1..20} | sha256sum`.
  const SEAL = { sha256: '4e4ba7e5b2223cfbbd7cd1937cdde31663a1d9dd58c35a48c2658f884d562102', bytes: 100 };

  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'snapshot-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  type Seal = typeof SEAL;
  /** Unpacks what arrives in chunks of seven bytes into a file. */
  async function unpackInto(name: string, compressed: Buffer, seal: Seal): Promise<void> {
    async function* arriving() {
      for (let start = 0; start < compressed.length; start += 7) yield compressed.subarray(start, start + 7);
    }
    await unpackSnapshotInto(join(home, name), arriving(), seal);
  }

  it('has the hash and length of its plain bytes, and is unpacked into a file that nobody else can read', async () => {
    const { compressed, ...seal } = await packSnapshot([HELLO]);
    expect(seal).toEqual(SEAL);
    await unpackInto('good', compressed, seal);
    expect(await readFile(join(home, 'good'), 'utf8')).toBe('hello'.repeat(20));
    expect((await stat(join(home, 'good'))).mode & 0o777).toBe(0o600);
  });

  it('is not unpacked where its file is already there', async () => {
    await writeFile(join(home, 'there'), 'of somebody else');
    await expect(unpackInto('there', zstdCompressSync(HELLO), SEAL)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.each<[string, Buffer, Seal]>([
    ['shorter than sealed', zstdCompressSync(HELLO), { ...SEAL, bytes: 101 }],
    ['of another hash', zstdCompressSync(HELLO), { ...SEAL, sha256: '00' }],
    ['cut short', zstdCompressSync(HELLO).subarray(0, -3), SEAL],
    ['empty', Buffer.alloc(0), SEAL],
    ['not compressed', HELLO, SEAL],
  ])('that is %s is refused', async (how, compressed, seal) => {
    await expect(unpackInto(how, compressed, seal)).rejects.toThrow();
  });

  it('is never unpacked beyond its length', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(10_000_000));
    await expect(unpackInto('bomb', bomb, SEAL)).rejects.toThrow('more than 100 bytes');
    expect((await stat(join(home, 'bomb')).catch(() => ({ size: 0 }))).size).toBe(0);
  });

  const POINTER = { ...SEAL, version: '0123456789abcdef', published_at: '2026-11-21T18:00:00.000Z' };

  it.each([
    ['version', [`${POINTER.version}0`, `x${POINTER.version}`, POINTER.version.slice(1), 'ABCDEF0123456789']],
    ['sha256', [`${SEAL.sha256}0`, `../${SEAL.sha256}`, SEAL.sha256.slice(1)]],
    ['bytes', [0, 1.5]],
    ['published_at', ['today', undefined]],
  ] as const)('is named by a pointer, which has a %s of its form', (field, values) => {
    expect(pointer.parse(POINTER)).toEqual(POINTER);
    for (const value of values) expect(pointer.safeParse({ ...POINTER, [field]: value }).success).toBe(false);
  });
});
