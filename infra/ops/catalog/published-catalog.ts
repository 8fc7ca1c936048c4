import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { hasCurrentFormat, type Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import { type CatalogBucket, readPointer, readRecord, readSnapshot } from '../../../shared/catalog/publish/versions.ts';
import { openCatalog } from '../../../shared/catalog/read/open.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { CommandRefusal, setting } from '../errors.ts';
import { untilInterrupted } from '../prompt.ts';

/** Opens the bucket of the catalogs with the credentials of an operator, which may be of any kind. */
export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: process.env.S3_PATH_STYLE === 'true' }),
  name: setting('CATALOG_BUCKET'),
});

/** Runs `work` on the current catalog. Throws a Refusal if none is published or it cannot be opened. */
export async function withPublishedCatalog<Result>(
  work: (catalog: Catalog, pointer: Pointer) => Result,
): Promise<Result> {
  const bucket = catalogBucket();
  const { pointer } = await readPointer(bucket);
  if (!pointer) throw refusedToOperator('catalog_not_published', {});
  return withSnapshot(bucket, pointer, work);
}

/** Runs `work` on a version that was published. Throws a Refusal if there is none or it cannot be opened. */
export async function withCatalogVersion<Result>(version: string, work: (catalog: Catalog) => Result): Promise<Result> {
  const bucket = catalogBucket();
  const pointer = await readRecord(bucket, version);
  if (!pointer) throw refusedToOperator('version_unknown', { version });
  return withSnapshot(bucket, pointer, work);
}

async function withSnapshot<Result>(
  bucket: CatalogBucket,
  pointer: Pointer,
  work: (catalog: Catalog, pointer: Pointer) => Result,
): Promise<Result> {
  const snapshot = await readSnapshot(bucket, pointer);
  const { version } = pointer;
  if (!snapshot) throw refusedToOperator('snapshot_damaged', { version });
  if (!hasCurrentFormat(snapshot)) throw refusedToOperator('snapshot_of_older_format', { version });
  const workOnCopy = async (scratch: string): Promise<Result> => {
    const file = join(scratch, 'catalog.sqlite');
    await writeFile(file, snapshot, { mode: 0o600 });
    const catalog = openCatalog(file, { version, imageBaseUrl: '' });
    try {
      return work(catalog, pointer);
    } finally {
      catalog.close();
    }
  };
  return untilInterrupted(async (signal) => {
    const result = await inScratch(workOnCopy);
    // The work keeps the process busy, which learns of a Ctrl-C only now.
    await nextTurn();
    signal.throwIfAborted();
    return result;
  });
}

/** Throws a CommandRefusal that names the records that the published catalog does not have. */
export async function refuseUnknown(
  what: string,
  ids: readonly number[],
  find: (catalog: Catalog, id: number) => unknown,
): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !find(catalog, id)));
  if (unknown.length > 0) throw new CommandRefusal(`The published catalog has no ${what} ${unknown.join(', ')}.`);
}
