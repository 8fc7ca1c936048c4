import { crc32 } from 'node:zlib';
import { JPEG, PDF, PNG } from '../orders/samples.ts';

const MB = 1024 * 1024;
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
const [pdf, jpeg, png] = [bytes(PDF), bytes(JPEG), bytes(PNG)];

const joinBytes = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');

const SCRIPT = '<script>alert(document.domain)</script>';
const PAGE = `<!doctype html><html><body>${SCRIPT}</body></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`;

/** Returns a zip with one uncompressed file; its offsets count from `offset` bytes before its start. */
export function createZip(offset = 0, comment = ''): Buffer {
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
export const jpegWithComment = (comment: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(comment.length + 2);
  return joinBytes(jpeg.subarray(0, 2), hex('fffe'), length, comment, jpeg.subarray(2));
};

/** Returns a PDF of exactly this many bytes. */
const createPdf = (size: number): Buffer =>
  joinBytes(pdf.subarray(0, 9), Buffer.alloc(size - pdf.length, 32), pdf.subarray(9));

const encode = (name: string, document: Buffer) => [name, document.toString('base64')] as const;
// This base64 ends with padding.
const encodedPng = PNG;

/** Documents that the service must refuse as prescriptions, as a client would send them. */
export const HOSTILE_DOCUMENTS: readonly (readonly [name: string, document: string])[] = [
  // Other file types
  encode('a page', Buffer.from(PAGE)),
  ['a page under a data prefix of a PDF', `data:application/pdf;base64,${Buffer.from(PAGE).toString('base64')}`],
  encode('SVG', Buffer.from(SVG)),
  encode('SVG with a declaration', Buffer.from(`<?xml version="1.0"?>${SVG}`)),
  encode('XML with an entity', Buffer.from('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')),
  encode('zip', createZip()),
  encode('an empty zip', hex('504b0506000000000000000000000000000000000000')),
  encode('gzip', hex('1f8b0800000000000003030000000000')),
  encode('rar', hex('526172211a0701003392b5e50a01050600050101808000')),
  encode('7z', hex('377abcaf271c00040000000000000000')),
  encode('GIF', joinBytes('GIF89a', hex('01000100800000ffffff00000021f90401000000002c00000000010001000002024401003b'))),
  encode('WebP', joinBytes('RIFF', hex('1a000000'), 'WEBPVP8L', hex('0d0000002f00000010071011118888fe0700'))),
  encode('BMP', joinBytes('BM', hex('3a0000000000000036000000280000000100000001000000010018000000000004000000'))),
  encode('TIFF', hex('49492a0008000000000000000000')),
  encode('HEIC', joinBytes(hex('00000018'), 'ftypheic', hex('00000000'), 'mif1heic')),
  encode('PostScript', Buffer.from('%!PS-Adobe-3.0\nshowpage\n%%EOF\n')),
  encode('RTF', Buffer.from('{\\rtf1 receta}')),
  encode('a program', joinBytes('MZ', Buffer.alloc(62), 'PE\0\0')),
  encode('a program of Linux', joinBytes(hex('7f454c4602010100'), Buffer.alloc(56))),
  encode('a shell script', Buffer.from('#!/bin/sh\nrm -rf /\n')),
  encode('an old document of an office program', joinBytes(hex('d0cf11e0a1b11ae1'), Buffer.alloc(504))),
  encode('JSON', Buffer.from('{"document":"%PDF-1.4"}')),
  encode('plain text', Buffer.from('Paracetamol 500 mg, cada 8 horas')),
  encode(
    'the test file of virus scanners',
    Buffer.from('X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'),
  ),
  encode('zeros', Buffer.alloc(1_000)),

  // Files that are also valid as another type
  encode('a PDF behind a page', joinBytes(PAGE, pdf)),
  encode('a PDF behind a page in the second line', joinBytes('\n', PAGE, pdf)),
  encode('a PDF in the name of a file in gzip', joinBytes(hex('1f8b0808000000000003'), pdf)),
  encode('a PDF behind a GIF', joinBytes('GIF89a', pdf)),
  encode('a PDF in a zip', joinBytes(createZip(), pdf)),
  encode('a PDF with a zip behind it', joinBytes(pdf, createZip(pdf.length))),
  encode(
    'a PDF with a zip behind it whose comment is the end of a PDF',
    joinBytes(pdf, createZip(pdf.length, '%%EOF')),
  ),
  encode('a PDF with a zip inside of it', joinBytes(pdf.subarray(0, 9), createZip(9), pdf.subarray(9))),
  encode('a PDF with a rar inside of it', joinBytes(pdf.subarray(0, 9), hex('526172211a070100'), pdf.subarray(9))),
  encode('a PDF with 2 KB behind its end', joinBytes(pdf, Buffer.alloc(2_048, 65))),
  encode('a JPEG with a page behind it', joinBytes(jpeg, PAGE)),
  encode('a JPEG with a page and its end mark behind it', joinBytes(jpeg, PAGE, hex('ffd9'))),
  encode('a JPEG with a zip behind it', joinBytes(jpeg, createZip(jpeg.length))),
  encode('a JPEG with a zip and its end mark behind it', joinBytes(jpeg, createZip(jpeg.length), hex('ffd9'))),
  encode('a JPEG with a zip in its comment', jpegWithComment(createZip(6))),
  encode('a JPEG with a page among its segments', joinBytes(jpeg.subarray(0, 20), PAGE, jpeg.subarray(20))),
  encode('the marks of a JPEG around a page', joinBytes(hex('ffd8ffe0'), PAGE, hex('ffd9'))),
  encode('a PNG with a page behind it', joinBytes(png, PAGE)),
  encode('a PNG with a zip behind it', joinBytes(png, createZip(png.length))),
  encode('a PNG with its end repeated behind a page', joinBytes(png, PAGE, png.subarray(-12))),
  encode('the header and the end of a PNG around a page', joinBytes(png.subarray(0, 33), PAGE, png.subarray(-12))),
  encode(
    'a PNG with one bit of its pixels changed',
    joinBytes(png.subarray(0, 45), Buffer.from([(png[45] ?? 0) ^ 1]), png.subarray(46)),
  ),

  // Incomplete files
  encode('the header of a PDF', Buffer.from('%PDF-1.7\n')),
  encode('a PDF that is cut off', pdf.subarray(0, -10)),
  encode('the header of a JPEG', jpeg.subarray(0, 20)),
  encode('a JPEG that is cut off', jpeg.subarray(0, -2)),
  encode('the marks of a JPEG', hex('ffd8ffd9')),
  encode('the signature of a PNG', png.subarray(0, 8)),
  encode('the header of a PNG', png.subarray(0, 33)),
  encode('a PNG that is cut off', png.subarray(0, -12)),
  encode('one byte more than 3 MB', createPdf(3 * MB + 1)),

  // Texts that are not valid base64
  ['no bytes', ''],
  ['no bytes behind a data prefix', 'data:application/pdf;base64,'],
  ['blanks', '    '],
  ['a PDF as it is', '%PDF-1.4\n%%EOF\n'],
  ['base64 without its padding', encodedPng.replace(/=+$/, '')],
  ['base64 with too much padding', `${encodedPng}=`],
  ['base64 with a blank', `${encodedPng.slice(0, 8)} ${encodedPng.slice(8)}`],
  ['base64 in lines', `${encodedPng.slice(0, 40)}\r\n${encodedPng.slice(40)}`],
  ['base64 with a line break behind it', `${encodedPng}\n`],
  ['base64 for addresses', Buffer.from(JPEG, 'base64').toString('base64url')],
  ['base64 of base64', Buffer.from(encodedPng).toString('base64')],
  ['base64 with something behind it', `${encodedPng}AAAA`],
  ['base64 with a foreign character', `${encodedPng.slice(0, 8)}*${encodedPng.slice(9)}`],
  ['base64 with a zero', `${encodedPng.slice(0, 8)}\0${encodedPng.slice(8)}`],
  ['base64 in letters of another width', `${String.fromCharCode(0xff21)}${encodedPng.slice(1)}`],
  ['hexadecimal digits', pdf.toString('hex')],
  ['an address', 'https://evil.example/receta.pdf'],
  ['a file', 'file:///etc/passwd'],
  ['a data prefix that is not of base64', 'data:application/pdf,%25PDF-1.4'],
  ['two data prefixes', `data:application/pdf;base64,data:application/pdf;base64,${encodedPng}`],
];

/** Documents that the service must accept, up to the largest size; `type` is the stored content type. */
export const GOOD_DOCUMENTS = [
  { name: 'a PDF', document: PDF, type: 'application/pdf' },
  { name: 'a PDF behind a line break', document: joinBytes('\n', pdf).toString('base64'), type: 'application/pdf' },
  {
    name: 'a PDF behind a byte order mark, as a form library sends it',
    document: `data:application/pdf;name=receta.pdf;base64,${joinBytes(hex('efbbbf'), pdf).toString('base64')}`,
    type: 'application/pdf',
  },
  { name: 'a JPEG', document: JPEG, type: 'image/jpeg' },
  { name: 'a PNG', document: PNG, type: 'image/png' },
  { name: 'a PNG that says that it is a page', document: `data:text/html;base64,${PNG}`, type: 'image/png' },
  {
    name: 'a JPEG with a page in its comment',
    document: jpegWithComment(Buffer.from(PAGE)).toString('base64'),
    type: 'image/jpeg',
  },
  { name: 'a PDF behind a line break', document: joinBytes('\n', pdf).toString('base64'), type: 'application/pdf' },
  {
    name: 'a PDF behind a byte order mark',
    document: joinBytes(hex('efbbbf'), pdf).toString('base64'),
    type: 'application/pdf',
  },
  {
    name: 'a PDF with its name in the prefix',
    document: `data:application/pdf;name=receta.pdf;base64,${PDF}`,
    type: 'application/pdf',
  },
  { name: 'a PDF of 3 MB', document: createPdf(3 * MB).toString('base64'), type: 'application/pdf' },
] as const;
