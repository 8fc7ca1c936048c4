import { crc32 } from 'node:zlib';
import { JPEG, PNG } from '../orders/samples.ts';
import { onePagePdf } from './pdf-files.ts';

/*
 * Archives that unpackers open wherever they stand in a file, with all the oddities of their records that unpackers forgive:
 * Python's zipfile and Info-ZIP's unzip were seen to open the zips with a directory.
 */

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const joinBytes = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const withNumber = (bytes: Buffer, at: number, number: number, length: 2 | 4): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUIntLE(number, at < 0 ? copy.length + at : at, length);
  return copy;
};

/** Returns a zip with one uncompressed file; its offsets count from `offset` bytes before its start. */
function createZip(offset = 0, comment = ''): Buffer {
  const name = Buffer.from('receta.exe');
  const content = Buffer.from('MZ not a prescription');
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(content.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const nameLength = Buffer.from([name.length, 0]);
  const local = joinBytes(
    hex('504b0304140000000000000000000000').subarray(0, 14),
    sizes,
    nameLength,
    hex('0000'),
    name,
    content,
  );
  const place = Buffer.alloc(4);
  place.writeUInt32LE(offset, 0);
  const central = joinBytes(
    hex('504b01021400140000000000').subarray(0, 12),
    hex('00000000'),
    sizes,
    nameLength,
    Buffer.alloc(12),
    place,
    name,
  );
  const end = Buffer.alloc(10);
  end.writeUInt32LE(central.length, 0);
  end.writeUInt32LE(offset + local.length, 4);
  end.writeUInt16LE(comment.length, 8);
  return joinBytes(local, central, hex('504b05060000000001000100'), end, comment);
}

/** Returns a valid JPEG with these bytes in a comment segment. */
const jpegWithComment = (comment: Buffer): Buffer => {
  const jpeg = Buffer.from(JPEG, 'base64');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(comment.length + 2);
  return joinBytes(jpeg.subarray(0, 2), hex('fffe'), length, comment, jpeg.subarray(2));
};

const ZIP_END_BYTES = 22;
/** Returns a zip with a number in its end record replaced. */
const withEnd =
  (at: number, number: number, length: 2 | 4 = 2) =>
  (offset: number): Buffer =>
    withNumber(createZip(offset), at - ZIP_END_BYTES, number, length);
const DIRECTORY = hex('504b0102');

/** Returns a zip of the long form, whose end record refers to another one (APPNOTE 4.3.14 to 4.3.16). */
function createZip64(offset: number): Buffer {
  const zip = createZip(offset);
  const end = zip.subarray(-ZIP_END_BYTES);
  const long = Buffer.alloc(56);
  hex('504b0606').copy(long);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE(45, 12);
  long.writeUInt16LE(45, 14);
  long.writeBigUInt64LE(1n, 24);
  long.writeBigUInt64LE(1n, 32);
  long.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  long.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  hex('504b0607').copy(locator);
  locator.writeBigUInt64LE(BigInt(offset + zip.length - ZIP_END_BYTES), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([
    zip.subarray(0, -ZIP_END_BYTES),
    long,
    locator,
    hex('504b050600000000ffffffffffffffffffffffff0000'),
  ]);
}

const withoutEnd = (offset: number) => createZip(offset).subarray(0, -ZIP_END_BYTES);
const onlyEntry = (offset: number) => createZip(offset).subarray(0, createZip(offset).indexOf(DIRECTORY));
const withMethod = (method: number) => (offset: number) => {
  const zip = createZip(offset);
  return withNumber(withNumber(zip, zip.indexOf(DIRECTORY) + 10, method, 2), 8, method, 2);
};

const CABINET = Buffer.concat([
  hex('4d5343460000000057000000000000002c0000000000000003010100010000003930000044000000010000000a'),
  Buffer.from('\0\0\0\0\0\0\0receta.exe\0'),
  Buffer.alloc(40),
]);

/** Archives as functions of their offset in the file. */
const ARCHIVES: readonly (readonly [name: string, create: (offset: number) => Buffer])[] = [
  ['a zip', (offset) => createZip(offset)],
  ['a zip that says that it is on another disk', withEnd(4, 1)],
  ['a zip whose directory is on another disk', withEnd(6, 9)],
  ['a zip that counts no files on its disk', withEnd(8, 0)],
  ['a zip that counts too many files', withEnd(10, 99)],
  ['a zip whose directory is elsewhere', withEnd(16, 0x7fffffff, 4)],
  ['a zip whose directory is larger', withEnd(12, 60_000, 4)],
  ['a zip with a comment', (offset) => createZip(offset, 'receta')],
  ['a zip with the longest comment', (offset) => createZip(offset, ' '.repeat(65_535))],
  ['a zip with a comment longer than there is', withEnd(20, 500)],
  ['a zip whose offsets do not count what stands before', () => createZip(0)],
  ['a zip of the long form', createZip64],
  ['a zip that is compressed in an unknown way', withMethod(1_234)],
  ['a zip that is compressed by zstd', withMethod(93)],
  ['a zip without its end', withoutEnd],
  ['a zip without its directory', onlyEntry],
  [
    'a zip without anything in it',
    (offset) => withNumber(withNumber(hex(`504b0506${'00'.repeat(18)}`), 16, offset, 4), 4, 7, 2),
  ],
  ['a rar 4', () => hex('526172211a0700cf907300000d00000000000000')],
  ['a rar 5', () => hex('526172211a0701003392b5e50a01050600050101808000')],
  ['a 7z', () => hex('377abcaf271c00040000000000000000')],
  ['a cabinet', () => CABINET],
  ['a cabinet with something in its reserved field', () => withNumber(CABINET, 4, 1, 4)],
  [
    'an installer of NSIS',
    () => Buffer.concat([hex('00000000efbeadde'), Buffer.from('NullsoftInst'), Buffer.alloc(16)]),
  ],
  ['an ace', () => Buffer.concat([hex('00000000000000'), Buffer.from('**ACE**'), Buffer.alloc(32)])],
];

const AFTER_HEADER = 9;
const pdf = onePagePdf();

function pngWithText(text: Buffer): Buffer {
  const png = Buffer.from(PNG, 'base64');
  const typeAndData = Buffer.concat([Buffer.from('prVt'), text]);
  const chunk = Buffer.alloc(8 + typeAndData.length);
  chunk.writeUInt32BE(text.length);
  typeAndData.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(typeAndData), 4 + typeAndData.length);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

type Create = (offset: number) => Buffer;
/** Valid documents of each type that hold an archive. */
const HOLDERS: readonly (readonly [name: string, hold: (create: Create) => Buffer])[] = [
  [
    'at the start of a PDF',
    (create) => Buffer.concat([pdf.subarray(0, AFTER_HEADER), create(AFTER_HEADER), pdf.subarray(AFTER_HEADER)]),
  ],
  [
    'near the end of a PDF',
    (create) => Buffer.concat([pdf.subarray(0, -6), create(pdf.length - 6), Buffer.from('\n%%EOF\n')]),
  ],
  ['in the comment of a JPEG', (create) => jpegWithComment(create(6).subarray(0, 65_533))],
  ['in a chunk of a PNG', (create) => pngWithText(create(41))],
];

/** Returns a document that begins with a header of tar: any 512 bytes with their sum in a field of their own. */
function asTar(document: Buffer, sumOf: 'unsigned' | 'signed' = 'unsigned'): Buffer {
  const copy = Buffer.from(document);
  copy.fill(' ', 148, 156);
  const sum = copy
    .subarray(0, 512)
    .reduce((total, byte) => total + (sumOf === 'signed' && byte > 127 ? byte - 256 : byte), 0);
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return copy;
}
const longPdf = Buffer.concat([pdf.subarray(0, 15), Buffer.alloc(40_000, ' '), pdf.subarray(15)]);
const withDisc = (mark: string): Buffer => {
  const copy = Buffer.from(longPdf);
  copy.write(mark, 0x8000, 'latin1');
  return copy;
};

/** Documents that an unpacker opens as an archive, which must all be refused. */
export const ARCHIVED_DOCUMENTS: readonly (readonly [name: string, document: Buffer])[] = [
  ...ARCHIVES.flatMap(([what, create]) => HOLDERS.map(([where, hold]) => [`${what} ${where}`, hold(create)] as const)),
  ['a PDF that is a tar', asTar(longPdf)],
  ['a PDF that is an old tar', asTar(longPdf, 'signed')],
  ['a JPEG that is a tar', asTar(jpegWithComment(Buffer.alloc(1_000)))],
  ['a PDF that is a disc', withDisc('\x01CD001\x01')],
  ['a PDF that is a disc of UDF', withDisc('\0BEA01\x01')],
];

const MB = 1024 * 1024;
/** Returns a JPEG whose comments hold some 3 MB of such bytes. */
const jpegOf = (bytes: Buffer): Buffer => {
  const jpeg = Buffer.from(JPEG, 'base64');
  const segments = Array.from({ length: Math.ceil(bytes.length / 60_000) }, (_, index) => {
    const part = bytes.subarray(index * 60_000, (index + 1) * 60_000);
    const head = hex('fffe0000');
    head.writeUInt16BE(part.length + 2, 2);
    return Buffer.concat([head, part]);
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
};

/** Pictures with the beginnings of archives among their bytes, as chance puts them there; they must all pass. */
export const HONEST_PICTURES: readonly (readonly [name: string, picture: Buffer])[] = (
  [
    ['of a zip entry', hex('504b0304')],
    ['of a zip directory', hex('504b0102')],
    ['of the end of a zip', hex('504b0506')],
    ['of a cabinet', Buffer.from('MSCF')],
    ['of gzip', hex('1f8b08')],
    ['of bzip2', Buffer.from('BZh9')],
    ['of xz', hex('fd377a585a00')],
    ['of zstd', hex('28b52ffd')],
  ] as const
).map(([what, beginning]) => {
  const noise = Buffer.alloc(2 * MB, hex('a7f3d1e99bc5f7e1b3'));
  for (let at = 1_000; at < noise.length - 100; at += 50_021) beginning.copy(noise, at);
  return [`with the beginning ${what}`, jpegOf(noise)] as const;
});
