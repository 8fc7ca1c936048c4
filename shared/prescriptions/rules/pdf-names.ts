import { constants, inflateSync } from 'node:zlib';

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
export function namesActiveContent(pdf: Buffer): boolean {
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
