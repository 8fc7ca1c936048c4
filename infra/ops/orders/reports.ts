import * as z from 'zod';
import type { ClientRecord } from '../../../shared/access/clients.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import {
  addUpOrders,
  countTimes,
  type Figures,
  type OrderFigures,
  PERIOD_KINDS,
  spreadTimes,
} from '../../../shared/order/lists/figures.ts';
import { createdOrders } from '../../../shared/order/lists/sources.ts';
import type { Order } from '../../../shared/order/order.ts';
import { formatFolio, sumRefunds } from '../../../shared/order/rules/status.ts';
import { joinName } from '../../../shared/people/person.ts';
import { namedClients } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import type { CommandIo } from '../context.ts';
import { UsageError } from '../errors.ts';
import { type CsvRow, OWNER_ONLY, writeCsv } from '../files.ts';
import { day, flag, path, recordId, refuseReversedDays } from '../input.ts';
import { countText, recordTable } from '../output.ts';
import { toCreationRange } from './list.ts';

export const ordersFigures = command({
  name: 'orders figures',
  summary: 'Add up orders and turnover by day or hour, by status, and the minutes to approval and shipment',
  example: '--from 2026-11-01 --to 2026-11-30',
  details: 'Both days are included, 92 at most. --json has the figures by status and of the whole time.\n\n',
  input: z.object({ from: day, to: day, client: recordId.optional(), by: z.enum(PERIOD_KINDS).default('day') }),
  check: refuseDays,
  async run({ from, to, client, by }, context) {
    const { table } = context;
    const { timeZone } = context.business;
    const clients = await namedClients(client, table);
    const figures = await addUpOrders({ from, to, by, timeZone, clientIds: clients.map(({ id }) => id) }, table);
    const asked = { from, to, by, time_zone: timeZone, client: client ?? null };
    const document = { ...asked, ...represent(figures), clients: representClients(clients, figures) };
    return { document, text: figuresText(document, context) };
  },
});

const MOST_DAYS = 92;
const DAY_MS = 24 * 60 * 60 * 1_000;

function refuseDays({ from, to }: { readonly from: string; readonly to: string }): void {
  refuseReversedDays({ from, to });
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days > MOST_DAYS) throw new UsageError(`--to: From --from on there may be ${MOST_DAYS} days, not ${days}.`);
}

const represent = ({ total, periods }: OrderFigures) => ({
  total: {
    ...representFigures(total),
    approval_times: countTimes(total.minutesToApproval),
    shipment_times: countTimes(total.minutesToShipment),
  },
  periods: periods.map(({ figures, ...period }) => ({ ...period, ...representFigures(figures) })),
});

/** Returns the figures of each client; both lists have one order. */
const representClients = (clients: readonly ClientRecord[], figures: OrderFigures) =>
  figures.clients.map(({ id, figures: { orders, turnoverCents } }, index) => {
    return { id, name: clients[index]?.name ?? '', orders, turnover_cents: turnoverCents };
  });

const representFigures = (figures: Figures) => ({
  orders: figures.orders,
  turnover_cents: figures.turnoverCents,
  cancelled_cents: figures.cancelledCents,
  order_status: Object.fromEntries(figures.byOrderStatus),
  payment_status: Object.fromEntries(figures.byPaymentStatus),
  minutes_to_approval: spreadTimes(figures.minutesToApproval),
  minutes_to_shipment: spreadTimes(figures.minutesToShipment),
});

/** Returns a row for each period and one for all of them; minutes are medians, or not exceeded by nine of ten orders. */
const figuresText = ({ periods, total }: ReturnType<typeof represent>, io: CommandIo): string =>
  recordTable([...periods, { ...total, start: 'total' }].map(toPeriodRow), io);

type Summed = ReturnType<typeof representFigures> & { readonly start: string };

const toPeriodRow = ({ start, orders, minutes_to_approval, minutes_to_shipment, ...sums }: Summed) => ({
  start,
  orders,
  turnover: formatCents(sums.turnover_cents),
  cancelled: formatCents(sums.cancelled_cents),
  approved: minutes_to_approval.count,
  approval_min: minutes_to_approval.median,
  approval_p90: minutes_to_approval.p90,
  shipped: minutes_to_shipment.count,
  shipment_min: minutes_to_shipment.median,
  shipment_p90: minutes_to_shipment.p90,
});

export const ordersExport = command({
  name: 'orders export',
  summary: 'Write the orders that were placed between two days to a CSV file, of all clients or of one',
  example: '--from 2026-11-01 --to 2026-11-30 --out pedidos.csv',
  details: 'Both days are included, and are days of the shop.\n',
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
