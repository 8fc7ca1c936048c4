import { afterEach, expect, it, vi } from 'vitest';
import { createLocalFunctions } from '../../../infra/local/local-functions.ts';
import { runStream } from '../../../infra/local/stream/run-stream.ts';
import { PUBLISHER } from '../../../infra/stream-jobs.ts';
import { loopback } from '../../support/http/loopback.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('a function that is invoked runs, and not while writes are stopped', async () => {
  let areStopped = true;
  const reported: string[] = [];
  // It has no table here, so that a run reports its failure.
  vi.stubEnv('TABLE_NAME', '');
  const functions = createLocalFunctions(
    (line) => reported.push(line),
    () => areStopped,
  );
  expect(functions.invoke('jobs-deliver-webhooks', {})).toBe(true);
  await functions.stop();
  expect(reported).toEqual([]);
  areStopped = false;
  functions.invoke('jobs-deliver-webhooks', {});
  await functions.stop();
  expect(reported).toEqual([expect.stringContaining('jobs-deliver-webhooks: ')]);
});

it('a stream is read, and not while writes are stopped', async () => {
  let asked = 0;
  const requests: number[] = [];
  const engine = await loopback((_, response) => {
    requests.push(asked);
    response.writeHead(500).end();
  });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', engine.url);
  vi.stubEnv('TABLE_NAME', 'pharmacy');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'x');
  const areWritesStopped = () => {
    asked += 1;
    return asked < 2;
  };
  const stream = runStream(
    { source: PUBLISHER, handler: async () => ({ batchItemFailures: [] }), areWritesStopped },
    '/no/such/folder/position.json',
  );
  await vi.waitUntil(() => requests.length > 0, { timeout: 10_000 });
  await stream.stop();
  await engine.close();
  expect(requests[0]).toBe(2);
});
