import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { S3Client } from '@aws-sdk/client-s3';
import { loopback } from '../http/loopback.ts';

/** The only credentials that the local S3 accepts. */
export const LOCAL_S3_CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

/** The treatment of requests: served, answered 503, never answered, or disconnected. */
type Mode = 'fair' | 'failing' | 'hanging' | 'resetting';

export type LocalS3 = Awaited<ReturnType<typeof startLocalS3>>;

// The engine omits the last slash of a bucket's path from the signature; S3 and its client do not.
const LISTING = /^GET \/[^/?]+\/\?/;

// The engine itself ignores the conditions of a PUT; S3 does not.
async function refusesCondition(engine: S3rver, { method, url = '', headers }: IncomingMessage): Promise<boolean> {
  if (method !== 'PUT') return false;
  const [bucket = '', ...key] = decodeURIComponent(url.split('?')[0] ?? '')
    .slice(1)
    .split('/');
  const stored = await engine.store.getMetadata(bucket, key.join('/')).catch(() => undefined);
  if (headers['if-none-match'] === '*') return stored !== undefined;
  return headers['if-match'] !== undefined && headers['if-match'] !== stored?.etag;
}

/**
 * Starts the local S3 on a free loopback port with a new data folder. It lists its requests, can be made to fail, and
 * checks the conditions of a PUT as S3 does.
 */
export async function startLocalS3(...buckets: readonly string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'local-s3-'));
  const options = { directory, silent: true, configureBuckets: buckets.map((name) => ({ name })) };
  const engine = new S3rver(options);
  await engine.configureBuckets();
  const serve = engine.callback();
  const serveListing = new S3rver({ ...options, allowMismatchedSignatures: true }).callback();
  const requests: string[] = [];
  let mode: Mode = 'fair';
  let look: (request: string) => Promise<void> | void = () => undefined;

  const { url: endpoint, close } = await loopback(async (request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    await look(line);
    if (mode === 'hanging') return;
    if (mode === 'resetting') return request.socket.destroy();
    if (mode === 'failing') return response.writeHead(503).end();
    if (await refusesCondition(engine, request)) return response.writeHead(412).end();
    if (LISTING.test(line)) return serveListing(request, response);
    serve(request, response);
  });
  const client = new S3Client({
    endpoint,
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  });

  return {
    endpoint,
    client,
    /** Every request since the start, as `GET /bucket/key`. */
    requests: requests as readonly string[],
    /** Sets a function that is called with each request before it is treated. */
    beforeEach: (next: (request: string) => Promise<void> | void): void => {
      look = next;
    },
    turn: (next: Mode): void => {
      mode = next;
    },
    stop: async () => {
      client.destroy();
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
