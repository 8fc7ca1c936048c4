import type { CommandIo } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';
import type { RecordChange } from './compare-versions.ts';

const SHOWN = 50;

/** Returns a table of the records that differ, of the first 50 of them. */
export function recordsText(records: readonly RecordChange[], io: CommandIo): string {
  if (records.length === 0) return '';
  const rows = records.slice(0, SHOWN).map(({ kind, key, change, name, fields }) => ({
    change,
    kind,
    id: key,
    name,
    fields: fields.join(' '),
  }));
  const rest = records.length - rows.length;
  const more = rest > 0 ? `${rest} more, which --json lists.\n` : '';
  return `\n${textTable(['change', 'kind', 'id', 'name', 'fields'], rows, io)}${more}`;
}
