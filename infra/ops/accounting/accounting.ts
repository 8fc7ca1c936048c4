import { requiredText } from '../../../shared/api/fields.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Command, command } from '../command.ts';
import { month } from '../input.ts';
import { type CsvRow, toCsv, writeCsv } from '../terminal/csv.ts';
import type { AccountingRow } from './accounting-rows.ts';
import { readMonth } from './read-month.ts';

const COLUMNS = [
  'order',
  'folio',
  'kind',
  'uuid',
  'status',
  'stamped_on',
  'cancelled_on',
  'base_0',
  'base_8',
  'iva_8',
  'base_16',
  'iva_16',
  'shipping',
  'discount',
  'total',
  'paid_on',
  'payment_form',
  'payment_method',
  'related_uuid',
  'complement_uuid',
] as const satisfies readonly (keyof AccountingRow)[];

const toTable = (rows: readonly AccountingRow[]): CsvRow[] => [
  COLUMNS,
  ...rows.map((row) => COLUMNS.map((column) => row[column])),
];

const accountingExport = command({
  name: 'accounting export',
  effect: 'reads',
  summary: 'Export the tax documents of a month, and its paid orders without one, as CSV for an accountant',
  example: '--month 2026-11 --out contabilidad-2026-11.csv',
  details: 'Without --out it goes to stdout.\n\n',
  options: { month, out: requiredText(4_096).meta({ title: 'file' }).optional() },
  async run({ month, out }) {
    const { timeZone } = business();
    const rows = await readMonth(openTable(), { month, timeZone });
    const csv = toCsv(toTable(rows));
    if (out === undefined) return { document: { month, rows }, text: csv };
    await writeCsv(out, csv);
    return { document: { month, rows, file: out }, text: `${rows.length} rows of ${month} in ${out}.\n` };
  },
});

export const accountingCommands: readonly Command[] = [accountingExport];
