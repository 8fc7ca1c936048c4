import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LocalS3, startLocalS3 } from '../support/engines/local-s3.ts';
import { operate } from '../support/operators/operator.ts';

let s3: LocalS3;
let folder: string;

beforeEach(async () => {
  // `--local` uses this bucket.
  s3 = await startLocalS3('pharmacy-catalog');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
  vi.stubEnv('AWS_SESSION_TOKEN', 'of another account');
  folder = await mkdtemp(join(tmpdir(), 'ops-catalog-'));
  await cp('infra/local/demo-catalog', folder, { recursive: true });
});

afterEach(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const ops = (...argv: string[]) => operate('pipe', '--local', ...argv);

/** Runs a command in a process of its own. */
async function opsProcess(...argv: string[]) {
  const env = { PATH: process.env.PATH, AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_SESSION_TOKEN: 'of another account' };
  const child = spawn(process.execPath, ['infra/ops/cli.ts', '--local', ...argv], { env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, err };
}

describe('the operator of a catalog', () => {
  test('publishes, lists and restores versions from the command line', async () => {
    expect((await opsProcess('catalog', 'versions')).out).toBe('No catalog was published yet.\n');
    const first = await opsProcess('catalog', 'publish', folder);
    expect([first.code, first.err]).toEqual([0, '']);
    const [, version] = /^Published version ([0-9a-f]{16}): 135 products\.\n/.exec(first.out) ?? [];
    expect((await ops('catalog', 'publish', folder)).out).toContain('only its date is new');
    await appendFile(join(folder, 'companies.jsonl'), '{"id":12,"name":"Laboratorios Ejemplo 12"}\n');
    const second = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    expect(second).toMatchObject({ outcome: 'published', products: 135 });
    expect((await ops('catalog', 'activate', String(version))).out).toBe(
      `Version ${version} is the current catalog.\n`,
    );
    const listed = (await opsProcess('catalog', 'versions')).out.split('\n');
    expect(listed.map((line) => line.slice(0, 18))).toEqual([`  ${second.version}`, `* ${version}`, '']);
    expect(await ops('catalog', 'activate', 'nonsense')).toEqual({
      code: 1,
      out: '',
      err: 'There is no such version: `catalog versions` lists them.\n',
    });
  });

  test('sees every error, and publishes nothing', async () => {
    await writeFile(join(folder, 'tags.jsonl'), '{"id":1}\n{"name":"Genérico"}\n');
    const { code, out } = await ops('--json', 'catalog', 'publish', folder);
    expect(code).toBe(1);
    expect(JSON.parse(out).errors.length).toBeGreaterThanOrEqual(2);
    expect(s3.requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });
});
