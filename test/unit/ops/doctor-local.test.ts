import { tmpdir } from 'node:os';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createSpaceWatch } from '../../../infra/local/free-space.ts';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { LOCAL_CHECKS } from '../../../infra/ops/doctor/local.ts';
import { Interrupted } from '../../../infra/ops/terminal/interrupt.ts';
import { loopback } from '../../support/http/loopback.ts';
import { openTestGateway } from '../../support/servers/test-gateway.ts';

async function openEngine(status: number): Promise<string> {
  const { url, close } = await loopback((_, response) => response.writeHead(status).end());
  onTestFinished(close);
  return url;
}

beforeEach(() => () => vi.unstubAllEnvs());

async function look(name: string) {
  const checks = LOCAL_CHECKS.filter((check) => check.name === name);
  const [{ state, finding } = {}] = await runChecks(checks, 'local');
  return [state, finding];
}

it.each([
  [200_000_000, 'ok', '200 MB for /data'],
  [199_999_999, 'failed', 'Only 199 MB are free for /data: writes are answered 503 below 200 MB.'],
])("finds %d free bytes for the server's folder to be %s", async (free, state, finding) => {
  const { disk } = createSpaceWatch({ directory: '/data', report: () => {}, readFree: () => free });
  const gateway = await openTestGateway({ disk });
  onTestFinished(gateway.close);
  vi.stubEnv('LOCAL_DIR', tmpdir());
  vi.stubEnv('AWS_ENDPOINT_URL_API_GATEWAY', `${new URL(gateway.url).origin}/_control`);
  expect(await look('free space')).toEqual([state, finding]);
});

it('skips the space of a server that does not answer', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_API_GATEWAY', 'http://127.0.0.1:1/_control');
  expect(await look('free space')).toEqual([
    'skipped',
    'It needs the local server, which does not answer at http://127.0.0.1:1/_control.',
  ]);
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
