import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { packSnapshot, unpackSnapshot } from '../../../shared/catalog/file/snapshot.ts';

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
