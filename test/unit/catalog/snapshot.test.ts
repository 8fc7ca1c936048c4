import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packSnapshot, pointer, unpackSnapshot, unpackSnapshotInto } from '../../../shared/catalog/file/snapshot.ts';

// A snapshot is taken only if it is the one that the pointer names, and never unpacked beyond its length.

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
  const { compressed, ...seal } = await packSnapshot(HELLO);
  expect(seal).toEqual(SEAL);
  expect((await unpackSnapshot(compressed, seal)).toString()).toBe('hello'.repeat(20));
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
  await expect(unpackSnapshot(compressed, seal)).rejects.toThrow();
  await expect(unpackInto(how, compressed, seal)).rejects.toThrow();
});

it('is never unpacked beyond its length', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(10_000_000));
  await expect(unpackSnapshot(bomb, SEAL)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
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
