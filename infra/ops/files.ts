import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CommandRefusal } from './errors.ts';
import { interruptSignal } from './prompt.ts';

/** The rights of a file that names people. */
export const OWNER_ONLY = 0o600;

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was. `mode` has the rights of the new file; without it an older one's are kept. Throws a CommandRefusal
 * that names the file if it cannot be written.
 */
export async function writeWhole(file: string, chunks: Chunks, mode?: number): Promise<void> {
  const signal = interruptSignal();
  const former = await stat(file).catch(() => undefined);
  if (former && !former.isFile())
    throw new CommandRefusal(`${file} cannot be written (${former.isDirectory() ? 'EISDIR' : 'it is no file'}).`);
  // A link stays, and what it leads to is replaced.
  const target = former ? await realpath(file) : file;
  const part = `${target}.${process.pid}.part`;
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new CommandRefusal(`${file} cannot be written (${error.code}).`, { cause: error });
  };
  try {
    const handle = await open(part, 'wx', mode ?? (former && former.mode & 0o777)).catch(refuse);
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await handle.writeFile(chunk).catch(refuse);
      }
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    await rename(part, target).catch(refuse);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

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
