import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { type DispensedPieces, findDispensed } from '../../../shared/order/rows/dispensed-products.ts';
import { formatFolio } from '../../../shared/order/rules/status.ts';
import { joinName } from '../../../shared/people/person.ts';
import { command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { day, recordId } from '../input.ts';
import { countText, textTable } from '../output.ts';

const COLUMNS = [
  'day',
  'order',
  'folio',
  'client',
  'order_status',
  'patient',
  'phone',
  'lot',
  'expiry',
  'quantity',
] as const;

export const ordersRecall = command({
  name: 'orders recall',
  summary: 'List who got a product, to recall it: the pieces of one lot or of all, from their preparation on',
  example: '--product 15 --lot B204 --from 2026-11-01',
  input: z.object({
    product: recordId,
    lot: requiredText(30)
      .optional()
      .meta({ title: 'lot' })
      .describe('this lot, and the pieces whose lot nobody recorded'),
    from: day.optional().describe('dispensed from this day of the shop on'),
    until: day.optional().describe('and until this day'),
  }),
  check({ from = '', until }) {
    if (until !== undefined && until < from) throw new UsageError('--until: It must not be before --from.');
  },
  async run(sought, context) {
    const { table, business } = context;
    const found = await findDispensed(sought, table, business.timeZone);
    const dispensed = found.map(toRow);
    const unknown = dispensed.filter(({ lot }) => lot === null).length;
    return {
      document: { product: sought.product, lot: sought.lot ?? null, dispensed },
      text: textTable(COLUMNS, dispensed, context),
      remark: `${countText(dispensed.length, 'row')}, ${unknown} without a recorded lot.`,
    };
  },
});

/** A patient who was erased has no name and no phone. */
const toRow = ({ order, day, lot, expiry, quantity }: DispensedPieces) => ({
  day,
  order: order.id,
  folio: formatFolio(order.id),
  client: order.clientId,
  order_status: order.orderStatus,
  patient: joinName(order.patient),
  phone: order.sentPerson.phone || order.patient.phone || (order.shipping?.phone ?? ''),
  lot,
  expiry,
  quantity,
});
