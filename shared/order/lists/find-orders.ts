import { listClients } from '../../access/clients.ts';
import { email } from '../../api/fields.ts';
import { splitSearch } from '../../domain/text.ts';
import { findPatients } from '../../people/name-index.ts';
import { parseSoughtPhone } from '../../people/rules/roles.ts';
import { usersByEmail, usersByPhone } from '../../people/users.ts';
import { patientViewer } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import { getOrderOfAnyClient } from '../orders.ts';
import { parseFolio } from '../rules/status.ts';
import type { View } from './counters.ts';
import { WHOLE_VIEW } from './delivery-delays.ts';
import { latestOfViews } from './order-page.ts';
import { type OrderSummary, summarizeOrder } from './queue.ts';

/** Selects the orders that a text finds, or those of a patient of a client, of an existing client, or of all clients. */
type Sought = {
  readonly text?: string | undefined;
  readonly client?: number | undefined;
  readonly patient?: number | undefined;
};

export type FoundOrders = {
  readonly orders: readonly OrderSummary[];
  readonly hasMore: boolean;
  readonly foundBy?: Recognized['by'];
  /** True if too many patients have the name that is looked for. */
  readonly isTooCommon?: boolean;
};

type Recognized = ReturnType<typeof recognizeSearch>;

// An operator may wait for what a client's search goes through the orders for: 5,000 names take 110 read units.
const LIMITS = { names: 5_000, patients: 100 };

/** Recognizes a folio or an id, an e-mail, or a phone; any other text is the name of a patient. */
export function recognizeSearch(text: string) {
  const written = text.trim();
  const phone = parseSoughtPhone(written)?.e164;
  if (phone !== undefined) return { by: 'phone', phone } as const;
  const folio = parseFolio(written);
  if (folio !== undefined) return { by: 'folio', folio } as const;
  const { data: address } = email.safeParse(written);
  return address === undefined
    ? ({ by: 'name', words: splitSearch(written) ?? [] } as const)
    : ({ by: 'email', email: address } as const);
}

export async function findOrders(
  table: Table,
  sought: Sought,
  part: Parameters<typeof latestOfViews>[2],
): Promise<FoundOrders> {
  const recognized = sought.text === undefined ? undefined : recognizeSearch(sought.text);
  const found = { hasMore: false, ...(recognized && { foundBy: recognized.by }) };
  if (recognized?.by === 'folio') return { ...found, orders: await findByFolio(table, recognized.folio, sought, part) };
  const views = recognized ? await findViews(table, recognized, sought) : await listViews(table, sought);
  if (!views) return { ...found, orders: [], isTooCommon: true };
  const { orders, hasMore } = await latestOfViews(table, views, part);
  return { ...found, orders: orders.map(summarizeOrder), hasMore };
}

async function findByFolio(
  table: Table,
  folio: number,
  { client }: Sought,
  { range: { from, until } = WHOLE_VIEW }: Parameters<typeof latestOfViews>[2],
): Promise<OrderSummary[]> {
  const order = await getOrderOfAnyClient(table, folio);
  if (!order || (client ?? order.clientId) !== order.clientId) return [];
  return from <= order.createdAt && order.createdAt < until ? [summarizeOrder(order)] : [];
}

async function listViews(table: Table, { client, patient }: Sought): Promise<View[]> {
  if (patient !== undefined && client !== undefined) return [toPatientView({ clientId: client, id: patient })];
  return (await listIds(table, client)).map((clientId) => ({ clientId, viewer: 'client' }));
}

/** Returns undefined if the words of a name are too short or too common to tell patients apart. */
async function findViews(
  table: Table,
  recognized: Exclude<Recognized, { by: 'folio' }>,
  { client }: Sought,
): Promise<View[] | undefined> {
  if (recognized.by === 'name') return findNamed(table, recognized.words, client);
  const users =
    recognized.by === 'phone'
      ? await usersByPhone(table, recognized.phone)
      : await usersByEmail(table, recognized.email);
  // A user who is no patient has no orders of their own.
  return users.filter(({ clientId }) => clientId === (client ?? clientId)).map(toPatientView);
}

async function findNamed(table: Table, words: readonly string[], client?: number): Promise<View[] | undefined> {
  // Signs alone are no name.
  if (words.length === 0) return [];
  const found = await Promise.all(
    (await listIds(table, client)).map(async (clientId) => {
      const ids = await findPatients(table, clientId, words, LIMITS);
      return ids?.map((id) => toPatientView({ clientId, id }));
    }),
  );
  return found.includes(undefined) ? undefined : found.flatMap((views) => views ?? []);
}

const listIds = async (table: Table, client: number | undefined): Promise<number[]> =>
  client === undefined ? (await listClients(table)).map(({ id }) => id) : [client];

const toPatientView = ({ clientId, id }: { readonly clientId: number; readonly id: number }): View => {
  return { clientId, viewer: patientViewer(id) };
};
