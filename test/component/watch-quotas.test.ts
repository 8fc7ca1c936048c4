import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { handler } from '../../functions/jobs/watch-quotas.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { type FakeAws, openFakeAws } from '../support/engines/fake-aws.ts';
import { captureOutput } from '../support/operators/output.ts';

let aws: FakeAws;
let asked: URLSearchParams[] = [];

// A stored answer of AWS: the requests of each day, and what was left of the month.
const DAYS = [
  [137, 999_863],
  [123, 999_740],
  [84, 999_656],
];

beforeAll(async () => {
  aws = await openFakeAws({
    'GET /usageplans/plan1/usage': (path) => {
      const query = new URL(path, 'http://aws').searchParams;
      asked.push(query);
      const first = { values: { quiet: DAYS, busy: [[600_001, 399_999]] }, position: 'next' };
      return { body: query.has('position') ? { values: { idle: [] } } : first };
    },
  });
  Object.assign(process.env, {
    AWS_REGION: 'mx-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAJOB',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_API_GATEWAY: aws.url,
    USAGE_PLAN_ID: 'plan1',
    REQUESTS_PER_MONTH: '1000000',
    POWERTOOLS_LOG_LEVEL: 'INFO',
  });
});
afterEach(() => {
  setClock();
  asked = [];
});
afterAll(() => aws.close());

it('reports the largest share of its quota that a key has used in the month, and names the keys above half', async () => {
  setClock(new Date('2026-11-22T18:00:00.000Z'));
  const written = captureOutput();
  await handler();
  vi.restoreAllMocks();
  const lines = written.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { message: 'quota of a key', gatewayKeyId: 'busy', usedPercent: 60 },
    { message: 'metrics', quotaUsedPercent: 60 },
  ]);
  expect(asked.map((query) => Object.fromEntries(query))).toEqual([
    { startDate: '2026-11-01', endDate: '2026-11-22', limit: '500' },
    { startDate: '2026-11-01', endDate: '2026-11-22', limit: '500', position: 'next' },
  ]);
  expect(aws.signatures.get('GET /usageplans/plan1/usage')).toMatch(/\/apigateway\/aws4_request/);
});

it('reports 0 when no key has sent anything', async () => {
  aws.answer({ 'GET /usageplans/plan1/usage': { body: { values: {} } } });
  const written = captureOutput();
  await handler();
  vi.restoreAllMocks();
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ message: 'metrics', quotaUsedPercent: 0 }]);
});

it('fails when API Gateway refuses to say, so that a dead letter tells it', async () => {
  aws.answer({ 'GET /usageplans/plan1/usage': { status: 403, body: {} } });
  await expect(handler()).rejects.toThrow('API Gateway answered 403');
});
