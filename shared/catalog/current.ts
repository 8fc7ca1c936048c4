import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable } from '../domain/refusal.ts';
import { singleFlight } from '../runtime/async.ts';
import { type AwsAccess, signedFetch } from '../runtime/aws.ts';
import { logError } from '../runtime/log.ts';
import type { Catalog } from './catalog.ts';
import { POINTER_KEY, type Pointer, pointer, snapshotKey, unpackSnapshotInto } from './file/snapshot.ts';
import { openCatalog } from './open.ts';
import { parseShortages, SHORTAGES_KEY, type Shortages } from './shortages.ts';

const CHECK_INTERVAL_MS = 30_000;
const CHECK_TIMEOUT_MS = 300;
const POINTER_TIMEOUT_MS = 1_000;
const SNAPSHOT_TIMEOUT_MS = 5_000;

export type CatalogSource = AwsAccess & {
  readonly bucket: string;
  /** The folder for unpacked snapshots, which processes may share. */
  readonly directory: string;
  readonly imageBaseUrl: string;
  readonly endpoint?: string | undefined;
  readonly pathStyle: boolean;
  now(): number;
};

type Opened = { readonly catalog: Catalog; readonly etag: string | null };
type ReadShortages = { readonly value: Shortages; readonly etag: string | null };
type Serving = Opened & { readonly shortages: ReadShortages };

/**
 * Returns a function that returns the published catalog. It downloads a catalog once; from 30 s after the last check,
 * the next call checks for at most 300 ms whether the pointer has moved and what is short, while all other calls return at
 * once. A replaced catalog stays open until the second check after its replacement, at least 30 s, which outlives any request
 * (29 s at the gateway). Throws the Refusal `unavailable` while no catalog can be opened: none is published, S3 does not
 * answer, or the snapshot is not the one that the pointer names.
 */
export function currentCatalog(source: CatalogSource): () => Promise<Catalog> {
  const bucket = createBucketReader(source);
  let serving: Serving | undefined;
  let retired: Catalog | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const load = async (): Promise<Serving> => {
    try {
      const [pointed, shortages] = await Promise.all([
        bucket(POINTER_KEY, POINTER_TIMEOUT_MS),
        fetchShortages(bucket, POINTER_TIMEOUT_MS),
      ]);
      return serve(await openLatest(bucket, source, pointed), shortages);
    } catch (cause) {
      throw unavailable({ retryAfterSeconds: 5, cause });
    }
  };
  const openNext = async ({ catalog, etag }: Opened): Promise<Opened> => {
    const answer = await bucket(POINTER_KEY, CHECK_TIMEOUT_MS, etag);
    return answer.status === 304 ? { catalog, etag } : openLatest(bucket, source, answer, catalog);
  };
  const renew = async (present: Serving): Promise<Serving> => {
    retired?.close();
    retired = undefined;
    const [pointed, short] = await Promise.allSettled([
      openNext(present),
      fetchShortages(bucket, CHECK_TIMEOUT_MS, present.shortages),
    ]);
    const failure = [pointed, short].find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failure) logError('the catalog could not be renewed', failure.reason, { serving: present.catalog.version });
    const opened = pointed.status === 'fulfilled' ? pointed.value : present;
    const shortages = short.status === 'fulfilled' ? short.value : present.shortages;
    if (opened.catalog !== present.catalog) retired = present.catalog;
    return serve(opened, shortages, present);
  };
  const check = singleFlight(async (): Promise<Serving> => {
    const startedAt = source.now();
    serving = serving ? await renew(serving) : await load();
    checkedAt = startedAt;
    return serving;
  });

  return async () => {
    if (serving && source.now() - checkedAt < CHECK_INTERVAL_MS) return serving.catalog;
    return (await check()).catalog;
  };
}

function serve({ catalog, etag }: Opened, shortages: ReadShortages, present?: Serving): Serving {
  const isServed = catalog === present?.catalog && shortages === present.shortages;
  if (!isServed) catalog.setShortages(shortages.value);
  return { catalog, etag, shortages };
}

type BucketReader = (key: string, timeoutMs: number, etag?: string | null) => Promise<Response>;

// A new stage has no shortages, and without the right to list S3 answers 403 for an object that does not exist.
const MISSING = [403, 404];

// The S3 client would add 428 KB to the bundle, for two GETs.
function createBucketReader(source: CatalogSource): BucketReader {
  const send = signedFetch('s3', source);
  const base = toBucketUrl(source);
  return async (key, timeoutMs, etag) => {
    const headers: Record<string, string> = etag ? { 'If-None-Match': etag } : {};
    const answer = await send(`${base}/${key}`, timeoutMs, { headers });
    if (answer.ok || answer.status === 304) return answer;
    await answer.body?.cancel();
    if (key === SHORTAGES_KEY && MISSING.includes(answer.status)) return Response.json({});
    throw new Error(`S3 answered ${answer.status} for ${key}`);
  };
}

function toBucketUrl({ bucket, region, endpoint, pathStyle }: CatalogSource): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return pathStyle ? `${url.origin}/${bucket}` : `${url.protocol}//${bucket}.${url.host}`;
}

async function openLatest(
  bucket: BucketReader,
  source: CatalogSource,
  answer: Response,
  present?: Catalog,
): Promise<Opened> {
  const etag = answer.headers.get('etag');
  const latest = pointer.parse(await answer.json());
  if (latest.version === present?.version) return { catalog: present, etag };
  const { body } = await bucket(snapshotKey(latest.sha256), SNAPSHOT_TIMEOUT_MS);
  if (!body) throw new Error(`the snapshot ${latest.version} is empty`);
  return { catalog: await openCopy(body, latest, source), etag };
}

async function fetchShortages(
  bucket: BucketReader,
  timeoutMs: number,
  present?: ReadShortages,
): Promise<ReadShortages> {
  const answer = await bucket(SHORTAGES_KEY, timeoutMs, present?.etag);
  if (answer.status === 304 && present) return present;
  return { value: parseShortages(await answer.json()), etag: answer.headers.get('etag') };
}

async function openCopy(
  snapshot: ReadableStream<Uint8Array>,
  latest: Pointer,
  source: CatalogSource,
): Promise<Catalog> {
  const { version } = latest;
  const file = join(source.directory, `${version}-${randomUUID()}.sqlite`);
  try {
    await unpackSnapshotInto(file, snapshot, latest);
    return openCatalog(file, { version, imageBaseUrl: source.imageBaseUrl });
  } finally {
    // A removed file stays readable while open, and no process leaves one behind. Only Windows refuses to remove an open file.
    await rm(file, { force: true }).catch((error: unknown) => {
      if (process.platform !== 'win32') throw error;
    });
  }
}
