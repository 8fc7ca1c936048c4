import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { type CatalogBucket, readPointer } from '../../../shared/catalog/bucket.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { hasCurrentFormat, type Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { withTempDir } from '../../../shared/catalog/publishing/local-files.ts';
import { readRecord, readSnapshot } from '../../../shared/catalog/publishing/versions.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { CommandRefusal, setting } from '../errors.ts';
import { untilInterrupted } from '../prompt.ts';

/** Opens the bucket of the catalogs with the credentials of an operator, which may be of any kind. */
export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: process.env.S3_PATH_STYLE === 'true' }),
  name: setting('CATALOG_BUCKET'),
});

/** Returns a version that was published, or the current one. Throws a Refusal if there is none. */
export async function findVersion(version: string | undefined): Promise<Pointer> {
  const bucket = catalogBucket();
  const found = version === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, version);
  if (found) return found;
  throw version === undefined
    ? refusedToOperator('catalog_not_published', {})
    : refusedToOperator('version_unknown', { version });
}

/** Returns the plain bytes of a version. Throws a Refusal if they are missing, damaged, or of an older format. */
export async function readOpenable(pointer: Pointer): Promise<Buffer> {
  const { version } = pointer;
  const snapshot = await readSnapshot(catalogBucket(), pointer);
  if (!snapshot) throw refusedToOperator('snapshot_damaged', { version });
  if (!hasCurrentFormat(snapshot)) throw refusedToOperator('snapshot_of_older_format', { version });
  return snapshot;
}

/** Calls `work` with a new folder, which is removed afterwards; Ctrl-C ends it, whatever became of the work. */
export const inInterruptibleScratch = <Result>(
  work: (scratch: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> =>
  untilInterrupted(async (signal) => {
    try {
      return await withTempDir((scratch) => work(scratch, signal));
    } finally {
      // Work on a catalog keeps the process busy, which learns of a Ctrl-C only now.
      await nextTurn();
      signal.throwIfAborted();
    }
  });

/**
 * Runs `work` on the current catalog, or on a version that was published. Throws a Refusal if there is none or it cannot be
 * opened.
 */
export async function withPublishedCatalog<Result>(
  work: (catalog: Catalog, pointer: Pointer) => Result,
  wanted?: string,
): Promise<Result> {
  const pointer = await findVersion(wanted);
  const snapshot = await readOpenable(pointer);
  return inInterruptibleScratch(async (scratch) => {
    const file = join(scratch, 'catalog.sqlite');
    await writeFile(file, snapshot, { mode: 0o600 });
    const catalog = openCatalog(file, { version: pointer.version, imageBaseUrl: '' });
    try {
      return work(catalog, pointer);
    } finally {
      catalog.close();
    }
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
