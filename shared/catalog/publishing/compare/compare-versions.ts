import { join } from 'node:path';
import type { CatalogBucket } from '../../bucket.ts';
import { hasCurrentFormat, type Pointer } from '../../file/snapshot.ts';
import { withTempDir } from '../local-files.ts';
import { downloadSnapshot } from '../versions.ts';
import { type Comparison, compareFiles, findLost } from './compare.ts';
import { listRecordChanges, type RecordChange } from './record-changes.ts';

/** A published version compared with another that would follow it. */
export type ComparedVersions = Comparison & {
  readonly records: readonly RecordChange[];
  /** The products that the later one does not know. */
  readonly forgotten: readonly number[];
};

type Versions = { readonly from: Pointer | undefined; readonly to: Pointer | undefined };

/** Compares two published versions; returns undefined if one of them is missing, damaged, or of an older format. */
export const compareVersions = ({ from, to }: Versions, bucket: CatalogBucket): Promise<ComparedVersions | undefined> =>
  withTempDir(async (temp) => {
    const before = await download(bucket, from, join(temp, 'before.sqlite'));
    const after = before && (await download(bucket, to, join(temp, 'after.sqlite')));
    const comparison = before && after && compareFiles(before, after, new Date());
    if (!comparison) return undefined;
    const records = listRecordChanges(before, after, comparison.difference);
    return { ...comparison, records, forgotten: findLost(before, after) };
  });

async function download(bucket: CatalogBucket, pointer: Pointer | undefined, file: string) {
  const snapshot = pointer && (await downloadSnapshot(bucket, pointer, file));
  return snapshot && hasCurrentFormat(snapshot) ? snapshot : undefined;
}
