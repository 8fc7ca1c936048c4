import * as z from 'zod';
import { parseFolio } from '../../../shared/domain/order.ts';
import { dayAfter, toInstant } from '../../../shared/domain/working-day.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { patientViewer } from '../../../shared/store/keys.ts';
import { readOrderPage } from '../../../shared/store/order-lists/order-page.ts';
import type { DateBound, View } from '../../../shared/store/order-lists/selection.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { usersByEmail, usersByPhone } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { command } from '../command.ts';
import { day, emailAddress, listLimit, phoneNumber, recordId, refuseReversedDays, UsageError } from '../input.ts';
import { type OrderList, ordersResult } from './order-list-text.ts';

const folio = z
  .string()
  .max(25)
  .transform((written) => parseFolio(written) ?? 0)
  .refine((id) => id > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: 'RX-00000042' });

const MOST_PAGES = 100;

export const ordersFind = command({
  name: 'orders find',
  effect: 'reads',
  summary: 'Find an order by its folio, or those of patients by e-mail, phone or id, between two days, page by page',
  example: '--email ana.paz@example.mx --from 2026-11-01 --to 2026-11-30',
  details: '--patient needs --client. Both days are included; pages have the size of --limit.\n\n',
  options: {
    folio: folio.optional(),
    email: emailAddress.optional(),
    phone: phoneNumber.optional(),
    patient: recordId.optional(),
    client: recordId.optional(),
    from: day.optional(),
    to: day.optional(),
    limit: listLimit,
    page: recordId.pipe(z.number().max(MOST_PAGES)).prefault('1').meta({ title: 'number' }),
  },
  oneOf: { names: ['folio', 'email', 'phone', 'patient'], isRequired: true },
  async run(sought, call) {
    refuseReversedDays(sought);
    return ordersResult(await findOrders(openTable(), sought), now(), call);
  },
});

type Sought = {
  readonly [Name in 'folio' | 'patient' | 'client']?: number | undefined;
} & {
  readonly [Name in 'email' | 'phone' | 'from' | 'to']?: string | undefined;
} & { readonly limit: number; readonly page: number };

/** Finds an order by one query, or those of patients by a query of their mark and a list of the view of each. */
async function findOrders(table: Table, sought: Sought): Promise<OrderList> {
  const order = sought.folio && (await getOrderOfAnyClient(table, sought.folio));
  if (order) return { orders: [order], hasMore: false };
  const { limit, page } = sought;
  const dateBounds = toBounds(sought);
  const views = await findViews(table, sought);
  const pages = await Promise.all(views.map((view) => readLatest(table, view, { dateBounds, limit: limit * page })));
  const found = pages.flatMap(({ orders }) => orders);
  const latestFirst = found.sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  const count = pages.reduce((sum, each) => sum + each.count, 0);
  return { orders: latestFirst.slice(limit * (page - 1), limit * page), hasMore: count > limit * page };
}

async function findViews(table: Table, { email, phone, patient, client }: Sought): Promise<View[]> {
  if (patient !== undefined) {
    if (client === undefined) throw new UsageError('--patient: It needs --client.');
    return [{ clientId: client, viewer: patientViewer(patient) }];
  }
  const users = [
    ...(email ? await usersByEmail(table, email) : []),
    ...(phone ? await usersByPhone(table, phone) : []),
  ];
  return users
    .filter(({ role, clientId }) => role === 'patient' && (client === undefined || client === clientId))
    .map(({ clientId, id }) => ({ clientId, viewer: patientViewer(id) }));
}

function toBounds({ from, to }: Sought): DateBound[] {
  const { timeZone } = business();
  const bounds: DateBound[] = [];
  const startOf = (date: string) => toInstant(date, '00:00', timeZone).toISOString();
  if (from) bounds.push({ field: 'createdAt', comparison: '>=', instant: startOf(from) });
  if (to) bounds.push({ field: 'createdAt', comparison: '<', instant: startOf(dayAfter(to)) });
  return bounds;
}

const readLatest = (
  table: Table,
  view: View,
  { dateBounds, limit }: { readonly dateBounds: readonly DateBound[]; readonly limit: number },
) =>
  readOrderPage(table, {
    ...view,
    orderId: undefined,
    patientId: undefined,
    sentPhone: undefined,
    orderStatuses: undefined,
    paymentStatuses: undefined,
    nameWords: [],
    dateBounds,
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
    limit,
    after: undefined,
  });
