import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseCoding, compressAnswer, unpackBody } from '../../../infra/local/gateway/answers.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

describe('the coding of an answer', () => {
  it.each([
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['deflate, gzip', 'deflate'],
    ['deflate;q=0.5, gzip;q=1.0', 'gzip'],
    ['gzip;q=1.0, identity;q=0.5, *;q=0', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    [undefined, undefined],
    ['*', undefined],
    // Node's fetch sends this over TLS: API Gateway has no Brotli, and looks no further.
    ['br, gzip, deflate', undefined],
    ['gzip;q=0.5, br;q=0.8', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.1, identity', undefined],
    ['gzip;q=high', undefined],
    ['toString', undefined],
  ])('for "%s" is %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });
});

describe('an answer', () => {
  const answer = (bytes: number) => ({ statusCode: 200, headers: { ETag: '"a"' }, body: 'ñ'.repeat(bytes / 2) });

  it('is compressed from 1 KB on, with its ETag', async () => {
    const packed = await compressAnswer(answer(KIB), 'gzip');
    expect(packed.headers).toEqual({ ETag: '"a"', 'Content-Encoding': 'gzip' });
    expect(packed.body).toEqual(gzipSync('ñ'.repeat(512)));
  });

  it('below that stays as it is', async () => {
    expect(await compressAnswer(answer(KIB - 2), 'gzip')).toEqual(answer(KIB - 2));
  });
});

describe('the body of a request', () => {
  // Incompressible, so that it stays above 1 KB.
  const text = Array.from({ length: 2 * KIB }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
  ).join('');
  const unsupported = { statusCode: 415, body: '{"message":"Unsupported Media Type"}' };

  it.each([
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', Buffer.from(text)],
    [undefined, Buffer.from(text)],
  ])('in %s is unpacked', async (coding, body) => {
    expect(String(await unpackBody(body, coding))).toBe(text);
  });

  it('of less than 1 KB is left alone, as API Gateway does', async () => {
    const body = gzipSync('{}');
    expect(await unpackBody(body, 'gzip')).toBe(body);
  });

  it.each([
    ['br', Buffer.from(text)],
    ['gzip, gzip', gzipSync(text)],
    ['gzip', Buffer.from(text)],
    ['deflate', gzipSync(text)],
    ['gzip', gzipSync(text).subarray(0, -9)],
  ])('not really in %s is refused', async (coding, body) => {
    expect(await unpackBody(body, coding)).toMatchObject(unsupported);
  });

  it('that would unpack to more than 10 MB is refused before its end is looked at', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * MIB)).subarray(0, -9);
    expect(await unpackBody(bomb, 'gzip')).toMatchObject({ statusCode: 413, body: '{"message":"Request Too Long"}' });
  });
});
