import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { vi } from 'vitest';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { publishCatalog } from '../../../shared/catalog/publishing/publish.ts';
import { catalog, catalogBucket } from '../../../shared/deps.ts';
import { perContainer } from '../../../shared/runtime/async.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { catalogConfig, imagesConfig } from '../../../shared/runtime/config.ts';
import { catalogFolder, type smallCatalog } from '../catalogs/small-catalog.ts';

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

const LOOKING_AGAIN_MS = 31_000;
const looked = perContainer(() => ({ at: 0 }));

/**
 * Moves the clock on until the server of this file serves the published catalog. A warm server looks for a new version after
 * 30 s, and once more 30 s later if a busy machine has not answered within its 300 ms.
 */
export async function serveLatestCatalog(): Promise<void> {
  const { pointer } = await readPointer(catalogBucket());
  await vi.waitUntil(
    async () => {
      looked().at = Math.max(looked().at, Date.now()) + LOOKING_AGAIN_MS;
      setClock(new Date(looked().at));
      return (await catalog()).version === pointer?.version;
    },
    { timeout: 10_000 },
  );
}

/** Publishes a catalog, which the server serves when it returns, and sets the clock. */
export async function republish(records: ReturnType<typeof smallCatalog>, time: Date): Promise<void> {
  await publishRecords(records);
  await serveLatestCatalog();
  setClock(time);
}
