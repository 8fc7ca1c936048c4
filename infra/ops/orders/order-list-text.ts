import { formatCents } from '../../../shared/domain/money.ts';
import { formatFolio } from '../../../shared/domain/order.ts';
import { findWaits, isDueOn } from '../../../shared/domain/order-waits.ts';
import { localDate } from '../../../shared/domain/working-day.ts';
import { business } from '../../../shared/runtime/config.ts';
import { type OrderSummary, type Queue, summarizeOrder } from '../../../shared/store/order-lists/queue.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import type { CommandIo } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';

/** Orders of one or several clients; `hasMore` if the limit left some out, which `nextPage` shows if the command has pages. */
export type OrderList = {
  readonly orders: readonly Order[];
  readonly hasMore: boolean;
  readonly nextPage?: number | undefined;
};

const COLUMNS = ['id', 'folio', 'client', 'created_at', 'order_status', 'payment_status', 'patient', 'total'] as const;
type Column = (typeof COLUMNS)[number] | 'age' | 'due' | 'waits_for';
const OPEN_COLUMNS: readonly Column[] = [
  ...COLUMNS.flatMap((column): Column[] => (column === 'created_at' ? [column, 'age'] : [column])),
  'due',
  'waits_for',
];

/** Returns the result of a command that lists orders. */
export const ordersResult = ({ orders, ...rest }: OrderList, now: Date, io: CommandIo) =>
  refundsResult({ orders: orders.map(summarizeOrder), ...rest }, now, io);

/** Returns the result of a command that lists orders whose refund is due. */
export function refundsResult(queue: Queue & Pick<OrderList, 'nextPage'>, now: Date, io: CommandIo) {
  const document = representOrders(queue, now);
  return {
    document,
    // Read by a terminal alone: the counter has no use for the text of 5,000 orders.
    get text() {
      return textTable(COLUMNS, document.orders.map(withoutWaits), io);
    },
    remark: countText(queue),
  };
}

/** Returns the result of a command that lists open orders, with the time that each has waited and what for. */
export function openOrdersResult(queue: Queue, now: Date, io: CommandIo) {
  const document = representOrders(queue, now);
  return {
    document,
    get text() {
      return textTable(OPEN_COLUMNS, document.orders.map(withWaitText), io);
    },
    remark: countText(queue),
  };
}

function representOrders({ orders, hasMore }: Queue, now: Date) {
  const { timeZone } = business();
  const today = localDate(now, timeZone);
  return { orders: orders.map((order) => toListedOrder(order, { now, today, timeZone })), has_more: hasMore };
}

type Moment = { readonly now: Date; readonly today: string; readonly timeZone: string };

function toListedOrder(order: OrderSummary, { now, today, timeZone }: Moment) {
  const { id, clientId, createdAt, orderStatus, paymentStatus, patient, totalCents, dueAt } = order;
  const waits = findWaits(order.waits, today);
  return {
    id,
    folio: formatFolio(id),
    client: clientId,
    created_at: createdAt,
    order_status: orderStatus,
    payment_status: paymentStatus,
    patient,
    total: formatCents(totalCents),
    age_minutes: countMinutes(createdAt, now),
    waits_for: waits,
    due_at: dueAt,
    is_due: isDueOn({ waits, dueAt }, today, timeZone),
  };
}

type ListedOrder = ReturnType<typeof toListedOrder>;

const withoutWaits = ({ waits_for: _, is_due: __, ...order }: ListedOrder) => order;

const withWaitText = (order: ListedOrder) => ({
  ...order,
  age: formatAge(order.age_minutes),
  due: order.is_due ? 'now' : localDate(new Date(order.due_at), business().timeZone),
  waits_for: order.waits_for.join(' '),
});

function countText({ orders: { length: count }, hasMore, nextPage }: Queue & Pick<OrderList, 'nextPage'>): string {
  const shown = count === 1 ? '1 order' : `${count || 'No'} orders`;
  if (!hasMore) return `${shown}.`;
  const way = nextPage === undefined ? '--limit shows more of them' : `--page ${nextPage} shows the next`;
  return `${shown}, and there are more: ${way}.`;
}

const MINUTE_MS = 60_000;
const countMinutes = (since: string, now: Date): number => Math.floor((now.getTime() - Date.parse(since)) / MINUTE_MS);

/** Returns an age in the largest unit of which it has at least two. */
function formatAge(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (hours < 2) return `${minutes} min`;
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
