import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandRefusal } from './errors.ts';
import { interruptSignal } from './prompt.ts';

/** The rights of a file that names people. */
export const OWNER_ONLY = 0o600;

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was. Throws a CommandRefusal that names the file if it cannot be written.
 */
export async function writeWhole(
  file: string,
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string>,
  mode?: number,
): Promise<void> {
  const signal = interruptSignal();
  const former = await stat(file).catch(() => undefined);
  // A rename would replace a device.
  if (former && !former.isFile()) throw new CommandRefusal(`${file} cannot be written: it is no file.`);
  const part = `${file}.${process.pid}.part`;
  try {
    await writeFile(part, chunks, { flag: 'wx', mode, signal });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    signal.throwIfAborted();
    const { syscall, code } = Object(error);
    if (!FILE_CALLS.includes(syscall)) throw error;
    throw new CommandRefusal(`${file} cannot be written (${code}).`, { cause: error });
  }
}

const FILE_CALLS: readonly unknown[] = ['open', 'write', 'rename'];

export type CsvRow = readonly (string | number)[];

/** Returns rows as CSV (RFC 4180), each with its line end. A text that a spreadsheet would take for a formula is one no more. */
export const toCsv = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

// OWASP ASVS 5.0, 1.2.10: a field that begins so is escaped with a single quote, since quotation marks do not stop a formula.
// The signs of full width are those of some keyboards, which spreadsheets read as well.
const FORMULA = /^(?:[\s\0"]*[=+\-@＝＋－＠]|[\t\r\n\0])/;
// A spreadsheet whose separator is another one (the semicolon, where the decimal sign is a comma) sees no quotation marks that
// begin within its fields: what follows any separator or line end is a field to it, and of `""=1` it makes `=1`.
const FORMULA_INSIDE = /([,;\t\r\n])(?=(?:[^\S\t\r\n]|[\0"])*[=+\-@＝＋－＠])/g;
// A negative amount of money has nothing that could be computed, and is to be added up.
const NEGATIVE_AMOUNT = /^-\d+\.\d{2}$/;
const NEEDS_QUOTES = /[",\r\n]/;

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = NEGATIVE_AMOUNT.test(value) ? value : escapeFormulas(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const escapeFormulas = (text: string): string =>
  `${FORMULA.test(text) ? "'" : ''}${text.replace(FORMULA_INSIDE, "$1'")}`;

// Without it Excel takes a file for one of the computer's own code page, and its accents for other letters.
const BYTE_ORDER_MARK = '\ufeff';

type Parts = Iterable<readonly CsvRow[]> | AsyncIterable<readonly CsvRow[]>;

/** Writes rows as CSV in UTF-8 as they come, so that a file may be longer than memory. */
export const writeCsv = (file: string, parts: Parts, mode?: number): Promise<void> =>
  writeWhole(file, formatParts(parts), mode);

async function* formatParts(parts: Parts): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  for await (const rows of parts) yield toCsv(rows);
}
