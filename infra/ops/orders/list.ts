import * as z from 'zod';
import { existingClient } from '../../../shared/access/clients.ts';
import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { dayAfter, localDate, toInstant } from '../../../shared/domain/working-day.ts';
import { type CreationRange, WHOLE_VIEW } from '../../../shared/order/lists/delivery-delays.ts';
import { type FoundOrders, findOrders } from '../../../shared/order/lists/find-orders.ts';
import { latestOrders } from '../../../shared/order/lists/order-page.ts';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES, summarizeOrder } from '../../../shared/order/lists/queue.ts';
import { formatFolio, ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { findWaits, isDueOn } from '../../../shared/order/rules/waits.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { day, flag, recordId, refuseReversedDays, upTo } from '../input.ts';
import { countText } from '../output.ts';

export const orderStatus = z.enum(ORDER_STATUSES).meta({ title: 'order_status' }).describe(ORDER_STATUSES.join(', '));
export const paymentStatus = z
  .enum(PAYMENT_STATUSES)
  .meta({ title: 'payment_status' })
  .describe(PAYMENT_STATUSES.join(', '));

const listInput = z.object({
  text: requiredText(200).optional().describe('a folio, an e-mail, a phone or a name'),
  client: recordId.optional(),
  status: orderStatus.optional(),
  payment: paymentStatus.optional(),
  refundDue: flag,
  patient: recordId.optional().describe('the orders of this patient of --client'),
  from: day.optional().describe('the orders that were placed from this day of the shop on, newest first'),
  to: day.optional().describe('and until this day'),
  limit: upTo(5_000, '20'),
});
type ListInput = z.output<typeof listInput>;

export const ordersList = command({
  name: 'orders list',
  summary:
    'List the open orders of all clients, the oldest first; the latest of a client, of a patient or between two days, the newest first; or those that one text finds: a folio or id, or the e-mail, phone or name of a patient',
  example: '"luz mora"',
  details: 'Each word may stand anywhere in the name, without regard to case and accents. Ten digits are a phone.',
  positional: ['text'],
  input: listInput,
  oneOf: { names: ['text', 'patient'], isRequired: false },
  check: refuseMisfits,
  async run(input, context) {
    const { client, status: orderStatus, payment: paymentStatus, refundDue, limit } = input;
    const { table, business } = context;
    if (client !== undefined) await existingClient(client, table);
    if (isSearch(input)) {
      const range = toCreationRange(input, business.timeZone);
      return toResult(await findOrders(table, input, { range, limit }), context);
    }
    if (refundDue) return toResult(await listRefundsDue(table, { clientId: client, limit }), context);
    if (client !== undefined) {
      const wanted = { clientId: client, viewer: 'client', orderStatus, paymentStatus, limit } as const;
      const { orders, count } = await latestOrders(table, wanted);
      return toResult({ orders: orders.map(summarizeOrder), hasMore: count > orders.length }, context);
    }
    const statuses = orderStatus ? [orderStatus] : OPEN_STATUSES;
    return toResult(await listOpenOrders(table, { statuses, paymentStatus, limit }), context);
  },
});

const isSearch = ({ text, patient, from, to }: ListInput): boolean =>
  [text, patient, from, to].some((criterion) => criterion !== undefined);

function refuseMisfits(input: ListInput): void {
  const { client, status, payment, refundDue, patient } = input;
  refuseReversedDays(input);
  if (patient !== undefined && client === undefined) throw new UsageError('--patient: It needs --client.');
  if (isSearch(input) && (refundDue || (status ?? payment)))
    throw new UsageError('--status, --payment and --refund-due: They go with --client alone, or with nothing.');
  if (refundDue && (status ?? payment))
    throw new UsageError('--refund-due: It goes with neither --status nor --payment.');
  if (client === undefined && status && !OPEN_STATUSES.includes(status))
    throw new UsageError(`--status: Without --client it must be one of: ${OPEN_STATUSES.join(', ')}.`);
}

/** Returns the range of days of the shop, both included; an instant comes before the keys of its orders. */
export function toCreationRange({ from, to }: Pick<ListInput, 'from' | 'to'>, timeZone: string): CreationRange {
  const startOf = (date: string) => toInstant(date, '00:00', timeZone).toISOString();
  return {
    from: from === undefined ? WHOLE_VIEW.from : startOf(from),
    until: to === undefined ? WHOLE_VIEW.until : startOf(dayAfter(to)),
  };
}

const WHEN = ['is_due', 'due_at', 'waits_for'] as const;
const COLUMNS = ['id', 'folio', 'client', 'created_at', 'order_status', 'payment_status', 'patient', 'total', ...WHEN];

const toResult = (list: FoundOrders, context: Context) => ({
  document: {
    orders: listOrders(list, context),
    has_more: list.hasMore,
    found_by: list.foundBy ?? null,
    is_too_common: list.isTooCommon === true,
  },
  columns: COLUMNS,
  remark: describeCount(list),
});

const MINUTE_MS = 60_000;

export type ListedOrder = ReturnType<typeof listOrders>[number];

export function listOrders({ orders }: Pick<FoundOrders, 'orders'>, { now, business: { timeZone } }: Context) {
  const today = localDate(now, timeZone);
  return orders.map((order) => {
    const { id, clientId, createdAt, orderStatus, paymentStatus, patient, totalCents, dueAt, store = null } = order;
    const waits = findWaits(order.waits, today);
    return {
      id,
      folio: formatFolio(id),
      client: clientId,
      created_at: createdAt,
      order_status: orderStatus,
      payment_status: paymentStatus,
      patient,
      condition: order.condition === true,
      comment: order.comment === true,
      note: order.note === true,
      store,
      total: formatCents(totalCents),
      age_minutes: Math.floor((now.getTime() - Date.parse(createdAt)) / MINUTE_MS),
      waits_for: waits,
      due_at: dueAt,
      is_due: isDueOn({ orderStatus, waits, dueAt }, today, timeZone),
    };
  });
}

function describeCount({ orders: { length }, hasMore, isTooCommon }: FoundOrders): string {
  if (isTooCommon) return 'Too many patients have such a name: write more of it.';
  const shown = length === 0 ? 'No orders' : countText(length, 'order');
  return hasMore ? `${shown}, and there are more: --limit shows more of them.` : `${shown}.`;
}
