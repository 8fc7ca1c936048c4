import type { CommandIo } from '../command.ts';

// Names and comments come from anywhere; control characters in them would be commands to a terminal.
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/gu;

export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ');

/** For a person columns under their names; for a program one line for each row, with tabs between and no names. */
export function textTable(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { isTerminal }: CommandIo,
): string {
  const cells = rows.map((row) => row.map(printable));
  if (!isTerminal) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const table = [names, ...cells];
  const widths = names.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => `${lineOf(row).trimEnd()}\n`).join('');
}
