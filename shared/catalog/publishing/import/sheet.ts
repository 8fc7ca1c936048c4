import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { CsvError, parse } from 'csv-parse/sync';
import { type CellValue, readXlsx } from 'hucre/xlsx';
import { decodeText } from '../../../domain/text.ts';
import { toErrorCode } from '../../../runtime/log.ts';
import type { FolderError } from '../folder/record-lines.ts';

/** A trimmed text, '' for an empty cell, or a number of a workbook. Dates are texts, `2026-11-29`. */
export type Cell = string | number;

/** `line` is the row's number in the file. */
export type SheetRow = { readonly line: number; readonly cells: readonly Cell[] };

/** The rows of a spreadsheet that have a text; `file` also names the sheet of a workbook. */
export type Sheet = {
  readonly file: string;
  readonly rows: readonly SheetRow[];
  readonly errors: readonly FolderError[];
};

// 50,000 products take 20 MB. A workbook of 600 kB can unpack to 600 MB, for which no heap is large enough.
const MAX_BYTES = 50_000_000;

/**
 * Reads a CSV file (UTF-8, UTF-16 or Windows-1252; commas, semicolons or tabs) or a sheet of an .xlsx file: the one that is
 * named, or the first that shows. What a file is, its bytes decide.
 */
export async function readSheet(path: string, name?: string): Promise<Sheet> {
  const file = basename(path);
  const fault = (message: string): Sheet => ({ file, rows: [], errors: [{ file, line: 0, field: '', message }] });
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) return fault(TOO_LARGE);
    if (bytes.toString('latin1', 0, 2) === 'PK') return await readWorkbook(bytes, file, name);
    if (bytes.toString('hex', 0, 4) === 'd0cf11e0') return fault(OLD_EXCEL);
    const text = decodeCsv(bytes);
    if (text === undefined) return fault('It is neither a CSV file nor an .xlsx workbook.');
    return readCsv(text.replaceAll(/\r\n?/g, '\n'), file);
  } catch (error) {
    if (error instanceof UnreadableWorkbook) return fault(error.message);
    return fault(`The file cannot be read (${toErrorCode(error)}).`);
  }
}

const TOO_LARGE = 'It has more than 50 MB, unpacked if it is a workbook: import its sheets one by one, as CSV.';
const OLD_EXCEL = 'It is a workbook of Excel 97 to 2003, or has a password: save it as .xlsx without one, or as CSV.';

const DAMAGED = 'It is no .xlsx workbook, or a damaged one: save it anew.';

class UnreadableWorkbook extends Error {}

async function readWorkbook(bytes: Buffer, file: string, name: string | undefined): Promise<Sheet> {
  refuseLarge(bytes);
  const names: string[] = [];
  let chosen: string | undefined;
  const { sheets } = await readXlsx(bytes, {
    sheets: (sheet) => {
      names.push(sheet.name);
      const isWanted = name === undefined ? !sheet.hidden && !sheet.veryHidden : sheet.name === name;
      if (!isWanted || chosen !== undefined) return false;
      chosen = sheet.name;
      return true;
    },
  }).catch((cause: unknown) => {
    throw new UnreadableWorkbook(DAMAGED, { cause });
  });
  const [sheet] = sheets;
  if (!sheet) throw new UnreadableWorkbook(`It has no sheet ${name ?? ''}; there are ${names.join(', ')}.`);
  const width = sheet.rows.reduce((widest, { length }) => Math.max(widest, length), 0);
  const rows = sheet.rows.map((row, at) => {
    return { line: at + 1, cells: Array.from({ length: width }, (_, column) => toCell(row[column] ?? null)) };
  });
  return { file: `${file} ${sheet.name}`, rows: rows.filter(hasText), errors: [] };
}

const hasText = ({ cells }: SheetRow): boolean => cells.some((cell) => cell !== '');

function toCell(value: CellValue): Cell {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.toISOString().slice(0, 'YYYY-MM-DD'.length);
  return value === null ? '' : toText(String(value));
}

// `="0012"` is how a text keeps its zeros in a CSV file that a spreadsheet opens.
const toText = (text: string): string => text.trim().replace(/^="([^"]*)"$/, '$1');

/** Throws UnreadableWorkbook if the files of a ZIP archive unpack to more than the maximum, whatever its directory says. */
function refuseLarge(bytes: Buffer): void {
  try {
    const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    let entry = bytes.readUInt32LE(end + 16);
    let left = MAX_BYTES;
    for (let files = bytes.readUInt16LE(end + 10); files > 0; files -= 1) {
      left -= measureUnpacked(bytes, entry, left);
      entry += 46 + bytes.readUInt16LE(entry + 28) + bytes.readUInt16LE(entry + 30) + bytes.readUInt16LE(entry + 32);
    }
  } catch (cause) {
    throw new UnreadableWorkbook(toErrorCode(cause) === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : DAMAGED, { cause });
  }
}

/** Returns the true size of the file of an entry of the directory; throws ERR_BUFFER_TOO_LARGE above `most`. */
function measureUnpacked(bytes: Buffer, entry: number, most: number): number {
  const [packed, stated] = [bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 24)];
  const local = bytes.readUInt32LE(entry + 42);
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const isStored = bytes.readUInt16LE(entry + 10) === 0;
  const size = Math.max(stated, isStored ? packed : 0);
  if (size > most) throw Object.assign(new RangeError(TOO_LARGE), { code: 'ERR_BUFFER_TOO_LARGE' });
  if (isStored || packed === 0) return size;
  return inflateRawSync(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, most) }).length;
}

/** Returns undefined for bytes that are no text. What is not UTF-8 is Windows-1252, which Excel writes by default in Mexico. */
function decodeCsv(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'feff' || (bytes[0] === 0 && bytes[1] !== 0)) return new TextDecoder('utf-16be').decode(bytes);
  if (mark === 'fffe' || (bytes[1] === 0 && bytes[0] !== 0)) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes.includes(0)) return undefined;
  return decodeText(bytes)?.replace(/^\uFEFF/, '') ?? new TextDecoder('windows-1252').decode(bytes);
}

const OPEN_QUOTE = 'A cell begins with a quotation mark that is not closed.';

/** Reads CSV with LF as its line end. After a quotation mark that is not closed nothing can be told apart: the rows end there. */
function readCsv(text: string, file: string): Sheet {
  const rows: SheetRow[] = [];
  let last = 0;
  const on_record = (texts: string[], info: { readonly lines: number }) => {
    last = info.lines;
    // Quoted cells may contain line ends; the parser counts up to a record's last line.
    const row = { line: last - (texts.join('').split('\n').length - 1), cells: texts.map(toText) };
    if (hasText(row)) rows.push(row);
    return null;
  };
  const [mark = '', separator] = /^sep=([,;\t|])(?=\n)/i.exec(text) ?? [];
  const delimiter = separator ?? chooseDelimiter(text);
  const options = { delimiter, relax_column_count: true, relax_quotes: true, record_delimiter: '\n', on_record };
  try {
    parse(text.slice(mark.length), options);
    return { file, rows, errors: [] };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { file, rows, errors: [{ file, line: last + 1, field: '', message: OPEN_QUOTE }] };
  }
}

const SAMPLE_LINES = 50;

/** Returns the separator that stands equally often in most of the first lines; amounts and texts have commas too. */
function chooseDelimiter(text: string): string {
  const lines = text.split('\n', SAMPLE_LINES).map((line) => line.replaceAll(/"[^"]*"/g, ''));
  const score = (separator: string): number => {
    const counts = Map.groupBy(lines, (line) => line.split(separator).length - 1);
    return Math.max(...[...counts].map(([count, same]) => count * same.length));
  };
  return [';', '\t', ','].reduce((best, other) => (score(other) > score(best) ? other : best));
}
