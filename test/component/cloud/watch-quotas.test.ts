import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { handler } from '../../../functions/jobs/watch-quotas.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type FakeAws, openFakeAws } from '../../support/engines/fake-aws.ts';
import { captureOutput } from '../../support/operators/output.ts';

let aws: FakeAws;
let asked: URLSearchParams[] = [];
let ofFirstPage: Readonly<Record<string, readonly (readonly [requests: number, left: number])[]>> = {};

beforeAll(async () => {
  aws = await openFakeAws({
    'GET /usageplans/plan1/usage': ({ path }) => {
      const query = new URL(path, 'http://aws').searchParams;
      asked.push(query);
      const first = { values: ofFirstPage, position: 'next' };
      return { body: query.has('position') ? { values: { ofSecondPage: [[400_000, 500_000]] } } : first };
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

/** Runs the job at a time and returns the lines that it logs. */
async function run(time: string) {
  setClock(new Date(time));
  const written = captureOutput();
  await handler();
  vi.restoreAllMocks();
  return written.map((line) => JSON.parse(line));
}

it('counts and names the keys that used up half of their quota today', async () => {
  ofFirstPage = {
    // A stored answer of AWS has such a pair: the requests of the day, and what was left of the month.
    quiet: [[84, 999_656]],
    crossedToday: [[600_001, 399_999]],
    oneRequestBefore: [[10, 500_001]],
    crossedEarlier: [[1_000, 300_000]],
    idleAtTheHalf: [[0, 500_000]],
    withoutUse: [],
  };
  expect(await run('2026-11-22T18:00:00.000Z')).toMatchObject([
    { message: 'half of a quota used', gatewayKeyId: 'crossedToday', usedPercent: 60 },
    { message: 'half of a quota used', gatewayKeyId: 'ofSecondPage', usedPercent: 50 },
    { message: 'metrics', quotasHalfUsed: 2 },
  ]);
  expect(asked.map((query) => Object.fromEntries(query))).toEqual([
    { startDate: '2026-11-22', endDate: '2026-11-22', limit: '500' },
    { startDate: '2026-11-22', endDate: '2026-11-22', limit: '500', position: 'next' },
  ]);
  expect(aws.signatures.get('GET /usageplans/plan1/usage')).toMatch(/\/apigateway\/aws4_request/);
});

it('looks at yesterday too in the first two hours of a day, also of a month', async () => {
  await run('2026-12-01T01:59:59.000Z');
  await run('2026-12-01T02:00:00.000Z');
  expect(asked.filter((query) => !query.has('position')).map((query) => query.get('startDate'))).toEqual([
    '2026-11-30',
    '2026-12-01',
  ]);
});

it('reports 0 when no key has reached the half, so that the alarm ends', async () => {
  aws.answer({ 'GET /usageplans/plan1/usage': { body: { values: { busy: [[9, 399_990]] } } } });
  expect(await run('2026-11-23T18:00:00.000Z')).toMatchObject([{ message: 'metrics', quotasHalfUsed: 0 }]);
});

it('fails when API Gateway refuses to say, so that a dead letter tells it', async () => {
  aws.answer({ 'GET /usageplans/plan1/usage': { status: 403, body: {} } });
  await expect(handler()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
});
