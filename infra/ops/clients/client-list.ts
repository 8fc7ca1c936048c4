import { allClients, type ClientRecord } from '../../../shared/store/access/clients.ts';
import type { Table } from '../../../shared/store/table.ts';
import type { CommandIo } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';
import type { GatewayKeys, ListedKey } from './gateway-keys.ts';

export type ListedClient = ReturnType<typeof listedClient>;

/** The clients with their keys as the gateway has them. */
export async function listedClients(table: Table, gateway: GatewayKeys): Promise<ListedClient[]> {
  const [clients, keys] = await Promise.all([allClients(table), gateway.all()]);
  return clients.map((client) => listedClient(client, keys));
}

const listedClient = (client: ClientRecord, keys: ReadonlyMap<string, ListedKey>) => ({
  id: client.id,
  name: client.name,
  origin: client.origin,
  payment_methods: client.paymentMethods,
  carrier: client.carrier?.name ?? null,
  state: client.disabledAt === null ? 'enabled' : 'disabled',
  created_at: client.createdAt,
  keys: client.gatewayKeyIds.map((id) => listedKey(id, keys.get(id))),
});

const listedKey = (id: string, key: ListedKey | undefined) => ({
  id,
  state: key ? (key.isEnabled ? 'enabled' : 'disabled') : 'missing at the gateway',
  created_at: key?.createdAt ?? null,
});

const COLUMNS = ['id', 'name', 'origin', 'methods', 'carrier', 'state', 'keys'];

/** One line for each client; its keys with the day on which each was made. */
export const clientsText = (clients: readonly ListedClient[], io: CommandIo): string =>
  textTable(
    COLUMNS,
    clients.map((client) => [
      String(client.id),
      client.name,
      client.origin,
      client.payment_methods.join(','),
      client.carrier ?? '',
      client.state,
      client.keys.map(keyCell).join(', '),
    ]),
    io,
  );

const keyCell = ({ id, state, created_at: createdAt }: ListedClient['keys'][number]): string =>
  `${id} (${[createdAt?.slice(0, 10), state === 'enabled' ? '' : state].filter(Boolean).join(', ')})`;
