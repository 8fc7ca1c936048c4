import { requiredText } from '../../../shared/api/fields.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { listClients } from '../../../shared/store/access/clients.ts';
import { patientViewer } from '../../../shared/store/keys.ts';
import type { View } from '../../../shared/store/order-lists/counters.ts';
import { latestOfViews } from '../../../shared/store/order-lists/operator-lists.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { findPatients } from '../../../shared/store/people/name-index.ts';
import { type UserRecord, usersByEmail, usersByPhone } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { command } from '../command.ts';
import { listLimit } from '../input.ts';
import { type OrderList, ordersResult } from './order-list-text.ts';
import { recognizeSearch, type SearchText } from './search-text.ts';

export const ordersSearch = command({
  name: 'orders search',
  effect: 'reads',
  summary:
    'Find the latest orders of all clients by one text: a folio or id, or the e-mail, phone or name of a patient',
  example: '"luz mora"',
  details: `Each word may stand anywhere in the name, without regard to case and accents. Ten digits are a phone.

`,
  arguments: { text: requiredText(200).describe('a folio, an e-mail, a phone or a name') },
  options: { limit: listLimit },
  async run({ text, limit }, call) {
    const sought = recognizeSearch(text);
    const found = await searchOrders(openTable(), sought, limit);
    const result = ordersResult(found ?? { orders: [], hasMore: false }, now(), call);
    const document = { ...result.document, found_by: sought.by, is_too_common: found === undefined };
    return found ? { ...result, document } : { ...result, document, remark: TOO_COMMON };
  },
});

const TOO_COMMON = 'Too many patients have such a name: write more of it.';

/** Returns undefined if the words are too short or too common to tell patients apart. */
async function searchOrders(table: Table, sought: SearchText, limit: number): Promise<OrderList | undefined> {
  if (sought.by === 'folio') {
    const order = await getOrderOfAnyClient(table, sought.id);
    return { orders: order ? [order] : [], hasMore: false };
  }
  const patients = await findSought(table, sought);
  return patients && latestOfViews(table, patients.map(toPatientView), { limit });
}

type PatientKey = { readonly clientId: number; readonly id: number };

/** Returns the orders that a patient sees. */
export const toPatientView = ({ clientId, id }: PatientKey): View => ({ clientId, viewer: patientViewer(id) });

async function findSought(
  table: Table,
  sought: Exclude<SearchText, { by: 'folio' }>,
): Promise<readonly PatientKey[] | undefined> {
  if (sought.by === 'email') return onlyPatients(await usersByEmail(table, sought.email));
  if (sought.by === 'phone') return onlyPatients(await usersByPhone(table, sought.phone));
  return findNamed(table, sought.words);
}

/** Returns those users who are patients. */
export const onlyPatients = (users: readonly UserRecord[]): PatientKey[] =>
  users.filter(({ role }) => role === 'patient');

// An operator may wait for what a client's search goes through the orders for: 5,000 names take 110 read units.
const LIMITS = { names: 5_000, patients: 100 };

/** Finds patients of all clients by their names; undefined if those of one client are too many. */
async function findNamed(table: Table, words: readonly string[]): Promise<PatientKey[] | undefined> {
  const clients = await listClients(table);
  const found = await Promise.all(
    clients.map(async ({ id: clientId }) => {
      const ids = await findPatients(table, clientId, words, LIMITS);
      return ids?.map((id) => ({ clientId, id }));
    }),
  );
  return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? []);
}
