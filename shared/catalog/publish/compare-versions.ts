import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listRecordChanges, type RecordChange } from '../compare/record-changes.ts';
import { hasCurrentFormat } from '../file/format.ts';
import type { Pointer } from '../file/pointer.ts';
import type { CatalogBucket } from './bucket.ts';
import { type Comparison, compareFiles, findLost } from './comparison.ts';
import { inScratch } from './scratch.ts';
import { downloadSnapshot, readPointer, readRecord } from './versions.ts';

export type VersionComparison =
  /** `version` is the one that cannot be compared; undefined if that is the current one and none is current. */
  { readonly outcome: 'unknown' | 'damaged'; readonly version: string | undefined } | ComparedVersions;

export type ComparedVersions = Comparison & {
  readonly outcome: 'compared';
  readonly from: string;
  readonly to: string;
  /** The records that differ, with their names. */
  readonly records: readonly RecordChange[];
  /** The products that the later version does not know. */
  readonly forgotten: readonly number[];
};

type Versions = {
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly to: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
  /** Ends the comparison with its reason. */
  readonly signal: AbortSignal;
};

/**
 * Compares two published versions: what going from one to the other adds, removes and changes. `unknown`: there is no such
 * version, or none is current. `damaged`: its snapshot is missing, has changed, or has an older format. Throws what S3 throws.
 */
export async function compareVersions({ from, to, bucket, now, signal }: Versions): Promise<VersionComparison> {
  const before = from === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, from);
  if (!before) return { outcome: 'unknown', version: from };
  const after = await readRecord(bucket, to);
  if (!after) return { outcome: 'unknown', version: to };
  const snapshots = { before, after, bucket, now, signal };
  const compared = await inScratch((scratch) => compareSnapshots(snapshots, scratch));
  signal.throwIfAborted();
  return compared;
}

type Snapshots = Pick<Versions, 'bucket' | 'now' | 'signal'> & { readonly before: Pointer; readonly after: Pointer };

async function compareSnapshots(
  { before, after, bucket, now, signal }: Snapshots,
  scratch: string,
): Promise<VersionComparison> {
  signal.throwIfAborted();
  const former = await downloadReadable(bucket, before, join(scratch, 'before.sqlite'));
  if (former === null) return { outcome: 'damaged', version: before.version };
  signal.throwIfAborted();
  const latter = await downloadReadable(bucket, after, join(scratch, 'after.sqlite'));
  signal.throwIfAborted();
  const comparison = latter && compareFiles(former, latter, now);
  if (!latter || !comparison) return { outcome: 'damaged', version: after.version };
  const records = listRecordChanges(former, latter, comparison.difference);
  const forgotten = findLost(former, latter);
  return { outcome: 'compared', from: before.version, to: after.version, ...comparison, records, forgotten };
}

async function downloadReadable(bucket: CatalogBucket, version: Pointer, file: string): Promise<string | null> {
  const downloaded = await downloadSnapshot(bucket, version, file);
  return downloaded !== null && hasCurrentFormat(await readFile(downloaded)) ? downloaded : null;
}
