import { orderKey, patientViewer } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { getOrdersByKey } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import { WHOLE_VIEW } from './delivery-delays.ts';
import { parseEntry } from './entries.ts';
import { toQuery, viewSource } from './sources.ts';

export type PatientKey = { readonly clientId: number; readonly id: number };

/**
 * Returns the latest orders of patients of any clients, the newest first, and whether there are more than `limit`. It costs
 * a query for each patient and a read of the orders shown, whatever the number of orders.
 */
export async function latestOfPatients(
  table: Table,
  patients: readonly PatientKey[],
  limit: number,
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const listed = await Promise.all(patients.map((patient) => latestEntries(table, patient, limit + 1)));
  const latestFirst = listed
    .flat()
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  const shown = latestFirst.slice(0, limit).map(({ clientId, id }) => orderKey(clientId, id));
  return { orders: await getOrdersByKey(table, shown), hasMore: latestFirst.length > limit };
}

async function latestEntries(table: Table, { clientId, id }: PatientKey, count: number) {
  const source = viewSource({ clientId, viewer: patientViewer(id) });
  const items = await table.first(toQuery(source, { range: WHOLE_VIEW, isForward: false }), count);
  return items.map((item) => ({ ...parseEntry(item), clientId }));
}
