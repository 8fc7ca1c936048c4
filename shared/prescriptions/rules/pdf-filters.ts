import { constants, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { PdfObject, PdfValue } from './pdf-objects.ts';

/*
 * The filters of a stream (ISO 32000-1, 7.4), those in which writers and tools put objects: deflate with its predictors, and
 * digits. LZW, run lengths and those of pictures are not decoded: no writer of this century has objects in them.
 */

/** The bytes that may still be read from, and decoded of, all streams of a file. */
export type StreamBudget = { input: number; output: number };

/** Bytes with the number of those that they were made of. */
type Decoded = { readonly bytes: Buffer; readonly usedBytes: number };
type Filter = (bytes: Buffer, budget: StreamBudget) => Decoded | undefined;

type Source = { readonly pdf: Buffer; readonly budget: StreamBudget; readonly isEncrypted: boolean };

/**
 * Returns the data of a stream, decoded; undefined if it has other filters, is not well formed, or goes beyond the budget. It ends
 * where its filter says, as `endstream` may stand in it; encrypted data end where their length says.
 */
export function decodeStream(object: PdfObject, { pdf, budget, isEncrypted }: Source): Buffer | undefined {
  const { entries, hasEntryTwice, streamAt = pdf.length } = object;
  // Some readers take these for abbreviations of Filter and DecodeParms; otherwise the first names a file with the data.
  const isClear = !hasEntryTwice && !entries.has('/F') && !entries.has('/DP');
  const filters = readFilters(entries);
  if (!isClear || !filters || budget.input < 0 || budget.output < 0) return undefined;
  const rest = pdf.subarray(streamAt);
  const bytes = isEncrypted || filters.length === 0 ? cutToLength(rest, entries.get('/Length')) : rest;
  const decoded = bytes && applyFilters(bytes, filters, budget);
  // The share that was read before the failure is not known, so all of it counts.
  if (!decoded) budget.input -= bytes?.length ?? 0;
  return decoded;
}

function applyFilters(source: Buffer, filters: readonly Step[], budget: StreamBudget): Buffer | undefined {
  if (filters.length === 0) budget.input -= source.length;
  let bytes = source;
  for (const [index, { decode, parameters }] of filters.entries()) {
    const decoded = decode(bytes, budget);
    const predicted = decoded && undoPredictor(decoded.bytes, parameters);
    if (!predicted) return undefined;
    if (index === 0) budget.input -= decoded.usedBytes;
    budget.output -= decoded.bytes.length;
    bytes = predicted;
  }
  return budget.input < 0 || budget.output < 0 ? undefined : bytes;
}

type Step = { readonly decode: Filter; readonly parameters: Parameters };
type Parameters = ReadonlyMap<string, number>;

function readFilters(entries: PdfObject['entries']): readonly Step[] | undefined {
  const names = toList(entries.get('/Filter') ?? []);
  const parameters = readParameters(entries.get('/DecodeParms') ?? [], names?.length ?? 0);
  const steps = names?.map((name, index) => {
    const decode = FILTERS[name];
    const own = parameters?.[index];
    return decode && own ? { decode, parameters: own } : undefined;
  });
  return steps?.every((step) => step !== undefined) ? steps : undefined;
}

/** Returns the names of one or of an array; undefined for a reference, and for anything else. */
function toList(value: PdfValue): readonly string[] | undefined {
  const names = value[0] === '[' ? value.slice(1, -1) : value;
  const isOfNames = names.every((name) => name[0] === '/') && (value[0] === '[' || names.length <= 1);
  return isOfNames ? names : undefined;
}

/** Returns the parameters of each filter, whose values are numbers; undefined if they cannot be told. */
function readParameters(value: PdfValue, filters: number): readonly Parameters[] | undefined {
  const found: Map<string, number>[] = [];
  const tokens = value[0] === '[' ? value.slice(1, -1) : value;
  for (let at = 0; at < tokens.length; at++) {
    const own = new Map<string, number>();
    found.push(own);
    if (tokens[at] === 'null') continue;
    if (tokens[at] !== '<<') return undefined;
    for (at += 1; tokens[at] !== '>>'; at += 2) {
      const number = Number(tokens[at + 1]);
      if (at >= tokens.length || !Number.isInteger(number) || own.has(tokens[at] ?? '')) return undefined;
      own.set(tokens[at] ?? '', number);
    }
  }
  if (found.length > filters) return undefined;
  return Array.from({ length: filters }, (_, index) => found[index] ?? new Map());
}

/** Returns the data up to their length, where `endstream` follows. */
function cutToLength(bytes: Buffer, length: PdfValue = []): Buffer | undefined {
  const [written = ''] = length;
  if (length.length !== 1 || !/^\d{1,8}$/.test(written)) return undefined;
  const end = Number(written);
  return /^\s{0,2}endstream/.test(bytes.toString('latin1', end, end + 16)) ? bytes.subarray(0, end) : undefined;
}

const ZLIB_HEADER_BYTES = 2;

/** It says itself where it ends, as `endstream` may stand in it; no reader checks its checksum. */
const inflate: Filter = (bytes, { output }) => {
  try {
    const options = { maxOutputLength: Math.max(1, output), finishFlush: constants.Z_SYNC_FLUSH, info: true };
    // The types of Node do not know what `info` changes (nodejs.org/api/zlib.html#class-options).
    const inflated: unknown = inflateRawSync(bytes.subarray(ZLIB_HEADER_BYTES), options);
    const { buffer, engine } = inflated as { buffer: Buffer; engine: InflateRaw };
    return { bytes: buffer, usedBytes: ZLIB_HEADER_BYTES + engine.bytesWritten };
  } catch {
    return undefined;
  }
};

const HEX_END = 0x3e;
const BASE_85_END = 0x7e;

/** Decodes up to the end mark what digits with blanks between them stand for; undefined if there is no end mark. */
const digits =
  (endMark: number, toBytes: (digits: string) => Buffer | undefined): Filter =>
  (bytes, { input }) => {
    const end = bytes.subarray(0, Math.max(0, input)).indexOf(endMark);
    if (end < 0) return undefined;
    const decoded = toBytes(bytes.toString('latin1', 0, end).replace(/[\s\0]/g, ''));
    return decoded && { bytes: decoded, usedBytes: end };
  };

/** An odd last digit counts as if a 0 followed (7.4.2). */
const fromHex = (written: string): Buffer | undefined => {
  const bytes = Buffer.from(written.length % 2 === 0 ? written : `${written}0`, 'hex');
  return bytes.length * 2 >= written.length ? bytes : undefined;
};

/** Five digits of base 85 stand for four bytes, z for four zeros, and the last n + 1 for n (7.4.3). */
function fromBase85(written: string): Buffer | undefined {
  if (/[^!-uz]/.test(written)) return undefined;
  const whole = written.replaceAll('z', '!!!!!');
  const padding = (5 - (whole.length % 5)) % 5;
  if (padding === 4) return undefined;
  const bytes = Buffer.alloc(((whole.length + padding) / 5) * 4);
  for (let group = 0; group * 5 < whole.length; group++) {
    let value = 0;
    for (let at = group * 5; at < group * 5 + 5; at++) {
      value = value * 85 + (at < whole.length ? whole.charCodeAt(at) - 0x21 : 84);
    }
    if (value > 0xffffffff) return undefined;
    bytes.writeUInt32BE(value, group * 4);
  }
  return bytes.subarray(0, bytes.length - padding);
}

// The short names are those of pictures in pages; some readers take them everywhere.
const FILTERS: Readonly<Record<string, Filter>> = {
  '/FlateDecode': inflate,
  '/Fl': inflate,
  '/ASCIIHexDecode': digits(HEX_END, fromHex),
  '/AHx': digits(HEX_END, fromHex),
  '/ASCII85Decode': digits(BASE_85_END, fromBase85),
  '/A85': digits(BASE_85_END, fromBase85),
};

const TIFF_PREDICTOR = 2;
const FIRST_PNG_PREDICTOR = 10;
const MAX_ROW_BYTES = 1 << 20;

/** Returns the bytes as they were before the predictor of a filter (7.4.4.4); undefined if its parameters are impossible. */
function undoPredictor(bytes: Buffer, parameters: Parameters): Buffer | undefined {
  const predictor = parameters.get('/Predictor') ?? 1;
  const [colors, bits, columns] = [
    parameters.get('/Colors') ?? 1,
    parameters.get('/BitsPerComponent') ?? 8,
    parameters.get('/Columns') ?? 1,
  ];
  if (predictor === 1) return bytes;
  const rowBytes = Math.ceil((colors * bits * columns) / 8);
  const pixelBytes = Math.ceil((colors * bits) / 8);
  if (!(colors > 0 && bits > 0 && columns > 0 && rowBytes <= MAX_ROW_BYTES)) return undefined;
  if (predictor >= FIRST_PNG_PREDICTOR) return undoPng(bytes, rowBytes, pixelBytes);
  // Other depths than that of bytes are of pictures.
  return predictor === TIFF_PREDICTOR && bits === 8 ? undoTiff(bytes, rowBytes, pixelBytes) : undefined;
}

function undoTiff(bytes: Buffer, rowBytes: number, pixelBytes: number): Buffer {
  const made = Buffer.from(bytes);
  for (let at = 0; at < made.length; at++) {
    if (at % rowBytes >= pixelBytes) made[at] = (made[at] ?? 0) + (made[at - pixelBytes] ?? 0);
  }
  return made;
}

/** Each row begins with the type of its own predictor (PNG specification, 9). A last row may be cut off. */
function undoPng(bytes: Buffer, rowBytes: number, pixelBytes: number): Buffer | undefined {
  const made = Buffer.alloc(bytes.length);
  let to = 0;
  for (let row = 0; row < bytes.length; row += rowBytes + 1) {
    const type = bytes[row] ?? 0;
    const predict = PNG_PREDICTORS[type];
    if (!predict) return undefined;
    const start = to;
    for (let at = row + 1; at < Math.min(row + 1 + rowBytes, bytes.length); at++, to++) {
      const isFirstPixel = to - start < pixelBytes;
      const left = isFirstPixel ? 0 : (made[to - pixelBytes] ?? 0);
      const above = start === 0 ? 0 : (made[to - rowBytes] ?? 0);
      const aboveLeft = isFirstPixel || start === 0 ? 0 : (made[to - rowBytes - pixelBytes] ?? 0);
      made[to] = (bytes[at] ?? 0) + predict(left, above, aboveLeft);
    }
  }
  return made.subarray(0, to);
}

type Predict = (left: number, above: number, aboveLeft: number) => number;
const PNG_PREDICTORS: readonly Predict[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

function paeth(left: number, above: number, aboveLeft: number): number {
  const estimate = left + above - aboveLeft;
  const [toLeft, toAbove, toBoth] = [left, above, aboveLeft].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toBoth) return left;
  return toAbove <= toBoth ? above : aboveLeft;
}
