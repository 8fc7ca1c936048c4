import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { BucketAlreadyExists, BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Client } from '../../shared/access/clients.ts';
import { readPointer } from '../../shared/catalog/bucket.ts';
import { hasCurrentFormat } from '../../shared/catalog/file/snapshot.ts';
import { downloadSnapshot, withTempDir } from '../../shared/catalog/publishing/versions.ts';
import { catalogConfig, documentsConfig, imagesConfig, tableConfig } from '../../shared/runtime/config.ts';
import { TABLE } from '../../shared/store/keys.ts';
import { publishDemonstration, registerDemonstration } from './demonstration.ts';
import type { ApiKeys } from './gateway/api-keys.ts';

export const DEMO_API_KEY = 'demo-key-2026-farmacia-abierta';
export const DEMO_PASSWORD = 'farmacia-demo-2026';
// Everybody may know the password: it need not be hashed anew at each start, which takes 50 ms a user.
export const DEMO_PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$78yNMP+EimKcq7pLo23a5w$zGfboCqEJb8FEsDeu2ReaqMf9LATexatvK9PPzk3w10';

/** `streamed`: what is written can be read from the table's stream. `plain`: without one, which costs the engine less. */
export type TableKind = 'streamed' | 'plain';

export async function createStores(kind: TableKind): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  const buckets = [catalogConfig().CATALOG_BUCKET, documentsConfig().DOCUMENTS_BUCKET, imagesConfig().IMAGES_BUCKET];
  const created = buckets.map((Bucket) => s3.send(new CreateBucketCommand({ Bucket })).catch(expectExistence));
  await Promise.all([createTable(tableConfig().TABLE_NAME, kind), ...created]);
  s3.destroy();
}

/** Creates the table with the keys of `shared/store/keys.ts`, unless it exists. */
export async function createTable(TableName: string, kind: TableKind): Promise<void> {
  const client = new DynamoDBClient({});
  const { partitionKey, sortKey, timeToLive: AttributeName } = TABLE;
  const creation = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    ...(kind === 'streamed' && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
  });
  const TimeToLiveSpecification = { AttributeName, Enabled: true };
  try {
    await client.send(creation);
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } catch (error) {
    expectExistence(error);
  } finally {
    client.destroy();
  }
}

function expectExistence(error: unknown): void {
  const kinds = [ResourceInUseException, BucketAlreadyExists, BucketAlreadyOwnedByYou];
  if (!kinds.some((kind) => error instanceof kind)) throw error;
}

/** Publishes the demonstration catalog, unless the published one is undamaged and has the format of this program. */
export async function publishDemoCatalog(): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  const bucket = { s3, name: catalogConfig().CATALOG_BUCKET };
  const { pointer } = await readPointer(bucket);
  const isPublished = await withTempDir(async (temp) => {
    const file = pointer && (await downloadSnapshot(bucket, pointer, join(temp, 'catalog.sqlite')));
    return Boolean(file && hasCurrentFormat(file));
  });
  if (!isPublished) await publishDemonstration(bucket, { s3, name: imagesConfig().IMAGES_BUCKET });
  s3.destroy();
}

/** Registers the demonstration client with its API key and its users, unless they exist. */
export async function registerDemoClient(keys: ApiKeys): Promise<Client> {
  const key = keys.find(DEMO_API_KEY) ?? keys.create({ name: 'demo', value: DEMO_API_KEY, enabled: true });
  return registerDemonstration(key.id, async () => DEMO_PASSWORD_HASH);
}
