import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isWholeJpeg, isWholePng } from '../../../shared/prescriptions/rules/image-structure.ts';
import * as samples from '../../support/orders/samples.ts';

const joinBytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(part as string))));

function chunk(type: string, data: number[] = []): Buffer {
  const body = joinBytes(type, data);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  return joinBytes(numbers.subarray(0, 4), body, numbers.subarray(4));
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const HEADER = chunk('IHDR', [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
const PIXELS = chunk('IDAT', [0x78, 0x9c]);
const END = chunk('IEND');
const KILOBYTE = chunk('IDAT', Array(1_024).fill(7));

describe('isWholePng', () => {
  it.each([
    ['of one pixel', Buffer.from(samples.PNG, 'base64')],
    ['with a text', joinBytes(SIGNATURE, HEADER, chunk('tEXt', [65, 0, 66]), PIXELS, END)],
    ['with its pixels in two chunks', joinBytes(SIGNATURE, HEADER, PIXELS, PIXELS, END)],
    ['of 3 MB in chunks of 1 KB', joinBytes(SIGNATURE, HEADER, ...Array(3_072).fill(KILOBYTE), END)],
    ['with each of 4,000 rows in a chunk', joinBytes(SIGNATURE, HEADER, ...Array(4_000).fill(PIXELS), END)],
  ])('accepts one %s', (_, bytes) => {
    expect(isWholePng(bytes)).toBe(true);
  });

  const wrongSum = Buffer.from(END);
  wrongSum[11] = 0;
  const tooLong = Buffer.from(PIXELS);
  tooLong[3] = 200;
  it.each([
    ['nothing', joinBytes()],
    ['a signature alone', joinBytes(SIGNATURE)],
    ['one that is cut off', joinBytes(SIGNATURE, HEADER, PIXELS)],
    ['one that is cut off in a chunk', joinBytes(SIGNATURE, HEADER, PIXELS, END.subarray(0, 11))],
    ['one without pixels', joinBytes(SIGNATURE, HEADER, END)],
    ['one whose first chunk is not the header', joinBytes(SIGNATURE, chunk('tEXt'), HEADER, PIXELS, END)],
    ['one with something behind its end', joinBytes(SIGNATURE, HEADER, PIXELS, END, 'PK')],
    ['one with another behind its end', joinBytes(SIGNATURE, HEADER, PIXELS, END, END)],
    ['one with a wrong checksum', joinBytes(SIGNATURE, HEADER, PIXELS, wrongSum)],
    ['one whose chunk is longer than the file', joinBytes(SIGNATURE, HEADER, tooLong, END)],
    ['one with something before its header', joinBytes(SIGNATURE, '<script>', HEADER, PIXELS, END)],
    ['one with the signature of MNG', joinBytes([0x8a], 'MNG', SIGNATURE.slice(4), HEADER, PIXELS, END)],
    ['one whose line break was translated', joinBytes([0x89], 'PNG\n', [0x1a, 0x0a], HEADER, PIXELS, END)],
    ['one in 5,000 empty chunks', joinBytes(SIGNATURE, HEADER, PIXELS, ...Array(5_000).fill(chunk('tEXt')), END)],
    ['one that begins later', joinBytes([0], SIGNATURE, HEADER, PIXELS, END)],
  ])('refuses %s', (_, bytes) => {
    expect(isWholePng(bytes)).toBe(false);
  });
});

const JPEG = Buffer.from(samples.JPEG, 'base64');
const START = [0xff, 0xd8];
const APPLICATION = [0xff, 0xe0, 0, 4, 1, 2];
const SCAN = [0xff, 0xda, 0, 3, 9, 7, 8];
const EOI = [0xff, 0xd9];

describe('isWholeJpeg', () => {
  it.each([
    ['of one pixel', JPEG],
    ['of the least that there can be', joinBytes(START, SCAN, EOI)],
    [
      'with restarts and stuffed bytes in its pixels',
      joinBytes(START, SCAN, [0xff, 0, 1, 0xff, 0xd0, 0xff, 0xd7, 2], EOI),
    ],
    ['of two scans', joinBytes(START, SCAN, APPLICATION, SCAN, EOI)],
    ['with fill bytes before a marker', joinBytes(START, [0xff, 0xff], APPLICATION, SCAN, [0xff], EOI)],
    ['padded with zeros', joinBytes(JPEG, [0, 0, 0])],
    ['with a second picture behind it', joinBytes(JPEG, JPEG)],
    ['with a second picture behind some zeros', joinBytes(JPEG, [0, 0], JPEG, [0])],
    ['with markers inside of a segment between two scans', joinBytes(START, SCAN, [0xff, 0xc4, 0, 4], EOI, SCAN, EOI)],
    ['with markers inside of a segment', joinBytes(START, [0xff, 0xe1, 0, 6], EOI, START, SCAN, EOI)],
  ])('accepts one %s', (_, bytes) => {
    expect(isWholeJpeg(bytes)).toBe(true);
  });

  it.each([
    ['nothing', joinBytes()],
    ['zeros', joinBytes([0, 0, 0])],
    ['one of nothing but its marks', joinBytes(START, EOI)],
    ['one of nothing but its start', joinBytes(START, [0xff])],
    ['one without a scan', joinBytes(START, APPLICATION, EOI)],
    ['one that is cut off', JPEG.subarray(0, -2)],
    ['one that is cut off between the bytes of its mark', JPEG.subarray(0, -1)],
    ['one that is cut off in a segment', joinBytes(START, [0xff, 0xe0, 0])],
    ['one whose segment is longer than the file', joinBytes(START, [0xff, 0xe0, 1, 0], SCAN, EOI)],
    ['one with something behind its end', joinBytes(JPEG, 'PK')],
    ['one with a page and its end again', joinBytes(JPEG, '<script>alert(1)</script>', EOI)],
    ['one with a second one that is cut off', joinBytes(JPEG, JPEG.subarray(0, -1))],
    ['one with a segment that no mark begins', joinBytes(START, [0x3c, 0xe0, 0, 2], SCAN, EOI)],
    ['one with a page among its segments', joinBytes(START, APPLICATION, '<script>', SCAN, EOI)],
    ['one without its first byte', JPEG.subarray(1)],
    ['one that begins later', joinBytes([0], JPEG)],
  ])('refuses %s', (_, bytes) => {
    expect(isWholeJpeg(bytes)).toBe(false);
  });
});
