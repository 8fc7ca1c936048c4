import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRecordChanges, type RecordChange } from '../compare/record-changes.ts';
import { hasCurrentFormat } from '../file/format.ts';
import type { Pointer } from '../file/pointer.ts';
import type { CatalogBucket } from './bucket.ts';
import { type Comparison, compareFiles, findLost } from './comparison.ts';
import { downloadSnapshot, readPointer, readRecord } from './versions.ts';

export type VersionComparison =
  /** `version` is the one that cannot be compared; undefined if that is the current one and none is current. */
  { readonly outcome: 'unknown' | 'damaged'; readonly version: string | undefined } | ComparedVersions;

export type ComparedVersions = Comparison & {
  readonly outcome: 'compared';
  readonly from: string;
  readonly to: string;
  readonly records: readonly RecordChange[];
  /** The products of the first version, withdrawn ones too, that the second one does not know. */
  readonly forgotten: readonly number[];
};

type Versions = {
  /** Undefined: the current version. */
  readonly from: string | undefined;
  readonly to: string;
  readonly bucket: CatalogBucket;
  readonly now: Date;
};

/**
 * Compares two published versions: what going from one to the other adds, removes and changes. `unknown`: there is no such
 * version, or none is current. `damaged`: its snapshot is missing, has changed, or has an older format. Throws what S3 throws.
 */
export async function compareVersions({ from, to, bucket, now }: Versions): Promise<VersionComparison> {
  const before = from === undefined ? (await readPointer(bucket)).pointer : await readRecord(bucket, from);
  if (!before) return { outcome: 'unknown', version: from };
  const after = await readRecord(bucket, to);
  if (!after) return { outcome: 'unknown', version: to };
  const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    return await compareSnapshots({ before, after, bucket, now }, scratch);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

type Snapshots = Pick<Versions, 'bucket' | 'now'> & { readonly before: Pointer; readonly after: Pointer };

async function compareSnapshots(
  { before, after, bucket, now }: Snapshots,
  scratch: string,
): Promise<VersionComparison> {
  const former = await downloadReadable(bucket, before, join(scratch, 'before.sqlite'));
  if (former === null) return { outcome: 'damaged', version: before.version };
  const latter = await downloadReadable(bucket, after, join(scratch, 'after.sqlite'));
  const comparison = latter === null ? null : compareFiles(former, latter, now);
  if (latter === null || comparison === null) return { outcome: 'damaged', version: after.version };
  const records = listRecordChanges(former, latter, comparison.difference);
  const forgotten = findLost(former, latter);
  return { outcome: 'compared', from: before.version, to: after.version, records, forgotten, ...comparison };
}

async function downloadReadable(bucket: CatalogBucket, version: Pointer, file: string): Promise<string | null> {
  const downloaded = await downloadSnapshot(bucket, version, file);
  return downloaded !== null && hasCurrentFormat(await readFile(downloaded)) ? downloaded : null;
}
