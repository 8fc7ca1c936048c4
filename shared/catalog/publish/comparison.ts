import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareContents, type Difference } from '../compare/compare.ts';
import { readContent } from '../compare/content.ts';
import { type Offered, readOffered } from '../compare/offered.ts';
import { buildCatalog, type FolderErrors } from '../compile/compile.ts';
import { hasCurrentFormat, openCatalogFile } from '../file/format.ts';
import type { Pointer } from '../file/pointer.ts';
import type { CatalogBucket } from './bucket.ts';
import { inScratch } from './scratch.ts';
import { downloadSnapshot, readPointer, readRecord, type VersionDifference } from './versions.ts';

/** A difference, with what the earlier version offers. */
export type Comparison = {
  readonly difference: Difference;
  readonly offered: Offered;
  /** The shipping methods that both have, and that the later one does not offer any more, as it has no rate of them. */
  readonly unrated: readonly number[];
  /** The products that the later one neither publishes nor keeps for orders, where it is to follow the earlier one. */
  readonly lost?: readonly number[];
};

/** Compares two catalog files; returns null if there is no earlier one, or one of an older format. */
export function compareFiles(before: string | null, after: string, now: Date): Comparison | null {
  if (before === null || !hasCurrentFormat(readFileSync(before))) return null;
  const difference = compareContents(readContent(before), readContent(after));
  const offered = readOffered(before, now);
  return { difference, offered, unrated: findUnrated(offered, readOffered(after, now), difference) };
}

function findUnrated(before: Offered, after: Offered, { kinds }: Difference): number[] {
  const told = new Set([...after.shipping_methods, ...kinds.shipping_methods.removed]);
  return [...before.shipping_methods].filter((id) => !told.has(id));
}

/** Returns the products of the earlier file, withdrawn ones too, that the later one neither publishes nor keeps for orders. */
export function findLost(before: string, after: string): number[] {
  const kept = new Set(readProductIds(after));
  return readProductIds(before).filter((id) => !kept.has(id));
}

function readProductIds(file: string): number[] {
  const database = openCatalogFile(file);
  try {
    const rows = database.prepare('SELECT id FROM products UNION SELECT id FROM withdrawn ORDER BY id').all();
    return rows.map(({ id }) => Number(id));
  } finally {
    database.close();
  }
}

/** Returns a difference counted by kind, for the list of versions; null without an earlier version. */
export function countDifference(
  comparison: Comparison | null,
  from: { readonly version: string } | undefined,
): VersionDifference | null {
  if (!comparison || !from) return null;
  const counts = Object.entries(comparison.difference.kinds).map(([kind, { added, removed, changed }]) => {
    return [kind, { added: added.length, removed: removed.length, changed: changed.length }] as const;
  });
  const differing = counts.filter(([, { added, removed, changed }]) => added + removed + changed > 0);
  return { from: from.version, kinds: Object.fromEntries(differing) };
}

export type FolderComparison =
  | ({ readonly outcome: 'invalid' } & FolderErrors)
  | { readonly outcome: 'unknown' | 'damaged' }
  | ({ readonly outcome: 'compared'; readonly from: string } & Comparison);

type ComparedFolder = {
  readonly folder: string;
  /** A CSV file of products that are changed or added. */
  readonly csv?: string | undefined;
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  readonly onProgress?: (done: number) => void;
  /** Ends the comparison with its reason. */
  readonly signal?: AbortSignal;
};

/**
 * Compares a catalog folder with a published version and stores nothing. `unknown`: there is no such version, or none is
 * current. `damaged`: its snapshot is missing, has changed, or has an older format. Throws what S3 throws.
 */
export async function compareFolder({ from, ...input }: ComparedFolder): Promise<FolderComparison> {
  const { bucket, signal } = input;
  const version = from === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, from);
  if (!version) return { outcome: 'unknown' };
  const compared = await inScratch((scratch) => compareWith(version, input, scratch));
  // The comparison keeps the process busy, which learns of a Ctrl-C only while the folder is removed.
  signal?.throwIfAborted();
  return compared;
}

async function compareWith(
  version: Pointer,
  { folder, csv, bucket, now, ...progress }: Omit<ComparedFolder, 'from'>,
  scratch: string,
): Promise<FolderComparison> {
  const file = join(scratch, 'next.sqlite');
  const build = await buildCatalog(folder, file, { previous: null, csv, ...progress });
  if ('errors' in build) return { outcome: 'invalid', ...build };
  const previous = await downloadSnapshot(bucket, version, join(scratch, 'previous.sqlite'));
  progress.signal?.throwIfAborted();
  const comparison = compareFiles(previous, file, now);
  return comparison ? { outcome: 'compared', from: version.version, ...comparison } : { outcome: 'damaged' };
}
