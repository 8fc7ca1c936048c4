import { writeWhole } from './whole-file.ts';

/** Texts, and numbers that a spreadsheet may compute with. */
export type CsvRow = readonly (string | number)[];

/** Returns rows as CSV (RFC 4180), each with its line end. A text that a spreadsheet would take for a formula is one no more. */
export const toCsv = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

// OWASP ASVS 5.0, 1.2.10: a field that begins so is escaped with a single quote, since quotation marks do not stop a formula.
const FORMULA = /^[=+\-@\t\r\n\0]/;
// A negative amount of money has nothing that could be computed, and is to be added up.
const NEGATIVE_AMOUNT = /^-\d+\.\d{2}$/;
const NEEDS_QUOTES = /[",\r\n]/;

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) && !NEGATIVE_AMOUNT.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Without it Excel takes a file for one of the computer's own code page, and its accents for other letters.
const BYTE_ORDER_MARK = '\ufeff';

/** Writes CSV to a file in UTF-8, as spreadsheets recognize it; for `mode` see `writeWhole`. */
export const writeCsv = (file: string, csv: string, mode?: number): Promise<void> =>
  writeWhole(file, [BYTE_ORDER_MARK, csv], mode);

/** Writes rows as they come, so that a file may be longer than memory; see `writeWhole`. */
export const writeCsvRows = (file: string, parts: AsyncIterable<readonly CsvRow[]>, mode?: number): Promise<void> =>
  writeWhole(file, formatParts(parts), mode);

async function* formatParts(parts: AsyncIterable<readonly CsvRow[]>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  for await (const rows of parts) yield toCsv(rows);
}
