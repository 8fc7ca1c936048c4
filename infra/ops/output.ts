import { styleText } from 'node:util';
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

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Stdout = CommandIo['stdout'];
type Records = readonly Readonly<Record<string, unknown>>[];

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isRecords = (value: unknown): value is Records =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** Returns a value in one line: `yes`, `xml, pdf`, `street Durango, zipcode 06700`; what is null, false or empty has no text. */
function cellText(value: unknown): string {
  if (value === true) return 'yes';
  if (Array.isArray(value)) return joinTexts(value.map(cellText), isRecords(value) ? '; ' : ', ');
  if (!isRecord(value)) return value === false ? '' : printable(String(value ?? ''));
  const named = Object.entries(Object(value)).map(([name, part]) => [name, cellText(part)] as const);
  return named.flatMap(([name, text]) => (text ? `${printable(name)} ${text}` : [])).join(', ');
}

const joinTexts = (texts: readonly string[], separator: string): string => texts.filter(Boolean).join(separator);

/**
 * Returns aligned columns with their names for a person, without those that no row fills; where stdout is no terminal, a line of
 * tab-separated cells for each row.
 */
export function textTable(columns: readonly string[], rows: Records, { isTTY }: Stdout): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])));
  if (!isTTY) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const filled = columns.map((_, at) => at).filter((at) => cells.some((row) => row[at]));
  const table = [columns, ...cells].map((row) => filled.map((at) => row[at] ?? ''));
  const widths = filled.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

const FACT_WIDTH = 24;

export const factLines = (facts: object): string =>
  Object.entries(facts)
    .map(([name, value]) => [name, cellText(value)] as const)
    .map(([name, text]) => (text ? `${name.padEnd(FACT_WIDTH)}${text}\n` : ''))
    .join('');

/**
 * Returns a document for a person: a line for each fact, then its lists of records as tables under their names. With `columns`
 * it has the lists alone, and of them these columns.
 */
export function documentText(document: unknown, stdout: Stdout, columns?: readonly string[]): string {
  const entries = Object.entries(Object(document));
  const lists = entries.filter((entry): entry is [string, Records] => isRecords(entry[1]));
  if (columns) return lists.map(([, records]) => textTable(columns, records, stdout)).join('\n');
  const facts = factLines(Object.fromEntries(entries.filter(([, value]) => !isRecords(value))));
  const isAlone = facts === '' && lists.length === 1;
  const tables = lists.map(([name, records]) => {
    const table = textTable(Object.keys(Object.assign({}, ...records)), records, stdout);
    return isAlone ? table : `${name}\n${table}`;
  });
  return joinTexts([facts, ...tables], '\n');
}

export const bulleted = (notes: readonly string[]): string => notes.map((note) => `- ${printable(note)}\n`).join('');

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const paint = (text: string, { isTTY }: Stdout): string =>
  isTTY && !process.env.NO_COLOR ? styleText(['bold', 'red'], text, { validateStream: false }) : text;

/** Prints the result of a command, and returns its exit code. */
export function printResult(
  { document, columns, text, warning, remark, failure }: CommandResult,
  { stdout, stderr, isJson }: Pick<Call, 'stdout' | 'stderr' | 'isJson'>,
): ExitCode {
  if (warning && !isJson) stdout.write(paint(printableLines(warning), stdout));
  const toText = () => printableLines(text ?? documentText(document, stdout, columns));
  stdout.write(isJson ? `${printableJson(document)}\n` : toText() || (stdout.isTTY && !remark ? 'None.\n' : ''));
  if (remark && !isJson) stderr.write(`${printableLines(remark)}\n`);
  if (failure) stderr.write(`${printableLines(failure)}\n`);
  return failure === undefined ? 0 : 1;
}
