import { createHash } from 'node:crypto';
import { constants, inflateSync } from 'node:zlib';

export const DOCUMENT_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Bounds of a request in decoded bytes; in base64, 4 MB are 5.3 MB, just below the largest body. */
export const MAX_DOCUMENT_BYTES = 3 * 1024 * 1024;
export const MAX_DOCUMENTS_PER_ORDER = 10;
export const MAX_DOCUMENTS_BYTES_PER_ORDER = 4 * 1024 * 1024;

/** The longest `data:` prefix, in which some libraries write the file's name. */
export const MAX_DATA_PREFIX = 2_048;
// RFC 2397: an optional type and parameters, whose values may be quoted, in any case.
const DATA_PREFIX = /^data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[^\s"(),:;<=>?@[\\\]]+=(?:"[^"]*"|[^",;]*))*;base64,/i;

/** Accepts canonical padded base64 alone, after an optional `data:` prefix whose type is not trusted; at least one byte. */
export function decodeBase64Strictly(text: string): Uint8Array | undefined {
  const [prefix = ''] = DATA_PREFIX.exec(text.slice(0, MAX_DATA_PREFIX)) ?? [];
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder accepts anything; a canonical text survives the round trip.
  if (bytes.length === 0 || bytes.toString('base64') !== encoded) return undefined;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const PNG_START = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG_START = Buffer.from('ffd8ff', 'hex');

/** Undefined for other types, and for a PDF with scripts or files in it. */
export function detectDocumentType(bytes: Uint8Array): DocumentType | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(view, JPEG_START)) return 'image/jpeg';
  if (startsWith(view, PNG_START)) return 'image/png';
  return isPdf(view) && !namesActiveContent(view) ? 'application/pdf' : undefined;
}

const startsWith = (bytes: Buffer, start: Buffer): boolean => bytes.subarray(0, start.length).equals(start);

const PDF_START = '%PDF-';
// Readers look for the header in the first 1,024 bytes (ISO 32000-1, appendix H, note 13): mail programs and printers put lines
// before it.
const PDF_START_BYTES = 1024;

function isPdf(bytes: Buffer): boolean {
  const start = bytes.subarray(0, PDF_START_BYTES).indexOf(PDF_START);
  return start >= 0 && !OTHER_START.test(bytes.toString('latin1', 0, start));
}

// Browsers, shells and unpackers take a file with such a start for something else, whatever follows: a page, a picture,
// a program (WHATWG, MIME Sniffing, 7.1) or an archive.
const OTHER_START = new RegExp(
  [
    String.raw`^(?:\xef\xbb\xbf)?[\0\s]*(?:<|#!|%!|\{\\rtf|PK|Rar!|!<arch>|0707)`,
    String.raw`^(?:GIF8|BM|RIFF|OggS|II\*|MM\0|MZ|\x7fELF|\xd0\xcf\x11\xe0|\xff\xd8|\x89PNG|\xca\xfe\xba\xbe)`,
    String.raw`^(?:\x1f[\x8b\x9d\xa0]|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|LZIP|\x04\x22\x4d\x18|\x60\xea|..-l[hz]|ITSF|xar!|\x5d\0\0)`,
  ].join('|'),
  's',
);

const EXTENSIONS: Readonly<Record<DocumentType, string>> = {
  'application/pdf': '.pdf',
  'image/jpeg': '.jpg',
  'image/png': '.png',
};

// The contract's bound; no file system takes more.
const MAX_GIVEN_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 100;

// Control and direction characters, lone surrogates, line breaks, quotes of every script, and characters that Windows forbids:
// anything that could leave a Content-Disposition header or a folder, or make exe.pdf read as fdp.exe.
const UNSAFE_IN_A_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Quotation_Mark}`/\\<>:|?*]/gu;
// Windows drops trailing dots and blanks, and Unix hides files with a leading dot.
const END = /(?<![.\s])[.\s]+$/;
const EDGES = /^[.\s]+|(?<![.\s])[.\s]+$/g;
const EXTENSION = /\.[a-z][a-z\d]{0,4}$/i;
// Device names, whatever their extension (Windows, "Naming Files, Paths, and Namespaces").
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;
const READABLE = /[\p{L}\p{N}]/u;

/** Returns a safe name of at most 100 characters with the type's extension; `receta-<position>` if no letter or digit remains. */
export function documentName(given: string | undefined, position: number, type: DocumentType): string {
  const extension = EXTENSIONS[type];
  const stem = removeExtensions(cleanName(given ?? ''), extension);
  const cut = [...stem]
    .slice(0, MAX_NAME_CHARACTERS - extension.length)
    .join('')
    .replace(EDGES, '');
  const isUsable = READABLE.test(cut) && !DEVICE.test(cut);
  return `${isUsable ? cut : `receta-${position}`}${extension}`;
}

const cleanName = (given: string): string =>
  given.slice(0, MAX_GIVEN_CHARACTERS).normalize('NFC').replace(UNSAFE_IN_A_NAME, '').normalize('NFC').trim();

/** Removes the last extension, and the type's own before it: a PDF named `a.pdf.hta` is `a`. */
function removeExtensions(name: string, extension: string): string {
  const stem = name.replace(END, '').replace(EXTENSION, '').replace(END, '');
  return stem.toLowerCase().endsWith(extension) ? stem.slice(0, -extension.length) : stem;
}

/** Returns the SHA-256 in 43 characters (base64url), which identifies the same document in another order. */
export const hashDocument = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');

// Scripts, programs and files that come with a PDF (ISO 32000-1, 12.6.4 and 7.11.4).
const LONG_NAMES = ['JavaScript', 'Launch', 'EmbeddedFile', 'EmbeddedFiles', 'FileAttachment'];
// With a delimiter behind them they occur by chance in 1 % of 3 MB pictures, so they count only outside streams.
const SHORT_NAMES = ['JS', 'EF'];

const MAX_STREAM_BYTES = 8 * 1024 * 1024;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
// Writers put up to 200 objects into a stream, compressed to a tenth. The bound grows with the file, so that the documents of
// a request cost the same however they are split.
const maxObjectStreams = ({ length }: Buffer): number => 100 + length / (8 * 1024);

/**
 * True if a PDF names a script, a program or an embedded file, openly or in an object stream that zlib opens, or if
 * these streams exceed the bounds or are malformed. Streams of an encrypted PDF are not opened, nor those of another
 * filter than Flate: the counter says so (`infra/counter/page/viewer/use-document.ts`).
 */
function namesActiveContent(pdf: Buffer): boolean {
  const text = pdf.toString('latin1');
  if (LONG_NAME.test(text)) return true;
  const isEncrypted = ENCRYPTION.test(text);
  const budget = { streams: maxObjectStreams(pdf), bytes: MAX_FILE_BYTES };
  for (const { dictionary, start } of readDictionaries(text)) {
    if (SHORT_NAME.test(dictionary)) return true;
    if (isEncrypted || start === undefined || !OBJECT_STREAM.test(dictionary)) continue;
    budget.streams -= 1;
    if (budget.streams < 0 || isActiveStream(pdf.subarray(start), budget)) return true;
  }
  return false;
}

const STREAM = /\bstream(?:\r\n?|\n)/g;

/** Yields the text between the streams of a PDF, each with the start of the following stream. */
function* readDictionaries(text: string): Generator<{ readonly dictionary: string; readonly start?: number }> {
  let end = 0;
  const readUntil = (index: number): string => {
    const part = text.slice(end, index);
    return part.slice(Math.max(0, part.indexOf('endstream')));
  };
  for (const { 0: keyword, index } of text.matchAll(STREAM)) {
    const dictionary = readUntil(index);
    end = index + keyword.length;
    yield { dictionary, start: end };
  }
  yield { dictionary: readUntil(text.length) };
}

/** The result with the option `info`, which Node's types lack. */
type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

function isActiveStream(data: Buffer, budget: { bytes: number }): boolean {
  if (!isZlib(data)) return false;
  try {
    const maxOutputLength = Math.min(MAX_STREAM_BYTES, Math.max(1, budget.bytes));
    const options = { info: true, maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
    const { buffer, engine } = inflateSync(data, options) as unknown as Inflated;
    // Blocks may inflate to nothing, so bytes read count too.
    budget.bytes -= buffer.length + engine.bytesWritten;
    return budget.bytes < 0 || ANY_NAME.test(buffer.toString('latin1'));
  } catch {
    return true;
  }
}

// RFC 1950, 2.2.
const isZlib = (data: Buffer): boolean =>
  data.length >= 2 && data.readUInt8(0) % 16 === 8 && data.readUInt16BE(0) % 31 === 0;

// Any letter of a name may be written as # and two hexadecimal digits (ISO 32000-1, 7.3.5).
function toPattern(names: readonly string[]): RegExp {
  const patterns = names.map((name) =>
    name.replace(/./g, (letter) => {
      const [high, low = ''] = letter.charCodeAt(0).toString(16);
      return `(?:${letter}|#${high}[${low}${low.toUpperCase()}])`;
    }),
  );
  return new RegExp(String.raw`/(?:${patterns.join('|')})(?=[\s\0()<>[\]{}/%]|$)`);
}
const LONG_NAME = toPattern(LONG_NAMES);
const SHORT_NAME = toPattern(SHORT_NAMES);
const ANY_NAME = toPattern([...LONG_NAMES, ...SHORT_NAMES]);
const OBJECT_STREAM = toPattern(['ObjStm']);
const ENCRYPTION = toPattern(['Encrypt']);
