import { join } from 'node:path';
import {
  addGatewayKey,
  type Client,
  type ClientRecord,
  createClient,
  findClientOfKey,
  listClients,
} from '../../shared/access/clients.ts';
import type { CatalogBucket } from '../../shared/catalog/bucket.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { ids, table } from '../../shared/deps.ts';
import type { Role } from '../../shared/people/rules/roles.ts';
import { createUser, type NewUser, userByEmail } from '../../shared/people/users.ts';
import { now } from '../../shared/runtime/clock.ts';

const DEMO_CLIENT = {
  name: 'Farmacia Demo',
  origin: 'demo',
  paymentMethods: [1, 2, 3, 4, 5],
  carrierName: 'Seguros Demo',
  // A shop under development listens there.
  passwordUrl: 'http://localhost:4000/password',
  seesCosts: true,
} as const;

type DemoUser = Pick<NewUser, 'role' | 'email' | 'firstName' | 'lastName' | 'secondLastName' | 'phone'>;
const demoUser = (role: Role, email: string, names: readonly [string, string, string], phone: string): DemoUser => {
  const [firstName, lastName, secondLastName] = names;
  return { role, email, firstName, lastName, secondLastName, phone };
};
export const DEMO_USERS = [
  demoUser('patient', 'paciente@demo.example', ['Lucía', 'Ramírez', 'Ortega'], '+525555010001'),
  demoUser('doctor', 'doctora@demo.example', ['Elena', 'Castro', 'Núñez'], '+525555010002'),
  demoUser('insurance_employee', 'aseguradora@demo.example', ['Tomás', 'Vega', 'Luna'], '+525555010003'),
] as const;

/** Publishes the demonstration catalog with its images. Its folder lies beside this file, and beside the bundle of a function. */
export async function publishDemonstration(bucket: CatalogBucket, images: CatalogBucket): Promise<void> {
  const folder = join(import.meta.dirname, 'demo-catalog');
  const publication = await publishCatalog({ folder, bucket, images, now: now() });
  if (publication.outcome !== 'invalid') return;
  throw new Error(`The demonstration catalog is invalid: ${JSON.stringify(publication.errors)}`);
}

/**
 * Registers the demonstration client under the gateway's id of a key, with its users, unless they exist. What a former call
 * left unfinished is finished, and nothing else is changed.
 */
export async function registerDemonstration(keyId: string, hashPassword: () => Promise<string>): Promise<Client> {
  const client = (await findClientOfKey(table(), keyId)) ?? (await addDemoClient(keyId));
  // One after the other, so that each user has the same id on every server.
  for (const user of DEMO_USERS) {
    if (await userByEmail(table(), client.id, user.email)) continue;
    const passwordHash = await hashPassword();
    await createUser(table(), ids(), { ...user, clientId: client.id, passwordHash }, now());
  }
  return client;
}

async function addDemoClient(keyId: string): Promise<Client> {
  // A call that was cut off may have left it without a key.
  const isKeyless = ({ name, gatewayKeyIds }: ClientRecord) => name === DEMO_CLIENT.name && gatewayKeyIds.length === 0;
  const keyless = (await listClients(table())).find(isKeyless);
  const client = keyless ?? (await createClient(table(), ids(), DEMO_CLIENT, now()));
  await addGatewayKey(table(), client.id, keyId);
  return client;
}
