import { formatCents } from '../../../shared/domain/money.ts';
import { formatFolio } from '../../../shared/domain/order.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { joinName } from '../../../shared/store/people/person.ts';
import type { CommandIo, CommandResult } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';

/** Orders of one or several clients; `hasMore` if the limit left some out. */
export type OrderList = { readonly orders: readonly Order[]; readonly hasMore: boolean };

type Column = (typeof COLUMNS)[number] | 'age';
const COLUMNS = ['id', 'folio', 'client', 'created_at', 'order_status', 'payment_status', 'patient', 'total'] as const;
const OPEN_COLUMNS = COLUMNS.flatMap((column): Column[] => (column === 'created_at' ? [column, 'age'] : [column]));

/** Returns the result of a command that lists orders. */
export function ordersResult({ orders: listed, hasMore }: OrderList, io: CommandIo): CommandResult {
  const orders = listed.map(toListedOrder);
  return {
    document: { orders, has_more: hasMore },
    text: textTable(COLUMNS, orders, io),
    remark: countText(orders.length, hasMore),
  };
}

/** Returns the result of a command that lists open orders, with the time that each has waited. */
export function openOrdersResult({ orders: listed, hasMore }: OrderList, now: Date, io: CommandIo): CommandResult {
  const orders = listed.map((order) => ({ ...toListedOrder(order), age_minutes: countMinutes(order.createdAt, now) }));
  const rows = orders.map((order) => ({ ...order, age: formatAge(order.age_minutes) }));
  return {
    document: { orders, has_more: hasMore },
    text: textTable(OPEN_COLUMNS, rows, io),
    remark: countText(orders.length, hasMore),
  };
}

const toListedOrder = ({ id, clientId, createdAt, orderStatus, paymentStatus, patient, totalCents }: Order) => ({
  id,
  folio: formatFolio(id),
  client: clientId,
  created_at: createdAt,
  order_status: orderStatus,
  payment_status: paymentStatus,
  patient: joinName(patient),
  total: formatCents(totalCents),
});

function countText(count: number, hasMore: boolean): string {
  const shown = count === 1 ? '1 order' : `${count || 'No'} orders`;
  return hasMore ? `${shown}, and there are more: --limit shows up to 1000.` : `${shown}.`;
}

const MINUTE_MS = 60_000;
const countMinutes = (since: string, now: Date): number => Math.floor((now.getTime() - Date.parse(since)) / MINUTE_MS);

/** Returns an age in the largest unit of which it has at least two. */
function formatAge(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (hours < 2) return `${minutes} min`;
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
