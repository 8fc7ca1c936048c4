import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { parseFolio } from '../../../shared/domain/order.ts';
import { parseSoughtPhone } from '../../../shared/domain/person.ts';
import { splitSearch } from '../../../shared/domain/text.ts';
import { listClients } from '../../../shared/store/access/clients.ts';
import { latestOfViews } from '../../../shared/store/order-lists/operator-lists.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { findPatients } from '../../../shared/store/people/name-index.ts';
import { usersByEmail, usersByPhone } from '../../../shared/store/people/users.ts';
import type { Table } from '../../../shared/store/table.ts';
import { command } from '../command.ts';
import { emailAddress, listLimit } from '../input.ts';
import { onlyPatients, type PatientKey, toOrdersResult, toPatientView } from './list.ts';

export const ordersSearch = command({
  name: 'orders search',
  summary:
    'Find the latest orders of all clients by one text: a folio or id, or the e-mail, phone or name of a patient',
  example: '"luz mora"',
  details: `Each word may stand anywhere in the name, without regard to case and accents. Ten digits are a phone.

`,
  positional: ['text'],
  input: z.object({ text: requiredText(200).describe('a folio, an e-mail, a phone or a name'), limit: listLimit }),
  async run({ text, limit }, context) {
    const sought = recognizeSearch(text);
    const found = await searchOrders(context.table, sought, limit);
    const result = toOrdersResult(found ?? { orders: [], hasMore: false }, context);
    const document = { ...result.document, found_by: sought.by, is_too_common: found === undefined };
    return found ? { ...result, document } : { ...result, document, remark: TOO_COMMON };
  },
});

const TOO_COMMON = 'Too many patients have such a name: write more of it.';

/** A text that somebody types to find an order, by its kind. */
type SearchText =
  | { readonly by: 'folio'; readonly id: number }
  | { readonly by: 'email'; readonly email: string }
  | { readonly by: 'phone'; readonly phone: string }
  | { readonly by: 'name'; readonly words: readonly string[] };

/** Recognises a folio or an id, an e-mail, or a phone; any other text is the name of a patient. */
export function recognizeSearch(text: string): SearchText {
  const written = text.trim();
  const phone = parseSoughtPhone(written)?.e164;
  if (phone !== undefined) return { by: 'phone', phone };
  const id = parseFolio(written);
  if (id !== undefined) return { by: 'folio', id };
  const { data: email } = emailAddress.safeParse(written);
  return email === undefined ? { by: 'name', words: splitSearch(written) ?? [] } : { by: 'email', email };
}

type Found = { readonly orders: readonly Order[]; readonly hasMore: boolean };

/** Returns undefined if the words are too short or too common to tell patients apart. */
async function searchOrders(table: Table, sought: SearchText, limit: number): Promise<Found | undefined> {
  if (sought.by === 'folio') {
    const order = await getOrderOfAnyClient(table, sought.id);
    return { orders: order ? [order] : [], hasMore: false };
  }
  const patients = await findSought(table, sought);
  return patients && latestOfViews(table, patients.map(toPatientView), { limit });
}

async function findSought(table: Table, sought: Exclude<SearchText, { by: 'folio' }>) {
  if (sought.by === 'email') return onlyPatients(await usersByEmail(table, sought.email));
  if (sought.by === 'phone') return onlyPatients(await usersByPhone(table, sought.phone));
  return findNamed(table, sought.words);
}

// An operator may wait for what a client's search goes through the orders for: 5,000 names take 110 read units.
const LIMITS = { names: 5_000, patients: 100 };

/** Finds patients of all clients by their names; undefined if those of one client are too many. */
async function findNamed(table: Table, words: readonly string[]): Promise<PatientKey[] | undefined> {
  // Signs alone are no name.
  if (words.length === 0) return [];
  const clients = await listClients(table);
  const found = await Promise.all(
    clients.map(async ({ id: clientId }) => {
      const ids = await findPatients(table, clientId, words, LIMITS);
      return ids?.map((id) => ({ clientId, id }));
    }),
  );
  return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? []);
}
