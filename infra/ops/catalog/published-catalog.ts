import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { listClients } from '../../../shared/access/clients.ts';
import type { CatalogBucket } from '../../../shared/catalog/bucket.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import type { Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import type { Comparison } from '../../../shared/catalog/publishing/compare/compare.ts';
import { downloadOpenable, getCurrentVersion, withTempDir } from '../../../shared/catalog/publishing/versions.ts';
import { readShortages } from '../../../shared/catalog/shortages.ts';
import type { Context } from '../context.ts';
import { CommandRefusal, setting } from '../errors.ts';
import { interruptSignal } from '../prompt.ts';

export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: process.env.S3_PATH_STYLE === 'true' }),
  name: setting('CATALOG_BUCKET'),
});

export function imagesBucket(): CatalogBucket | undefined {
  const { IMAGES_BUCKET: name } = process.env;
  return name ? { ...catalogBucket(), name } : undefined;
}

/** Runs `work` and then throws if there was a Ctrl-C, of which a process that is busy with a catalog learns only then. */
export async function interruptibly<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = interruptSignal();
  try {
    return await work(signal);
  } finally {
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Runs `work` on the current catalog. Throws a Refusal if there is none or it cannot be opened. */
export async function withPublishedCatalog<Result>(work: (catalog: Catalog, pointer: Pointer) => Result) {
  const [pointer, shortages] = await Promise.all([getCurrentVersion(catalogBucket()), readShortages(catalogBucket())]);
  return interruptibly(() =>
    withTempDir(async (temp) => {
      const file = join(temp, 'catalog.sqlite');
      await downloadOpenable(catalogBucket(), pointer, file);
      const catalog = openCatalog(file, { version: pointer.version, imageBaseUrl: '' });
      try {
        catalog.setShortages(shortages);
        return work(catalog, pointer);
      } finally {
        catalog.close();
      }
    }),
  );
}

export async function refuseUnknown(
  what: string,
  ids: readonly number[],
  find: (catalog: Catalog, id: number) => unknown,
): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !find(catalog, id)));
  if (unknown.length > 0) throw new CommandRefusal(`The published catalog has no ${what} ${unknown.join(', ')}.`);
}

/** Returns the payment methods of all clients, if the difference removes any; without one the table is not needed. */
export async function readPaymentMethods({ difference }: Comparison, context: Context): Promise<ReadonlySet<number>> {
  const isAsked = difference.kinds.payment_methods.removed.length > 0;
  const clients = isAsked ? await listClients(context.table) : [];
  return new Set(clients.flatMap(({ paymentMethods }) => paymentMethods));
}
