import * as z from 'zod';
import { parseFolio } from '../../../shared/domain/order.ts';
import { dayAfter, toInstant } from '../../../shared/domain/working-day.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import type { View } from '../../../shared/store/order-lists/counters.ts';
import { type CreationRange, WHOLE_VIEW } from '../../../shared/store/order-lists/delivery-delays.ts';
import { latestOfViews } from '../../../shared/store/order-lists/operator-lists.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { usersByEmail, usersByPhone } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { namedClients } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import { day, emailAddress, listLimit, phoneNumber, recordId, refuseReversedDays, UsageError } from '../input.ts';
import { type OrderList, ordersResult } from './order-list-text.ts';
import { onlyPatients, toPatientView } from './order-search.ts';

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
  summary:
    'Find an order by its folio, those of patients by e-mail, phone or id, or all between two days, page by page',
  example: '--email ana.paz@example.mx --from 2026-11-01 --to 2026-11-30',
  details:
    '--patient needs --client; two days need nothing else. Both are included; pages have the size of --limit.\n\n',
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
  oneOf: { names: ['folio', 'email', 'phone', 'patient'], isRequired: false },
  async run(sought, call) {
    refuseReversedDays(sought);
    refuseLacking(sought);
    return ordersResult(await findOrders(openTable(), sought), now(), call);
  },
});

type Sought = {
  readonly [Name in 'folio' | 'patient' | 'client']?: number | undefined;
} & {
  readonly [Name in 'email' | 'phone' | 'from' | 'to']?: string | undefined;
} & { readonly limit: number; readonly page: number };

function refuseLacking({ client, patient, ...sought }: Sought): void {
  if (patient !== undefined && client === undefined) throw new UsageError('--patient: It needs --client.');
  const criteria = [sought.folio, sought.email, sought.phone, patient, sought.from, sought.to];
  if (criteria.some((criterion) => criterion !== undefined)) return;
  throw new UsageError('Give one of --folio, --email, --phone and --patient, or --from and --to.');
}

async function findOrders(table: Table, sought: Sought): Promise<OrderList> {
  const { folio, limit, page } = sought;
  const range = toRange(sought);
  const offset = limit * (page - 1);
  if (folio !== undefined) {
    const order = await getOrderOfAnyClient(table, folio);
    const found = order && isSought(order, sought.client, range) ? [order] : [];
    return { orders: found.slice(offset), hasMore: false };
  }
  const found = await latestOfViews(table, await findViews(table, sought), { range, offset, limit });
  return { ...found, nextPage: page < MOST_PAGES ? page + 1 : undefined };
}

const isSought = ({ clientId, createdAt }: Order, client: number | undefined, { from, until }: CreationRange) =>
  (client === undefined || client === clientId) && createdAt >= from && createdAt < until;

async function findViews(table: Table, { email, phone, patient, client }: Sought): Promise<View[]> {
  if (patient !== undefined && client !== undefined) return [toPatientView({ clientId: client, id: patient })];
  if (email === undefined && phone === undefined) {
    return (await namedClients(client, table)).map(({ id }) => ({ clientId: id, viewer: 'client' }));
  }
  const users = [
    ...(email ? await usersByEmail(table, email) : []),
    ...(phone ? await usersByPhone(table, phone) : []),
  ];
  return onlyPatients(users)
    .filter(({ clientId }) => client === undefined || client === clientId)
    .map(toPatientView);
}

/** Returns the range of two days, both included; an instant comes before the keys of its orders. */
function toRange({ from, to }: Sought): CreationRange {
  const { timeZone } = business();
  const startOf = (date: string) => toInstant(date, '00:00', timeZone).toISOString();
  return {
    from: from === undefined ? WHOLE_VIEW.from : startOf(from),
    until: to === undefined ? WHOLE_VIEW.until : startOf(dayAfter(to)),
  };
}
