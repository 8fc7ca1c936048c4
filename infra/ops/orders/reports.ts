import * as z from 'zod';
import { namedClients } from '../../../shared/access/clients.ts';
import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { createdOrders } from '../../../shared/order/lists/entries.ts';
import type { Order } from '../../../shared/order/order.ts';
import { type DispensedPieces, findDispensed } from '../../../shared/order/rows/dispensing-rows.ts';
import { formatFolio, sumRefunds } from '../../../shared/order/rules/status.ts';
import { joinName } from '../../../shared/people/person.ts';
import { command } from '../command.ts';
import { type CsvRow, OWNER_ONLY, writeCsv } from '../files.ts';
import { day, flag, path, recordId, refuseReversedDays } from '../input.ts';
import { countText } from '../output.ts';
import { toCreationRange } from './list.ts';

export const ordersExport = command({
  name: 'orders export',
  summary: 'Write the orders that were placed between two days to a CSV file, of all clients or of one',
  example: '--from 2026-11-01 --to 2026-11-30 --out pedidos.csv',
  details: 'Both days are included, and are days of the shop.',
  input: z.object({
    from: day,
    to: day,
    client: recordId.optional(),
    out: path('file'),
    names: flag.describe(
      'add the names of the patient and of who placed the order, in a file that only you may read; without it people are ids',
    ),
  }),
  check: refuseReversedDays,
  async run({ from, to, client, out, names }, { table, business: { timeZone } }) {
    const clients = await namedClients(client, table);
    const range = toCreationRange({ from, to }, timeZone);
    const columns = names ? { ...COLUMNS, ...NAMES } : COLUMNS;
    let written = 0;
    async function* readRows(): AsyncGenerator<CsvRow[]> {
      yield [Object.keys(columns)];
      for (const { id } of clients) {
        for await (const orders of createdOrders(table, id, range)) {
          written += orders.length;
          yield orders.map((order) => Object.values(columns).map((toCell) => toCell(order) ?? ''));
        }
      }
    }
    await writeCsv(out, readRows(), names ? OWNER_ONLY : undefined);
    const document = { from, to, client: client ?? null, orders: written, file: out };
    return { document, text: `Wrote ${countText(written, 'order')} from ${from} to ${to}.\n` };
  },
});

type Columns = Readonly<Record<string, (order: Order) => string | number | null>>;

const COLUMNS: Columns = {
  id: ({ id }) => id,
  folio: ({ id }) => formatFolio(id),
  client: ({ clientId }) => clientId,
  origin: ({ origin }) => origin,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  order_status: ({ orderStatus }) => orderStatus,
  payment_status: ({ paymentStatus }) => paymentStatus,
  payment_method: ({ paymentMethod }) => paymentMethod.id,
  payment_date: ({ paymentDate }) => paymentDate,
  shipping_method: ({ shippingMethod }) => shippingMethod.id,
  store: ({ store }) => store?.id ?? null,
  shipping_date: ({ shippingDate }) => shippingDate,
  receiving_date: ({ receivingDate }) => receivingDate,
  patient: ({ patient }) => patient.id,
  generated_by: ({ generatedBy }) => generatedBy.id,
  lines: ({ lines }) => lines.length,
  coupon: ({ coupon }) => coupon?.code ?? null,
  subtotal: ({ subtotalCents }) => formatCents(subtotalCents),
  discount: ({ discountCents }) => formatCents(discountCents),
  iva: ({ ivaCents }) => formatCents(ivaCents),
  shipping_price: ({ shippingPriceCents }) => formatCents(shippingPriceCents),
  shipping_discount: ({ shippingDiscountCents }) => formatCents(shippingDiscountCents),
  total: ({ totalCents }) => formatCents(totalCents),
  refunded: (order) => formatCents(sumRefunds(order)),
  cfdi: ({ cfdi }) => cfdi,
};

const NAMES: Columns = {
  patient_name: ({ patient }) => joinName(patient),
  generated_by_name: ({ generatedBy }) => joinName(generatedBy),
};

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
  check: ({ from, until }) => refuseReversedDays({ from, to: until }),
  async run(sought, { table, business }) {
    const dispensed = (await findDispensed(sought, table, business.timeZone)).map(toRow);
    const unknown = dispensed.filter(({ lot }) => lot === null).length;
    return {
      document: { product: sought.product, lot: sought.lot ?? null, dispensed },
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
