import type { CommandIo } from '../command.ts';

// Names and comments come from anywhere; control characters in them would be commands to a terminal.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ');

const UNPRINTABLE_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\p{Bidi_Control}]/gu;

/** As `printable`, of a text of several lines with tabs. */
export const printableLines = (text: string): string => text.replace(UNPRINTABLE_IN_LINES, ' ');

/** Returns indented JSON, in which also the control characters that JSON allows in texts are escaped. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNPRINTABLE_IN_LINES, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

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
