import { requiredText } from '../../../shared/api/fields.ts';
import { toMonthInstants } from '../../../shared/domain/working-day.ts';
import { business } from '../../../shared/runtime/config.ts';
import { listDispensings } from '../../../shared/store/orders/prescription-records.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Command, type CommandResult, command } from '../command.ts';
import { flag, month } from '../input.ts';
import { toCsv, writeCsv } from '../terminal/csv.ts';
import { OWNER_ONLY } from '../terminal/whole-file.ts';
import { lacksPrescriber, listLines, type RegisterLine, toRegister } from './register.ts';

const dispensingExport = command({
  name: 'dispensing export',
  effect: 'reads',
  summary: 'Export what was dispensed on prescription in a month as CSV, for the register of the pharmacy',
  example: '--month 2026-11 --antibiotics --out antibioticos-2026-11.csv',
  details: `--antibiotics limits it to these. Without --out it goes to stdout.

`,
  options: {
    month,
    antibiotics: flag,
    out: requiredText(4_096).meta({ title: 'file' }).optional(),
  },
  async run({ month, antibiotics, out }) {
    const { timeZone } = business();
    const dispensings = await listDispensings(openTable(), toMonthInstants(month, timeZone));
    const lines = listLines(dispensings, timeZone).filter((line) => !antibiotics || line.is_antibiotic);
    const csv = toCsv(toRegister(lines));
    if (out === undefined) return exported({ month, lines }, csv);
    await writeCsv(out, csv, OWNER_ONLY);
    return exported({ month, lines, file: out }, `${countText(lines)} of ${month} in ${out}.\n`);
  },
});

type Export = { readonly month: string; readonly lines: readonly RegisterLine[]; readonly file?: string };

function exported(document: Export, text: string): CommandResult {
  const lacking = document.lines.filter(lacksPrescriber).length;
  const remark =
    `${lacking} of the antibiotics lack the prescriber's name, licence or address; ` +
    'orders verify-prescription records them.';
  return { document, text, remark: lacking > 0 ? remark : undefined };
}

const countText = ({ length }: readonly unknown[]): string => (length === 1 ? '1 line' : `${length || 'No'} lines`);

export const dispensingCommands: readonly Command[] = [dispensingExport];
