import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packSnapshot, pointer, unpackSnapshot, unpackSnapshotInto } from '../../../shared/catalog/file/snapshot.ts';

const HELLO = Buffer.from('hello'.repeat(20));
// The hash comes from `printf 'hello%.0s' {1..20} | sha256sum`.
const HELLO_SHA256 = '4e4ba7e5b2223cfbbd7cd1937cdde31663a1d9dd58c35a48c2658f884d562102';

describe('a snapshot', () => {
  it('has the hash and length of its plain bytes', async () => {
    const { compressed, ...seal } = await packSnapshot(HELLO);
    expect(seal).toEqual({ sha256: HELLO_SHA256, bytes: 100 });
    expect((await unpackSnapshot(compressed, seal)).toString()).toBe('hello'.repeat(20));
  });

  it.each([
    ['shorter than sealed', { sha256: HELLO_SHA256, bytes: 101 }, 'snapshot of 100 bytes instead of 101'],
    ['of another hash', { sha256: '00', bytes: 100 }, 'snapshot does not have the hash 00'],
  ])('that is %s is refused', async (_how, seal, message) => {
    await expect(unpackSnapshot(zstdCompressSync(HELLO), seal)).rejects.toThrow(message);
  });

  it('is never unpacked beyond that length', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(10_000_000));
    const seal = { sha256: HELLO_SHA256, bytes: 100 };
    await expect(unpackSnapshot(bomb, seal)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
  });
});

describe('a snapshot that is unpacked while it arrives', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'snapshot-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  /** Unpacks what arrives in chunks of seven bytes, and returns the file. */
  async function unpack(name: string, compressed: Buffer, seal: { sha256: string; bytes: number }): Promise<string> {
    const file = join(home, name);
    async function* arriving() {
      for (let start = 0; start < compressed.length; start += 7) yield compressed.subarray(start, start + 7);
    }
    await unpackSnapshotInto(file, arriving(), seal);
    return file;
  }

  it('is the file that was packed, which nobody else can read', async () => {
    const { compressed, ...seal } = await packSnapshot(HELLO);
    const file = await unpack('good', compressed, seal);
    expect(await readFile(file, 'utf8')).toBe('hello'.repeat(20));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is refused where its file is already there', async () => {
    await writeFile(join(home, 'there'), 'of somebody else');
    const { compressed, ...seal } = await packSnapshot(HELLO);
    await expect(unpack('there', compressed, seal)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(join(home, 'there'), 'utf8')).toBe('of somebody else');
  });

  it.each([
    ['shorter than sealed', zstdCompressSync(HELLO), { sha256: HELLO_SHA256, bytes: 101 }],
    ['of another hash', zstdCompressSync(HELLO), { sha256: '00', bytes: 100 }],
    ['cut short', zstdCompressSync(HELLO).subarray(0, -3), { sha256: HELLO_SHA256, bytes: 100 }],
    ['empty', Buffer.alloc(0), { sha256: HELLO_SHA256, bytes: 100 }],
    ['not compressed', HELLO, { sha256: HELLO_SHA256, bytes: 100 }],
  ])('and is %s is refused', async (how, compressed, seal) => {
    await expect(unpack(how, compressed, seal)).rejects.toThrow();
  });

  it('is never written beyond its length', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(10_000_000));
    const seal = { sha256: HELLO_SHA256, bytes: 100 };
    await expect(unpack('bomb', bomb, seal)).rejects.toThrow('snapshot of more than 100 bytes');
    expect((await stat(join(home, 'bomb')).catch(() => ({ size: 0 }))).size).toBe(0);
  });
});

const POINTER = {
  version: '0123456789abcdef',
  sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  bytes: 1,
  published_at: '2026-11-21T18:00:00.000Z',
};

it('a pointer names a version, its hash, its size and when it became current', () => {
  expect(pointer.parse(POINTER)).toEqual(POINTER);
});

it.each([
  ['version', `${POINTER.version}0`],
  ['version', `x${POINTER.version}`],
  ['version', POINTER.version.slice(1)],
  ['version', 'ABCDEF0123456789'],
  ['sha256', `${POINTER.sha256}0`],
  ['sha256', `../${POINTER.sha256}`],
  ['sha256', POINTER.sha256.slice(1)],
  ['bytes', 0],
  ['bytes', 1.5],
  ['published_at', 'today'],
  ['published_at', undefined],
])('with the %s %j it is none', (field, value) => {
  expect(pointer.safeParse({ ...POINTER, [field]: value }).success).toBe(false);
});
