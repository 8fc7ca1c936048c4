import * as z from 'zod';
import { listClients } from '../../../shared/access/clients.ts';
import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { splitSearch } from '../../../shared/domain/text.ts';
import { dayAfter, localDate, toInstant } from '../../../shared/domain/working-day.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import type { View } from '../../../shared/order/lists/counters.ts';
import { type CreationRange, WHOLE_VIEW } from '../../../shared/order/lists/delivery-delays.ts';
import { latestOfViews, latestOrders } from '../../../shared/order/lists/order-page.ts';
import {
  listOpenOrders,
  listRefundsDue,
  OPEN_STATUSES,
  type OrderSummary,
  summarizeOrder,
} from '../../../shared/order/lists/queue.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { formatFolio, ORDER_STATUSES, PAYMENT_STATUSES, parseFolio } from '../../../shared/order/rules/status.ts';
import { findWaits, isDueOn } from '../../../shared/order/rules/waits.ts';
import { findPatients } from '../../../shared/people/name-index.ts';
import { parseSoughtPhone } from '../../../shared/people/rules/roles.ts';
import { usersByEmail, usersByPhone } from '../../../shared/people/users.ts';
import { patientViewer } from '../../../shared/store/keys.ts';
import type { Table } from '../../../shared/store/table.ts';
import { existingClient, namedClients } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { day, emailAddress, flag, listLimit, phoneNumber, recordId, refuseReversedDays, upTo } from '../input.ts';
import { countText, textTable } from '../output.ts';

export const orderStatus = z.enum(ORDER_STATUSES).meta({ title: 'order_status' });
export const paymentStatus = z.enum(PAYMENT_STATUSES).meta({ title: 'payment_status' });

const folio = z
  .string()
  .max(25)
  .transform((written) => parseFolio(written) ?? 0)
  .refine((id) => id > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: 'RX-00000042' });

const MOST_PAGES = 100;

const listInput = z.object({
  client: recordId.optional(),
  status: orderStatus.optional(),
  payment: paymentStatus.optional(),
  refundDue: flag,
  folio: folio.optional(),
  email: emailAddress.optional(),
  phone: phoneNumber.optional(),
  patient: recordId.optional().describe('the orders of this patient of --client'),
  from: day.optional().describe('the orders that were placed from this day of the shop on, newest first'),
  to: day.optional().describe('and until this day'),
  // All that are open may be wanted at once.
  limit: upTo(5_000, '20'),
  page: upTo(MOST_PAGES, '1').describe('the next of what is found by folio, person or days, in pages of --limit'),
});
type Asked = z.output<typeof listInput>;

export const ordersList = command({
  name: 'orders list',
  summary:
    'List the open orders of all clients, the oldest first; the latest of a client, of a patient or between two days, the newest first; or that of a folio',
  example: '--status pending_approval',
  input: listInput,
  oneOf: { names: ['folio', 'email', 'phone', 'patient'], isRequired: false },
  check: refuseMisfits,
  async run(asked, context) {
    const { client, status: orderStatus, payment: paymentStatus, refundDue, limit, page } = asked;
    const { table, business } = context;
    if (client !== undefined) await existingClient(client, table);
    if (isSearch(asked)) {
      const range = toCreationRange(asked, business.timeZone);
      const found = await findOrders(table, asked, { range, offset: limit * (page - 1), limit });
      return toResult({ ...found, nextPage: page < MOST_PAGES ? page + 1 : undefined }, COLUMNS, context);
    }
    if (refundDue) return toResult(await listRefundsDue(table, { clientId: client, limit }), COLUMNS, context);
    if (client !== undefined) {
      const wanted = { clientId: client, viewer: 'client', orderStatus, paymentStatus, limit } as const;
      const { orders, count } = await latestOrders(table, wanted);
      return toResult({ orders: orders.map(summarizeOrder), hasMore: count > orders.length }, COLUMNS, context);
    }
    const statuses = orderStatus ? [orderStatus] : OPEN_STATUSES;
    return toResult(await listOpenOrders(table, { statuses, paymentStatus, limit }), OPEN_COLUMNS, context);
  },
});

/** True if orders are looked for by a folio, a person or days. */
const isSearch = ({ folio, email, phone, patient, from, to }: Asked): boolean =>
  [folio, email, phone, patient, from, to].some((criterion) => criterion !== undefined);

function refuseMisfits(asked: Asked): void {
  const { client, status, payment, refundDue, patient, page } = asked;
  refuseReversedDays(asked);
  if (patient !== undefined && client === undefined) throw new UsageError('--patient: It needs --client.');
  if (isSearch(asked) && (refundDue || (status ?? payment)))
    throw new UsageError('--status, --payment and --refund-due: They go with --client alone, or with nothing.');
  if (!isSearch(asked) && page > 1)
    throw new UsageError('--page: It goes with --folio, --email, --phone, --patient, --from or --to.');
  if (refundDue && (status ?? payment))
    throw new UsageError('--refund-due: It goes with neither --status nor --payment.');
  if (client === undefined && status && !OPEN_STATUSES.includes(status))
    throw new UsageError(`--status: Without --client it must be one of: ${OPEN_STATUSES.join(', ')}.`);
}

/** Returns the range of days of the shop, both included; an instant comes before the keys of its orders. */
export function toCreationRange({ from, to }: Pick<Asked, 'from' | 'to'>, timeZone: string): CreationRange {
  const startOf = (date: string) => toInstant(date, '00:00', timeZone).toISOString();
  return {
    from: from === undefined ? WHOLE_VIEW.from : startOf(from),
    until: to === undefined ? WHOLE_VIEW.until : startOf(dayAfter(to)),
  };
}

export const ordersSearch = command({
  name: 'orders search',
  summary:
    'Find the latest orders of all clients by one text: a folio or id, or the e-mail, phone or name of a patient',
  example: '"luz mora"',
  details: 'Each word may stand anywhere in the name, without regard to case and accents. Ten digits are a phone.\n\n',
  positional: ['text'],
  input: z.object({ text: requiredText(200).describe('a folio, an e-mail, a phone or a name'), limit: listLimit }),
  async run({ text, limit }, context) {
    const sought = recognizeSearch(text);
    const found = await findOrders(context.table, sought, { limit });
    const result = toResult(found, COLUMNS, context);
    const document = { ...result.document, found_by: sought.by, is_too_common: found.isTooCommon === true };
    return { ...result, document };
  },
});

/** Recognises a folio or an id, an e-mail, or a phone; any other text is the name of a patient. */
export function recognizeSearch(text: string) {
  const written = text.trim();
  const phone = parseSoughtPhone(written)?.e164;
  if (phone !== undefined) return { by: 'phone', phone } as const;
  const folio = parseFolio(written);
  if (folio !== undefined) return { by: 'folio', folio } as const;
  const { data: email } = emailAddress.safeParse(written);
  return email === undefined
    ? ({ by: 'name', words: splitSearch(written) ?? [] } as const)
    : ({ by: 'email', email } as const);
}

/** A folio, or whose orders are looked for: those of a patient, of a client, or of all. */
type Sought = Partial<Pick<Asked, 'folio' | 'email' | 'phone' | 'patient' | 'client'>> & {
  /** The words of a patient's name. */
  readonly words?: readonly string[];
};

/** Finds a part of the orders that are looked for, the newest first. */
async function findOrders(table: Table, sought: Sought, part: Parameters<typeof latestOfViews>[2]): Promise<OrderList> {
  const { folio, client } = sought;
  const { range = WHOLE_VIEW, offset = 0 } = part;
  if (folio !== undefined) {
    const order = await getOrderOfAnyClient(table, folio);
    const isSought =
      order &&
      (client ?? order.clientId) === order.clientId &&
      order.createdAt >= range.from &&
      order.createdAt < range.until;
    return { orders: isSought ? [summarizeOrder(order)].slice(offset) : [], hasMore: false };
  }
  const views = await findViews(table, sought);
  if (!views) return { orders: [], hasMore: false, isTooCommon: true };
  const { orders, hasMore } = await latestOfViews(table, views, part);
  return { orders: orders.map(summarizeOrder), hasMore };
}

/** Returns undefined if the words are too short or too common to tell patients apart. */
async function findViews(table: Table, sought: Sought): Promise<View[] | undefined> {
  const { email, phone, patient, client, words } = sought;
  if (words) return findNamed(table, words);
  if (patient !== undefined && client !== undefined) return [toPatientView({ clientId: client, id: patient })];
  if (email === undefined && phone === undefined)
    return (await namedClients(client, table)).map(({ id }) => ({ clientId: id, viewer: 'client' }));
  const users = email === undefined ? await usersByPhone(table, phone ?? '') : await usersByEmail(table, email);
  // A user who is no patient has no orders of their own.
  return users.filter(({ clientId }) => clientId === (client ?? clientId)).map(toPatientView);
}

const toPatientView = ({ clientId, id }: { readonly clientId: number; readonly id: number }): View => ({
  clientId,
  viewer: patientViewer(id),
});

// An operator may wait for what a client's search goes through the orders for: 5,000 names take 110 read units.
const LIMITS = { names: 5_000, patients: 100 };

/** Finds patients of all clients by their names; undefined if those of one client are too many. */
async function findNamed(table: Table, words: readonly string[]): Promise<View[] | undefined> {
  // Signs alone are no name.
  if (words.length === 0) return [];
  const clients = await listClients(table);
  const found = await Promise.all(
    clients.map(async ({ id: clientId }) => {
      const ids = await findPatients(table, clientId, words, LIMITS);
      return ids?.map((id) => toPatientView({ clientId, id }));
    }),
  );
  return found.includes(undefined) ? undefined : found.flatMap((views) => views ?? []);
}

const COLUMNS = ['id', 'folio', 'client', 'created_at', 'order_status', 'payment_status', 'patient', 'total'] as const;
type Column = (typeof COLUMNS)[number] | 'age' | 'due' | 'waits_for';
const OPEN_COLUMNS: readonly Column[] = [...COLUMNS.slice(0, 4), 'age', ...COLUMNS.slice(4), 'due', 'waits_for'];

/** Orders of one or several clients; `hasMore` if the limit left some out, which `nextPage` shows if the command has pages. */
type OrderList = {
  readonly orders: readonly OrderSummary[];
  readonly hasMore: boolean;
  readonly nextPage?: number | undefined;
  /** True if too many patients have the name that is looked for. */
  readonly isTooCommon?: boolean;
};

/** Returns the result of a command that lists orders. */
function toResult(list: OrderList, columns: readonly Column[], context: Context) {
  const { now, business } = context;
  const { timeZone } = business;
  const today = localDate(now, timeZone);
  const orders = list.orders.map((order) => toListedOrder(order, { now, today, timeZone }));
  return {
    document: { orders, has_more: list.hasMore },
    // Read by a terminal alone: the counter has no use for the text of 5,000 orders.
    get text() {
      const rows = orders.map((order) => toRow(order, timeZone));
      return textTable(columns, rows, context);
    },
    remark: describeCount(list),
  };
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
    age_minutes: Math.floor((now.getTime() - Date.parse(createdAt)) / MINUTE_MS),
    waits_for: waits,
    due_at: dueAt,
    is_due: isDueOn({ orderStatus, waits, dueAt }, today, timeZone),
  };
}

const MINUTE_MS = 60_000;

const toRow = ({ is_due, ...order }: ReturnType<typeof toListedOrder>, timeZone: string) => ({
  ...order,
  age: formatAge(order.age_minutes),
  due: is_due ? 'now' : localDate(new Date(order.due_at), timeZone),
  waits_for: order.waits_for.join(' '),
});

/** Returns an age in the largest unit of which it has at least two. */
function formatAge(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (hours < 2) return `${minutes} min`;
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function describeCount({ orders: { length }, hasMore, nextPage, isTooCommon }: OrderList): string {
  if (isTooCommon) return 'Too many patients have such a name: write more of it.';
  const shown = length === 0 ? 'No orders' : countText(length, 'order');
  if (!hasMore) return `${shown}.`;
  const way = nextPage === undefined ? '--limit shows more of them' : `--page ${nextPage} shows the next`;
  return `${shown}, and there are more: ${way}.`;
}
