import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import type { FolderError } from './record-lines.ts';

/** A line of a CSV file under the header: its cells that are not empty, by column. */
export type CsvRow = { readonly line: number; readonly cells: ReadonlyMap<string, string> };

export type CsvRows = {
  /** The name of the file, for errors. */
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
  readonly errors: readonly FolderError[];
};

/**
 * Reads a CSV file as spreadsheets write it: UTF-8 with or without a byte order mark, commas or semicolons, quotes, LF or
 * CRLF. Blanks around a cell are taken off, and lines without any text are skipped. What follows a quotation mark that is
 * out of place cannot be told apart, so the rows end there.
 */
export function readCsvRows(path: string): CsvRows {
  const file = basename(path);
  const fault = (line: number, field: string, message: string): CsvRows => {
    return { file, columns: [], rows: [], errors: [{ file, line, field, message }] };
  };
  const text = readText(path);
  if (text === undefined) return fault(0, '', 'The file cannot be read.');
  if (text.includes('\uFFFD')) return fault(toLine(text, text.indexOf('\uFFFD')), '', NOT_UTF_8);
  const { lines, error } = parseLines(text);
  const [header, ...rows] = lines;
  const columns = header?.cells ?? [];
  const broken = error && { file, line: error.line, field: columns[error.column] ?? '', message: error.message };
  if (columns.length === 0) return fault(1, '', broken?.message ?? 'The file has no header with the names of fields.');
  const wrong = rows.filter(({ cells }) => cells.length !== columns.length);
  return {
    file,
    columns,
    rows: rows
      .filter((row) => !wrong.includes(row))
      .map(({ line, cells }) => ({ line, cells: byColumn(columns, cells) })),
    errors: [
      ...wrong.map(({ line, cells }) => {
        return { file, line, field: '', message: `The line has ${count(cells)}, and the header ${columns.length}.` };
      }),
      ...(broken ? [broken] : []),
    ],
  };
}

const NOT_UTF_8 = 'The file is not UTF-8: save it as "CSV UTF-8".';

// The decoder takes a byte order mark off.
function readText(path: string): string | undefined {
  try {
    return new TextDecoder().decode(readFileSync(path)).replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}

const toLine = (text: string, at: number): number => text.slice(0, at).split('\n').length;

type CsvLine = { readonly line: number; readonly cells: readonly string[] };
type CsvFault = { readonly line: number; readonly column: number; readonly message: string };

function parseLines(text: string): { lines: CsvLine[]; error?: CsvFault } {
  const lines: CsvLine[] = [];
  let last = 0;
  const on_record = (cells: string[], info: { readonly lines: number }) => {
    last = info.lines;
    // A cell in quotes may hold line ends; the parser counts up to the last line of a record.
    const line = last - (cells.join('').split('\n').length - 1);
    if (cells.some((cell) => cell.trim() !== '')) lines.push({ line, cells: cells.map((cell) => cell.trim()) });
    return null;
  };
  try {
    parse(text, { delimiter: chooseDelimiter(text), relax_column_count: true, record_delimiter: '\n', on_record });
    return { lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const line = isOpen ? last + 1 : Number(error.lines);
    return { lines, error: { line, column: Number(error.column), message: isOpen ? OPEN_QUOTE : STRAY_QUOTE } };
  }
}

const OPEN_QUOTE = 'The cell begins with a quotation mark that is not closed.';
const STRAY_QUOTE = 'The cell has a quotation mark inside, which must be doubled in a cell in quotes.';

// Names of fields have neither; Excel writes semicolons where the comma is the decimal sign.
const chooseDelimiter = (text: string): string => (/^[^\n,]*;/.test(text) ? ';' : ',');

const count = ({ length }: readonly string[]): string => (length === 1 ? '1 cell' : `${length} cells`);

function byColumn(columns: readonly string[], cells: readonly string[]): Map<string, string> {
  const pairs = columns.map((column, at) => [column, cells[at] ?? ''] as const);
  return new Map(pairs.filter(([, cell]) => cell !== ''));
}
