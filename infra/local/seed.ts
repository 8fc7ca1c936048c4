import { join } from 'node:path';
import { BucketAlreadyExists, BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { hasCurrentFormat } from '../../shared/catalog/file/snapshot.ts';
import { publishCatalog } from '../../shared/catalog/publish/publish.ts';
import { readPointer, readSnapshot } from '../../shared/catalog/publish/versions.ts';
import { ids, table } from '../../shared/deps.ts';
import type { Role } from '../../shared/domain/person.ts';
import { now } from '../../shared/runtime/clock.ts';
import { catalogConfig, documentsConfig, tableConfig } from '../../shared/runtime/config.ts';
import { addGatewayKey, type Client, createClient, findClientOfKey } from '../../shared/store/access/clients.ts';
import { createUser, type NewUser, userByEmail } from '../../shared/store/people/users.ts';
import { createTable, type TableKind } from './engines/table.ts';
import type { ApiKeys } from './gateway/api-keys.ts';
import { LocalServerError } from './local-server-error.ts';

export const DEMO_API_KEY = 'demo-key-2026-farmacia-abierta';
export const DEMO_PASSWORD = 'farmacia-demo-2026';
// Everybody may know the password: it need not be hashed anew at each start, which takes 50 ms a user.
export const DEMO_PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$78yNMP+EimKcq7pLo23a5w$zGfboCqEJb8FEsDeu2ReaqMf9LATexatvK9PPzk3w10';

const DEMO_CLIENT = {
  name: 'Farmacia Demo',
  origin: 'demo',
  paymentMethods: [1, 2, 3, 4, 5],
  carrierName: 'Seguros Demo',
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

/** Creates the configured table and buckets, unless they exist. */
export async function createStores(kind: TableKind): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  await Promise.all([
    createTable(tableConfig().TABLE_NAME, kind),
    createBucket(s3, catalogConfig().CATALOG_BUCKET),
    createBucket(s3, documentsConfig().DOCUMENTS_BUCKET),
  ]);
  s3.destroy();
}

async function createBucket(s3: S3Client, name: string): Promise<void> {
  try {
    await s3.send(new CreateBucketCommand({ Bucket: name }));
  } catch (error) {
    if (!(error instanceof BucketAlreadyExists) && !(error instanceof BucketAlreadyOwnedByYou)) throw error;
  }
}

/**
 * Publishes the demonstration catalog, unless the published one is undamaged and has the format of this program.
 * Throws a LocalServerError when the folder is invalid.
 */
export async function publishDemoCatalog(): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  const bucket = { s3, name: catalogConfig().CATALOG_BUCKET };
  const { pointer } = await readPointer(bucket);
  const snapshot = pointer && (await readSnapshot(bucket, pointer));
  if (snapshot && hasCurrentFormat(snapshot)) return s3.destroy();
  const folder = join(import.meta.dirname, 'demo-catalog');
  const publication = await publishCatalog({ folder, bucket, now: now() });
  s3.destroy();
  if (publication.outcome !== 'invalid') return;
  throw new LocalServerError(`The demonstration catalog is invalid: ${JSON.stringify(publication.errors)}`);
}

/** Registers the demonstration client with its API key and its users, unless they exist. */
export async function registerDemoClient(keys: ApiKeys): Promise<Client> {
  const client = await demoClient(demoKey(keys));
  // One after the other, so that each user has the same id on every server.
  for (const user of DEMO_USERS) await registerDemoUser(client, user);
  return client;
}

function demoKey(keys: ApiKeys): string {
  const key = keys.find(DEMO_API_KEY) ?? keys.create({ name: 'demo', value: DEMO_API_KEY, enabled: true });
  if (!key.inUsagePlan) keys.change(key.id, { inUsagePlan: true });
  return key.id;
}

async function demoClient(gatewayKeyId: string): Promise<Client> {
  const known = await findClientOfKey(table(), gatewayKeyId);
  if (known) return known;
  const client = await createClient(table(), ids(), DEMO_CLIENT, now());
  await addGatewayKey(table(), client.id, gatewayKeyId);
  return client;
}

async function registerDemoUser(client: Client, user: DemoUser): Promise<void> {
  if (await userByEmail(table(), client.id, user.email)) return;
  await createUser(table(), ids(), { ...user, clientId: client.id, passwordHash: DEMO_PASSWORD_HASH }, now());
}
