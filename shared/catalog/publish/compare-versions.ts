import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { hasCurrentFormat } from '../file/format.ts';
import type { Pointer } from '../file/pointer.ts';
import type { CatalogBucket } from './bucket.ts';
import type { ComparedFiles, NamedComparison } from './comparison-thread.ts';
import { inScratch } from './scratch.ts';
import { downloadSnapshot, readPointer, readRecord } from './versions.ts';

export type VersionComparison =
  /** `version` is the one that cannot be compared; undefined if that is the current one and none is current. */
  { readonly outcome: 'unknown' | 'damaged'; readonly version: string | undefined } | ComparedVersions;

export type ComparedVersions = NamedComparison & {
  readonly outcome: 'compared';
  readonly from: string;
  readonly to: string;
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
  const kept = findKept(before, after, now);
  if (kept) return kept;
  const snapshots = { before, after, bucket, now, signal };
  const compared = await inScratch((scratch) => compareSnapshots(snapshots, scratch));
  signal.throwIfAborted();
  return compared;
}

// Somebody who goes back to a version has looked at the difference, and goes back some minutes later.
const KEPT_MS = 10 * 60_000;
let latest: { readonly compared: ComparedVersions; readonly at: Date } | undefined;

/** Returns the latest comparison of this process if it was of these versions, which never change. */
function findKept(before: Pointer, after: Pointer, now: Date): ComparedVersions | undefined {
  if (!latest || now.getTime() - latest.at.getTime() > KEPT_MS) return undefined;
  const { compared } = latest;
  return compared.from === before.version && compared.to === after.version ? compared : undefined;
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
  const comparison = latter === null ? null : await compareInThread({ before: former, after: latter, now }, signal);
  if (comparison === null) return { outcome: 'damaged', version: after.version };
  const compared = { outcome: 'compared', from: before.version, to: after.version, ...comparison } as const;
  latest = { compared, at: now };
  return compared;
}

/** Compares two files in a thread of its own: with 10,000 products it takes seconds, in which the counter answers others. */
async function compareInThread(files: ComparedFiles, signal: AbortSignal): Promise<NamedComparison | null> {
  const thread = new Worker(new URL('./comparison-thread.ts', import.meta.url), { workerData: files });
  try {
    const [comparison] = await once(thread, 'message', { signal });
    return comparison;
  } catch (error) {
    // The error of `once` is not the reason of the signal.
    signal.throwIfAborted();
    throw error;
  } finally {
    await thread.terminate();
  }
}

async function downloadReadable(bucket: CatalogBucket, version: Pointer, file: string): Promise<string | null> {
  const downloaded = await downloadSnapshot(bucket, version, file);
  return downloaded !== null && hasCurrentFormat(await readFile(downloaded)) ? downloaded : null;
}
