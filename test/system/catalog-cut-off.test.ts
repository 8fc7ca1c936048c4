import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogBucket } from '../../shared/catalog/bucket.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { catalogFolder, catalogWithSubstitutes, changedCatalog } from '../support/catalogs/small-catalog.ts';
import { DEMO_CATALOG } from '../support/engines/catalog-bucket.ts';
import { type LocalS3, startLocalS3 } from '../support/engines/local-s3.ts';

let folder: string;
let scratch: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cut-off-'));
  scratch = join(folder, 'tmp');
  await mkdir(scratch);
});

const startOps = (words: readonly string[], endpoint = '', limit = 'unlimited') =>
  spawn(
    'sh',
    ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', process.execPath, 'infra/ops/cli.ts', '--local', ...words],
    {
      env: { PATH: process.env.PATH, TMPDIR: scratch, AWS_ENDPOINT_URL_S3: endpoint },
    },
  );

type Running = ReturnType<typeof startOps>;

const STOPPING = 'Stopping; Ctrl-C again ends the command at once.';

async function finish(child: Running) {
  const [printed, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out: printed, err };
}

test('Ctrl-C ends a catalog command with 130, and it leaves no file and stores nothing', async () => {
  const methods: string[] = [];
  const bucket = createServer(async ({ method = '' }, response) => {
    methods.push(method);
    child.kill('SIGINT');
    await stopping;
    response.writeHead(404, { 'Content-Type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
  });
  await once(bucket.listen(0, '127.0.0.1'), 'listening');
  const { port } = bucket.address() as AddressInfo;
  const child: Running = startOps(['catalog', 'publish', DEMO_CATALOG], `http://127.0.0.1:${port}`);
  const stopping = once(child.stderr, 'data');
  const ended = await finish(child);
  bucket.close();
  expect(ended).toEqual({ code: 130, out: '', err: `${STOPPING}\n` });
  expect([methods, await readdir(folder), await readdir(scratch)]).toEqual([['GET'], ['tmp'], []]);
});

describe('a command on published versions', () => {
  let s3: LocalS3;
  let bucket: CatalogBucket;
  let first: string;

  beforeAll(async () => {
    s3 = await startLocalS3('pharmacy-catalog', 'pharmacy-images');
    bucket = { s3: s3.client, name: 'pharmacy-catalog' };
    first = await publish(catalogWithSubstitutes());
    await publish(changedCatalog());
  });
  afterEach(() => s3.beforeEach(() => undefined));
  afterAll(() => s3.stop());

  async function publish(records: ReturnType<typeof changedCatalog>): Promise<string> {
    const publication = await publishCatalog({ folder: catalogFolder(records), bucket, now: new Date() });
    if (publication.outcome !== 'published') throw new Error(publication.outcome);
    return publication.version;
  }

  test('that Ctrl-C cuts off while a snapshot is downloaded leaves none', async () => {
    let snapshots = 0;
    s3.beforeEach(async (request) => {
      if (!request.includes('/snapshots/') || ++snapshots !== 2) return;
      child.kill('SIGINT');
      await stopping;
    });
    const child = startOps(['catalog', 'activate', first], s3.endpoint);
    const stopping = Promise.race([once(child.stderr, 'data'), once(child, 'close')]);
    expect(await finish(child)).toEqual({ code: 130, out: '', err: `${STOPPING}\n` });
    expect(await readdir(scratch)).toEqual([]);
  });

  test('leaves no snapshot when the disk is full', async () => {
    const { code, out: printed } = await finish(startOps(['catalog', 'search', ''], s3.endpoint, '8'));
    expect([code, printed, await readdir(scratch)]).toEqual([1, '', []]);
  });
});
