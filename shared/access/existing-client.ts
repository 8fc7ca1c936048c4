import { refusedToOperator } from '../domain/operator-refusal.ts';
import type { Table } from '../store/table.ts';
import { type ClientRecord, getClient, listClients } from './clients.ts';

/** Returns all clients, or the one that is named. Throws `not_found` if it does not exist. */
export const namedClients = async (id: number | undefined, table: Table): Promise<readonly ClientRecord[]> =>
  id === undefined ? listClients(table) : [await existingClient(id, table)];

/** Returns a client. Throws `not_found` if it does not exist. */
export async function existingClient(id: number, table: Table): Promise<ClientRecord> {
  const client = await getClient(table, id);
  if (!client) throw refusedToOperator('client_without_record', { client: id });
  return client;
}
