import { crc32, deflateSync } from 'node:zlib';

type CostlyDocument = {
  readonly what: string;
  /** Makes a document of at most this many bytes. */
  readonly make: (bytes: number) => Buffer;
};

const PREDICTED = '/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 1>>';

/** Documents full of what the checks of documents look for, those first that cost them most. */
export const COSTLY_DOCUMENTS: readonly CostlyDocument[] = [
  filledPdf('1 0 obj<</#41#41#41#41#41#41 1>>endobj '),
  filledPdf(objects('/Filter/ASCII85Decode', `${'z'.repeat(100_000)}~>`)),
  filledPdf(objects(PREDICTED, deflateSync(Buffer.alloc(200_000)).toString('latin1'))),
  { what: 'a PDF whose many object streams are one, far behind', make: (bytes) => pdfOfOneStream(bytes) },
  { what: 'a PDF whose object streams lie in each other', make: (bytes) => pdfOfNestedStreams(bytes) },
  { what: 'a PNG of empty chunks', make: (bytes) => filledPng(bytes) },
  { what: 'a JPEG of stuffed bytes', make: (bytes) => filledJpeg(bytes, '\xff\0') },
  { what: 'a JPEG of restarts', make: (bytes) => filledJpeg(bytes, '\xff\xd0') },
  { what: 'a JPEG of empty scans', make: (bytes) => filledJpeg(bytes, '\xff\xda\0\x02') },
  { what: 'a JPEG of small pictures', make: (bytes) => filledJpeg(bytes, '\xff\xd9\xff\xd8\xff\xda\0\x02') },
  ...['x', '/', '#4a', '<<', '(', '\xff\xd8\xff', 'PK\x03\x04', '\0'].map(filledPdf),
  ...['obj', '1 0 obj(', '1 0 obj%', '1 0 obj<</First 4>>stream\n'].map(filledPdf),
  ...['stream\n', 'stream\nendstream\n', 'endobj 1 0 obj', '/ObjStm ', '/JavaScrip ', '/#4aavaScrip '].map(filledPdf),
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

/** Returns a stream of objects with these entries and data. */
function objects(entries: string, data: string): string {
  return `1 0 obj<</Type/ObjStm/N 1/First 4${entries}/Length ${data.length}>>stream\n${data}\nendstream endobj `;
}

function pdfOfOneStream(bytes: number): Buffer {
  const names = '/ObjStm '.repeat(40 + Math.floor(bytes / (32 * 1024)) - 1);
  const stream = Buffer.concat([toBytes('stream\n'), deflateSync('1 0 <<>>'), toBytes(`\nendstream${PDF_TAIL}`)]);
  return fill(bytes, toBytes(PDF_HEAD + names), toBytes('strea'), stream);
}

// Blocks of deflated data with no bytes in them, and with as many as the name and the start of the next stream have.
const EMPTY_BLOCK = toBytes('\0\0\0\xff\xff');
const LAST_BLOCK = toBytes('\x01\0\0\xff\xff');
const NEXT_STREAM = '/ObjStm stream\nx\x9c';
const NEXT_BLOCK = `\0${String.fromCharCode(NEXT_STREAM.length)}\0${String.fromCharCode(255 - NEXT_STREAM.length)}\xff`;

function pdfOfNestedStreams(bytes: number): Buffer {
  const streams = (NEXT_STREAM + NEXT_BLOCK).repeat(40 + Math.floor(bytes / (32 * 1024)) - 2) + NEXT_STREAM;
  return fill(bytes, toBytes(PDF_HEAD + streams), EMPTY_BLOCK, Buffer.concat([LAST_BLOCK, toBytes(PDF_TAIL)]));
}

function pngChunk(type: string, data = ''): Buffer {
  const typeAndData = toBytes(type + data);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typeAndData));
  return Buffer.concat([length, typeAndData, checksum]);
}

function filledPng(bytes: number): Buffer {
  const head = Buffer.concat([
    toBytes('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', '\0\0\0\x01\0\0\0\x01\x08\0\0\0\0'),
    pngChunk('IDAT', 'x\x9c'),
  ]);
  return fill(bytes, head, pngChunk('tEXt'), pngChunk('IEND'));
}

const filledJpeg = (bytes: number, filler: string): Buffer =>
  fill(bytes, toBytes('\xff\xd8\xff\xda\0\x02'), toBytes(filler), toBytes('\xff\xd9'));
