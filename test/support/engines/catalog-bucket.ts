import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { publishCatalog } from '../../../shared/catalog/publishing/publish.ts';
import { catalogConfig, imagesConfig } from '../../../shared/runtime/config.ts';
import { catalogFolder } from '../catalogs/small-catalog.ts';

export const DEMO_CATALOG = join(import.meta.dirname, '../../../infra/local/demo-catalog');

/** Gives this test file an empty CATALOG_BUCKET of its own. */
export async function openCatalogBucket(): Promise<void> {
  process.env.CATALOG_BUCKET = `catalog-${randomUUID()}`;
  const s3 = new S3Client({ forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: process.env.CATALOG_BUCKET }));
  s3.destroy();
}

/** Publishes a folder as the catalog of this test file's server, which must have its own CATALOG_BUCKET. */
export async function publishToTestServer(folder: string): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  const publication = await publishCatalog({
    folder,
    bucket: { s3, name: catalogConfig().CATALOG_BUCKET },
    images: { s3, name: imagesConfig().IMAGES_BUCKET },
    now: new Date('2026-11-21T18:00:00.000Z'),
  });
  s3.destroy();
  if (publication.outcome === 'published') return;
  throw new Error(`the catalog was not published: ${JSON.stringify(publication)}`);
}

/** Publishes records in the same way, from a folder that is removed again. */
export async function publishRecords(records: Parameters<typeof catalogFolder>[0]): Promise<void> {
  const folder = catalogFolder(records);
  await publishToTestServer(folder);
  await rm(folder, { recursive: true });
}
