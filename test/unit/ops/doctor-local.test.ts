import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { ReadFreeBytes } from '../../../infra/local/free-space.ts';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { localChecks } from '../../../infra/ops/doctor/local.ts';
import { Interrupted } from '../../../infra/ops/terminal/interrupt.ts';

async function openEngine(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(() => {
  vi.stubEnv('LOCAL_DIR', '/data');
  return () => vi.unstubAllEnvs();
});

async function look(name: string, readFree: ReadFreeBytes = async () => 0) {
  const checks = localChecks(readFree).filter((check) => check.name === name);
  const [{ state, finding } = {}] = await runChecks(checks, 'local');
  return [state, finding];
}

it.each([
  [200_000_000, 'ok', '200 MB for /data'],
  [199_999_999, 'failed', 'Only 199 MB are free for /data: writes are answered 503 below 200 MB.'],
])('finds %d free bytes to be %s', async (free, state, finding) => {
  expect(await look('free space', async () => free)).toEqual([state, finding]);
});

it('skips the space of a folder that does not exist', async () => {
  const missing = Object.assign(new Error('none'), { code: 'ENOENT' });
  expect(await look('free space', () => Promise.reject(missing))).toEqual(['skipped', 'There is no /data.']);
});

it('names the engine that has ended, and no other', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', await openEngine(403));
  vi.stubEnv('AWS_ENDPOINT_URL_SES', await openEngine(200));
  expect(await look('engines')).toEqual(['failed', 'DynamoDB does not answer at http://127.0.0.1:1.']);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', await openEngine(400));
  expect(await look('engines')).toEqual(['ok', 'DynamoDB, S3, SES']);
});

it('ends with a Ctrl-C, which is no finding of the check that it cuts off', async () => {
  const cutOff = { name: 'catalog', needs: [], remedy: '', look: () => Promise.reject(new Interrupted()) };
  await expect(runChecks([cutOff], 'local')).rejects.toThrow(Interrupted);
});
