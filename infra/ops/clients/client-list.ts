import { type ClientRecord, listClients } from '../../../shared/store/access/clients.ts';
import type { Table } from '../../../shared/store/table.ts';
import type { CommandIo } from '../command.ts';
import { printable, recordTable, textTable } from '../terminal/text-table.ts';
import type { GatewayKeys, ListedKey } from './gateway-keys.ts';

export type ListedClient = ReturnType<typeof listedClient>;

/** Lists the clients with the state of their keys at the gateway. */
export async function listedClients(table: Table, gateway: GatewayKeys): Promise<ListedClient[]> {
  const [clients, keys] = await Promise.all([listClients(table), gateway.all()]);
  return clients.map((client) => listedClient(client, keys));
}

/** Returns a client with the state of its keys at the gateway. */
export const showClient = async (client: ClientRecord, gateway: GatewayKeys): Promise<ListedClient> =>
  listedClient(client, await gateway.all());

/** Returns everything of a client for a person to read. */
export function clientText({ keys, ...client }: ListedClient, io: CommandIo): string {
  const facts = Object.entries({ ...client, payment_methods: client.payment_methods.join(',') });
  const lines = facts.map(([name, value]) => `${name.padEnd(FACT_WIDTH)}${printable(String(value ?? ''))}`.trimEnd());
  return [`${lines.join('\n')}\n`, recordTable(keys, io)].filter(Boolean).join('\n');
}

const FACT_WIDTH = 17;

const listedClient = (client: ClientRecord, keys: ReadonlyMap<string, ListedKey>) => ({
  id: client.id,
  name: client.name,
  origin: client.origin,
  payment_methods: client.paymentMethods,
  credit: client.credit,
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

/** Returns a line for each client; its keys with the day on which each was made. */
export function clientsText(clients: readonly ListedClient[], io: CommandIo): string {
  const rows = clients.map((client) => ({
    ...client,
    methods: client.payment_methods.join(','),
    keys: client.keys.map(keyCell).join(', '),
  }));
  return textTable(['id', 'name', 'origin', 'methods', 'credit', 'carrier', 'state', 'keys'], rows, io);
}

const keyCell = ({ id, state, created_at: createdAt }: ListedClient['keys'][number]): string =>
  `${id} (${[createdAt?.slice(0, 10), state === 'enabled' ? '' : state].filter(Boolean).join(', ')})`;
