import { constants, type InflateRaw, inflateRawSync } from 'node:zlib';

/*
 * A PDF names what it does by itself (ISO 32000-1, 12.6 and 7.11.4): scripts, programs, forms that are sent, files that
 * come with it. These names are looked for in the whole file and in its compressed object streams. An encrypted PDF shows no
 * more of itself than its encryption leaves readable.
 */

/** True if a PDF has scripts, actions beyond its own pages and addresses, or files inside of it. */
export function hasActiveContent(pdf: Buffer): boolean {
  const text = pdf.toString('latin1');
  if (ACTIVE_NAME.test(text) || SHORT_ACTIVE_NAME.test(withoutStreams(text))) return true;
  const objects = inflateObjectStreams(pdf, text);
  // Object streams that cannot be read are those of an encrypted PDF, or hide something.
  if (objects === undefined) return !ENCRYPTED.test(text);
  return objects.some((each) => ACTIVE_NAME.test(each) || SHORT_ACTIVE_NAME.test(each));
}

// Any letter of a name may be written as # and its two hexadecimal digits (ISO 32000-1, 7.3.5).
function escapable(name: string): string {
  const letters = [...name].map((letter) => {
    const digits = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|#${digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return letters.join('');
}
const DELIMITER = String.raw`[\s\0()<>[\]{}/%]|$`;
const toPattern = (names: readonly string[], flags = ''): RegExp =>
  new RegExp(`/(?:${names.map(escapable).join('|')})(?=${DELIMITER})`, flags);

const ACTIVE_NAME = toPattern([
  ...['JavaScript', 'Rendition', 'OnInstantiate'],
  ...['Launch', 'GoToR', 'GoToE', 'SubmitForm', 'ImportData', 'RichMedia', 'RichMediaExecute'],
  ...['EmbeddedFile', 'EmbeddedFiles', 'FileAttachment', 'XFA'],
]);
// Three letters and a delimiter occur by chance in 1 % of all files of 3 MB.
const SHORT_ACTIVE_NAME = toPattern(['JS', 'EF']);
const ENCRYPTED = toPattern(['Encrypt']);
const OBJECT_STREAM = toPattern(['ObjStm'], 'g');

/** Returns what stands outside of streams, which hold binary data. */
function withoutStreams(text: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = text.indexOf('stream'); at >= 0; at = text.indexOf('stream', start)) {
    parts.push(text.slice(start, at));
    const end = text.indexOf('endstream', at);
    if (end < 0) return [...parts, text.slice(at)].join('');
    start = end + 'endstream'.length;
  }
  return [...parts, text.slice(start)].join('');
}

// Writers of PDFs put up to 200 objects into a stream. Both bounds grow with the file, so that all documents of a request
// together cost no more than 70 ms, 45 of them for their 4 MB as they are.
const maxStreams = ({ length }: Buffer): number => 40 + length / (32 * 1024);
const maxObjectBytes = ({ length }: Buffer): number => 256 * 1024 + 2 * length;

const STREAM_START = /stream\r?\n/g;

/** Returns the contents of the object streams; undefined if one cannot be read, or they are too many or too large. */
function inflateObjectStreams(pdf: Buffer, text: string): string[] | undefined {
  const found: string[] = [];
  // Streams do not overlap, so that together they are shorter than the file.
  const left = { input: pdf.length, output: maxObjectBytes(pdf) };
  for (let at = findAfter(OBJECT_STREAM, text, 0); at !== undefined; at = findAfter(OBJECT_STREAM, text, at)) {
    // The search goes on here, for the names before a stream share it, and no part of the file is searched twice.
    at = findAfter(STREAM_START, text, at);
    const stream = at === undefined ? undefined : inflateStream(pdf.subarray(at, at + left.input), left.output);
    if (at === undefined || stream === undefined || found.length >= maxStreams(pdf)) return undefined;
    found.push(stream.content);
    left.input -= stream.inputBytes;
    left.output -= stream.content.length;
    if (left.input <= 0 || left.output <= 0) return undefined;
  }
  return found;
}

/** Returns the offset behind the next match of a pattern with the flag `g`. */
function findAfter(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

type Inflated = { readonly content: string; readonly inputBytes: number };

// It says itself where it ends, as `endstream` may stand in it; no reader checks its checksum.
function inflateStream(deflated: Buffer, maxOutputLength: number): Inflated | undefined {
  try {
    const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH, info: true };
    // The types of Node do not know what `info` changes (nodejs.org/api/zlib.html#class-options).
    const inflated: unknown = inflateRawSync(deflated.subarray(ZLIB_HEADER_BYTES), options);
    const { buffer, engine } = inflated as { buffer: Buffer; engine: InflateRaw };
    return { content: buffer.toString('latin1'), inputBytes: ZLIB_HEADER_BYTES + engine.bytesWritten };
  } catch {
    return undefined;
  }
}

const ZLIB_HEADER_BYTES = 2;
