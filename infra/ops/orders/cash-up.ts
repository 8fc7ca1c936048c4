import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { formatDifference } from '../../../shared/domain/money.ts';
import { dayAfter, localDate, toInstant } from '../../../shared/domain/working-day.ts';
import { type TillRow, tillRows } from '../../../shared/order/rows/till-rows.ts';
import { command } from '../command.ts';
import { day, recordId } from '../input.ts';
import { textTable } from '../output.ts';

const COLUMNS = ['form', 'by', 'store', 'paid', 'refunded'] as const;

export const ordersCashUp = command({
  name: 'orders cash-up',
  summary: 'Add up what was paid and given back on a day of the shop, by form of payment, person and store',
  example: '--day 2026-11-23 --store 1',
  input: z.object({
    day: day.optional().describe('today by default'),
    store: recordId.optional().describe('only orders that are collected at this store, by its id'),
    by: requiredText(300)
      .optional()
      .meta({ title: 'name' })
      .describe('only what this person recorded, as a history names them, or provider'),
  }),
  async run({ day, store, by }, context) {
    const { table, now, business } = context;
    const { timeZone } = business;
    const date = day ?? localDate(now, timeZone);
    const startOf = (date: string) => toInstant(date, '00:00', timeZone);
    const all = await tillRows(table, { from: startOf(date), until: startOf(dayAfter(date)) });
    const found = all.filter((row) => (store ?? row.store?.id) === row.store?.id && (by ?? row.by) === row.by);
    const stores = new Map(found.flatMap(({ store }) => (store ? [[store.id, store.name] as const] : [])));
    const groups = Map.groupBy(found, (row) => [row.form, row.by, row.store?.id ?? ''].join('\t'));
    const rows = [...groups.keys()].sort().map((key) => addUp(groups.get(key) ?? []));
    const sums = sumRows(found);
    return {
      document: { day: date, rows, ...sums, stores: [...stores].map(([id, name]) => ({ id, name })) },
      text: textTable(COLUMNS, rows, context),
      remark: `Paid ${sums.paid}, given back ${sums.refunded}.`,
    };
  },
});

const addUp = (group: readonly TillRow[]) => {
  const { form = '', by = '', store = null } = group[0] ?? {};
  return { form, by, store: store?.id ?? null, ...sumRows(group) };
};

const sumRows = (rows: readonly TillRow[]) => ({
  paid: formatDifference(rows.reduce((sum, { paidCents }) => sum + paidCents, 0)),
  // Negative on a day on which more failed than went back.
  refunded: formatDifference(rows.reduce((sum, { refundedCents }) => sum + refundedCents, 0)),
});
