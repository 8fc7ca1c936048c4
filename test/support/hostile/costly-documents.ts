import { deflateSync } from 'node:zlib';

type CostlyDocument = {
  readonly what: string;
  /** Makes a document of at most this many bytes. */
  readonly make: (bytes: number) => Buffer;
};

/** Documents full of what the checks of documents look for, those first that cost them most. */
export const COSTLY_DOCUMENTS: readonly CostlyDocument[] = [
  filledPdf(objects(deflateSync(Buffer.alloc(8_000_000)).toString('latin1'))),
  filledPdf(objects(deflateSync(Buffer.alloc(200_000)).toString('latin1'))),
  { what: 'a PDF whose object streams lie in each other', make: (bytes) => pdfOfNestedStreams(bytes) },
  ...['x', '/', '#4a', '<<', '(', '%PDF-', '\0'].map(filledPdf),
  ...['obj', '1 0 obj<</Type/ObjStm>>stream\n', 'stream\n', 'endstream'].map(filledPdf),
  ...['stream\nendstream\n', '/ObjStm ', '/JavaScrip ', '/#4aavaScrip '].map(filledPdf),
];

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Returns `head` and `tail` with as many fillers between them as there is room for. */
function fill(bytes: number, head: Buffer, filler: Buffer, tail: Buffer): Buffer {
  const count = Math.floor((bytes - head.length - tail.length) / filler.length);
  return Buffer.concat([head, Buffer.alloc(count * filler.length, filler), tail]);
}

const PDF_HEAD = '%PDF-1.4\n';
const PDF_TAIL = '\n%%EOF\n';

function filledPdf(filler: string): CostlyDocument {
  const make = (bytes: number) => fill(bytes, toBytes(PDF_HEAD), toBytes(filler), toBytes(PDF_TAIL));
  return { what: `a PDF of ${JSON.stringify(filler.slice(0, 60))}`, make };
}

/** Returns a stream of objects with these data. */
function objects(data: string): string {
  return `1 0 obj<</Type/ObjStm/N 1/First 4/Length ${data.length}>>stream\n${data}\nendstream endobj `;
}

// Blocks of deflated data with no bytes in them, and with as many as the name and the start of the next stream have.
const EMPTY_BLOCK = toBytes('\0\0\0\xff\xff');
const LAST_BLOCK = toBytes('\x01\0\0\xff\xff');
const NEXT_STREAM = '/ObjStm stream\nx\x9c';
const NEXT_BLOCK = `\0${String.fromCharCode(NEXT_STREAM.length)}\0${String.fromCharCode(255 - NEXT_STREAM.length)}\xff`;

function pdfOfNestedStreams(bytes: number): Buffer {
  const streams = (NEXT_STREAM + NEXT_BLOCK).repeat(100 + Math.floor(bytes / (8 * 1024)) - 2) + NEXT_STREAM;
  return fill(bytes, toBytes(PDF_HEAD + streams), EMPTY_BLOCK, Buffer.concat([LAST_BLOCK, toBytes(PDF_TAIL)]));
}
