import { type ClientRecord, findClient } from '../../../shared/store/access/clients.ts';
import type { Table } from '../../../shared/store/table.ts';
import { CommandRefusal } from '../command.ts';
import { recordId } from '../input.ts';

export const clientId = recordId.describe('the id of a client');

/** Returns a client. Throws a CommandRefusal if it does not exist. */
export async function existingClient(id: number, table: Table): Promise<ClientRecord> {
  const client = await findClient(table, id);
  if (!client) throw new CommandRefusal(`There is no client ${id}.`);
  return client;
}
