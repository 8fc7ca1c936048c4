import { crc32 } from 'node:zlib';

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
// Length, type and checksum, around the data of a chunk (PNG specification, 5.3).
const EMPTY_CHUNK_BYTES = 12;

/**
 * True if the bytes are one whole PNG: chunks with true checksums, the header first, pixels among them, the end last
 * and nothing behind it (PNG specification, 5.2, 5.3, 5.6).
 */
export function isWholePng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return false;
  const types: string[] = [];
  let at = PNG_SIGNATURE.length;
  while (types.at(-1) !== 'IEND' && at + EMPTY_CHUNK_BYTES <= bytes.length) {
    const end = at + EMPTY_CHUNK_BYTES + bytes.readUInt32BE(at);
    const typeAndData = bytes.subarray(at + 4, end - 4);
    if (end > bytes.length || crc32(typeAndData) !== bytes.readUInt32BE(end - 4)) return false;
    types.push(typeAndData.toString('latin1', 0, 4));
    at = end;
  }
  return at === bytes.length && types[0] === 'IHDR' && types.includes('IDAT') && types.at(-1) === 'IEND';
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/**
 * True if the bytes are pictures of JPEG and nothing else: phones put a second one behind the first (its brightness,
 * its depth), and some pad with zeros. Each is segments up to its end, with a scan among them (ITU-T T.81, B.1 and
 * B.2).
 */
export function isWholeJpeg(bytes: Buffer): boolean {
  let at = 0;
  while (bytes.subarray(at, at + JPEG_START.length).equals(JPEG_START)) {
    const end = endOfJpeg(bytes, at);
    if (end === undefined) return false;
    at = skipZeros(bytes, end);
  }
  return at > 0 && at === bytes.length;
}

function skipZeros(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0) at += 1;
  return at;
}

/** Returns the offset behind the picture that starts here; undefined if it has no end or shows nothing. */
function endOfJpeg(bytes: Buffer, start: number): number | undefined {
  let at = start + 2;
  let hasScan = false;
  while (bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === END_OF_IMAGE) return hasScan ? at + 2 : undefined;
    // Any number of 0xff may stand before a marker.
    if (marker === 0xff) at += 1;
    else if (at + 4 > bytes.length) return undefined;
    else at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== START_OF_SCAN) continue;
    hasScan = true;
    at = endOfScan(bytes, at);
  }
  return undefined;
}

/** Returns the offset of the next marker outside of the pixels, which have 0xff 0x00 and the restarts 0xd0 to 0xd7. */
function endOfScan(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(0xff, start);
  while (at >= 0) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}
