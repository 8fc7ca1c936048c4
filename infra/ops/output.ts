import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { toErrorCode } from '../../shared/runtime/system-error.ts';
import type { Call, CommandIo, CommandResult, ExitCode } from './context.ts';

// Names and comments come from anywhere; control characters in them would be commands to a terminal.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ');

const UNPRINTABLE_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\p{Bidi_Control}]/gu;

/** As `printable`, of a text of several lines with tabs. */
export const printableLines = (text: string): string => text.replace(UNPRINTABLE_IN_LINES, ' ');

/** Returns indented JSON, in which also the control characters that JSON allows in texts are escaped. */
const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNPRINTABLE_IN_LINES, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** Returns what a text holds as JSON; undefined if it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Row<Column extends string> = Readonly<Record<Column, string | number | null>>;

/** Returns aligned columns with their names for a person; where stdout is no terminal, a line of tab-separated cells for each row. */
export function textTable<Column extends string>(
  columns: readonly Column[],
  rows: readonly Row<Column>[],
  { stdout }: CommandIo,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(String(row[column] ?? ''))));
  if (!stdout.isTTY) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const table = [columns, ...cells];
  const widths = columns.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => `${lineOf(row).trimEnd()}\n`).join('');
}

/** Returns a table with the keys of the records as columns; nothing if there are no records. */
export const recordTable = (records: readonly Row<string>[], io: CommandIo): string =>
  records.length === 0 ? '' : textTable(Object.keys(records[0] ?? {}), records, io);

const FACT_WIDTH = 24;

/** Returns a line for each fact that is known. */
export const factLines = (facts: Readonly<Record<string, string | number | null | undefined>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name.padEnd(FACT_WIDTH)}${printable(String(value))}\n`)
    .join('');

export const bulleted = (notes: readonly string[]): string => notes.map((note) => `- ${printable(note)}\n`).join('');

/** Returns a count with its noun: `1 order`, `2 orders`. */
export const countText = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** Returns a stream whose `write` resolves once the system has taken the whole text, and rejects if it does not take it. */
export function confirmWrites(stream: Writable & { readonly isTTY?: boolean }): CommandIo['stdout'] {
  ignoreErrors(stream);
  return {
    isTTY: stream.isTTY === true,
    write: (text) =>
      new Promise<void>((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
  };
}

/** Keeps a stream whose reader has gone from ending the process with a stack trace. */
export function ignoreErrors<Stream extends Writable>(stream: Stream): Stream {
  return stream.on('error', () => undefined);
}

const paint = (text: string, { isTTY }: CommandIo['stdout']): string =>
  isTTY && !process.env.NO_COLOR ? styleText(['bold', 'red'], text, { validateStream: false }) : text;

/** Prints the result of a command, and returns its exit code. A reader that has read enough, as `head`, is no failure. */
export async function printResult(
  { document, text, warning, remark, failure }: CommandResult,
  { stdout, stderr, isJson }: Pick<Call, 'stdout' | 'stderr' | 'isJson'>,
): Promise<ExitCode> {
  try {
    const isDocument = isJson || text === undefined;
    if (warning && !isDocument) await stdout.write(paint(printableLines(warning), stdout));
    await stdout.write(isDocument ? `${printableJson(document)}\n` : printableLines(text));
  } catch (error) {
    const code = toErrorCode(error);
    if (code === 'EPIPE') return failure === undefined ? 0 : 1;
    stderr.write(`The result could not be printed (${code}).\n`);
    return 1;
  }
  if (remark && !isJson) stderr.write(`${printableLines(remark)}\n`);
  if (failure) stderr.write(`${printableLines(failure)}\n`);
  return failure === undefined ? 0 : 1;
}
