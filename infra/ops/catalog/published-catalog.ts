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

/** Returns a version that was published, or the current one; undefined if there is none. */
export const findVersion = async (bucket: CatalogBucket, version: string | undefined): Promise<Pointer | undefined> =>
  version === undefined ? (await readPointer(bucket)).pointer : readRecord(bucket, version);

/**
 * Runs `work` on the current catalog, or on a version that was published. Throws a Refusal if there is none or it cannot be
 * opened.
 */
export async function withPublishedCatalog<Result>(
  work: (catalog: Catalog, pointer: Pointer) => Result,
  wanted?: string,
): Promise<Result> {
  const bucket = catalogBucket();
  const pointer = await findVersion(bucket, wanted);
  if (!pointer)
    throw wanted === undefined
      ? refusedToOperator('catalog_not_published', {})
      : refusedToOperator('version_unknown', { version: wanted });
  const { version } = pointer;
  const snapshot = await readSnapshot(bucket, pointer);
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
