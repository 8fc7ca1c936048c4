import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEMO_CATALOG } from '../../support/engines/catalog-bucket.ts';

let folder: string;
let scratch: string;
let out: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cut-off-'));
  scratch = join(folder, 'tmp');
  out = join(folder, 'catalogo.sqlite');
  await mkdir(scratch);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const startOps = (words: readonly string[], endpoint = '', limit = 'unlimited') =>
  spawn(
    'sh',
    ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', process.execPath, 'infra/ops/cli.ts', '--local', ...words],
    {
      env: { PATH: process.env.PATH, TMPDIR: scratch, AWS_ENDPOINT_URL_S3: endpoint },
    },
  );

type Running = ReturnType<typeof startOps>;

async function finish(child: Running) {
  const [printed, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out: printed, err };
}

describe('a catalog command that is cut off', () => {
  test('by a full disk leaves the file that was built before', async () => {
    expect((await finish(startOps(['catalog', 'build', DEMO_CATALOG, '--out', out]))).code).toBe(0);
    const before = await readFile(out);
    const full = await finish(startOps(['catalog', 'build', DEMO_CATALOG, '--out', out], '', '100'));
    expect([full.code, full.out]).toEqual([1, '']);
    expect((await readFile(out)).equals(before)).toBe(true);
    expect([await readdir(folder), await readdir(scratch)]).toEqual([['catalogo.sqlite', 'tmp'], []]);
  });

  test.each([
    ['publish', DEMO_CATALOG],
    ['build', DEMO_CATALOG, '--onto-current', '--out'],
  ])('by Ctrl-C ends with 130, and %s leaves no file and stores nothing', async (...words) => {
    const methods: string[] = [];
    const bucket = createServer(async ({ method = '' }, response) => {
      methods.push(method);
      child.kill('SIGINT');
      await stopping;
      response.writeHead(404, { 'Content-Type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    });
    await once(bucket.listen(0, '127.0.0.1'), 'listening');
    const last = words.at(-1) === '--out' ? [out] : [];
    const { port } = bucket.address() as AddressInfo;
    const child: Running = startOps(['catalog', ...words, ...last], `http://127.0.0.1:${port}`);
    const stopping = once(child.stderr, 'data');
    const ended = await finish(child);
    bucket.close();
    expect(ended).toEqual({ code: 130, out: '', err: 'Stopping; Ctrl-C again ends the command at once.\n' });
    expect([methods, await readdir(folder), await readdir(scratch)]).toEqual([['GET'], ['tmp'], []]);
  });
});
