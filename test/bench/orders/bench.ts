import type { ApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { addGatewayKey, type Client, createClient, findClientOfKey } from '../../../shared/access/clients.ts';
import { issueAccessToken, type Subject } from '../../../shared/access/token.ts';
import { ids, table, tokenKeys } from '../../../shared/deps.ts';
import { createUser, type UserRecord, userByEmail } from '../../../shared/people/users.ts';
import type { Caller } from '../../support/http/call.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import type { Meter } from '../meter.ts';

export type Bench = {
  readonly keys: ApiKeys;
  readonly invoke: Caller;
  readonly meter: Meter;
  /** The folder of the local engine. */
  readonly directory: string;
};

export async function findOrCreateClient(keys: ApiKeys, value: string): Promise<Client> {
  const key = keys.find(value) ?? keys.create({ name: value, value, enabled: true });
  const known = await findClientOfKey(table(), key.id);
  if (known) return known;
  const terms = { name: value, origin: 'bench', paymentMethods: [1, 2], carrierName: null };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, key.id);
  return client;
}

// A run may take half an hour.
const TOKEN_SECONDS = 4 * 3_600;

export const createToken = async (subject: Subject): Promise<string> =>
  issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: TOKEN_SECONDS, now: new Date() });

async function findOrCreateEmployee(clientId: number): Promise<UserRecord> {
  const email = 'bench@example.mx';
  const names = { firstName: 'Ana', lastName: 'Paz', secondLastName: null, phone: '' };
  const employee = { ...names, clientId, role: 'insurance_employee', email, passwordHash: null } as const;
  return (await userByEmail(table(), clientId, email)) ?? createUser(table(), ids(), employee, new Date());
}

/** Lists orders with this query, as an insurance employee of one client. */
export type List = (query: string) => Promise<HttpAnswer>;

export async function openList({ invoke }: Bench, client: number, key: string): Promise<List> {
  const token = await createToken({ client, user: await findOrCreateEmployee(client) });
  return (query) => invoke('GET', `/api/orders/?${query}`, { key, token });
}
