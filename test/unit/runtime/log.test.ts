import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import type { RefusalCode } from '../../../shared/messages/refusals.ts';
import { noteRequest, runWithNotes } from '../../../shared/runtime/log.ts';
import { logRequest, reportMetrics } from '../../../shared/runtime/metrics.ts';
import { captureOutput } from '../../support/operators/output.ts';

afterEach(() => vi.restoreAllMocks());

// On Lambda, `console` puts what it is given under `message`, where no metric filter would find it.
it('writes JSON lines with their fields at the top to stdout itself, not through console', () => {
  const methods = ['log', 'info', 'warn', 'error'] as const;
  const spies = methods.map((method) => vi.spyOn(console, method).mockReturnValue());
  const written = captureOutput();
  reportMetrics({ unsentMail: 2 });
  logRequest({ status: 200 });
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  // Lambda takes level and time of such a line; without a time of RFC 3339 it would call every line INFO.
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(written.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'INFO', timestamp, message: 'metrics', unsentMail: 2 }),
    expect.objectContaining({ level: 'INFO', timestamp, message: 'request', status: 200 }),
  ]);
  for (const line of written) expect(line).toMatch(/^\{.*\}\n$/);
});

it('both failures of the job for documents and payments are logged, and one is thrown', async () => {
  vi.stubEnv('PAYMENTS_PROVIDER', 'sandbox');
  vi.stubEnv('TABLE_NAME', undefined);
  const output = captureOutput();
  await expect(runDueTasks()).rejects.toThrow('TABLE_NAME is not set.');
  expect(output).toEqual([expect.stringContaining('another part of the job failed too')]);
});

describe('in a function, whose log CloudWatch reads for metrics in the embedded metric format', () => {
  beforeEach(() => {
    vi.stubEnv('METRICS_NAMESPACE', 'Pharmacy/sol');
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'sol-orders-create');
  });

  /** Returns the log line of a request, and its metrics as `name by dimensions`. */
  const request = (
    status: number,
    notes: Parameters<typeof noteRequest>[0] = {},
    gatewayKeyId?: string,
    code?: RefusalCode,
  ) => {
    const written = captureOutput();
    runWithNotes(() => {
      noteRequest(notes);
      logRequest({ status, code, version: '7', gatewayKeyId });
    });
    const line = JSON.parse(written.join(''));
    const directives: { Namespace: string; Dimensions: string[][]; Metrics: object[] }[] =
      line._aws?.CloudWatchMetrics ?? [];
    return { line, directives };
  };

  it('the numbers of a job are metrics', () => {
    const written = captureOutput();
    reportMetrics({ webhooksDisabled: 1, webhooksGivenUp: 0 });
    const Metrics = [{ Name: 'webhooksDisabled' }, { Name: 'webhooksGivenUp' }];
    const CloudWatchMetrics = [{ Namespace: 'Pharmacy/sol', Dimensions: [[]], Metrics }];
    expect(JSON.parse(written.join(''))).toMatchObject({
      ...{ webhooksDisabled: 1, webhooksGivenUp: 0 },
      _aws: { Timestamp: expect.any(Number), CloudWatchMetrics },
    });
  });

  it('an answer 5xx counts for its function and version', () => {
    const { line, directives } = request(503);
    expect(line).toMatchObject({ status: 503, answers5xx: 1, function: 'sol-orders-create', version: '7' });
    const Metrics = [{ Name: 'answers5xx', Unit: 'Count' }];
    expect(directives).toEqual([{ Namespace: 'Pharmacy/sol', Dimensions: [['function', 'version']], Metrics }]);
  });

  it('an answer 5xx that is no fault counts by itself', () => {
    const { line, directives } = request(503, {}, undefined, 'rebuilding');
    const Metrics = [{ Name: 'expected5xx', Unit: 'Count' }];
    expect(directives).toEqual([{ Namespace: 'Pharmacy/sol', Dimensions: [[]], Metrics }]);
    expect(line).not.toHaveProperty('answers5xx');
    expect(request(503, {}, undefined, 'unavailable').line).toMatchObject({ answers5xx: 1 });
  });

  it('an e-mail or phone that somebody else has counts as a whole and for its client, whose id becomes a text', () => {
    const { line, directives } = request(400, { clientId: 12, codes: ['phone_taken'] });
    expect(line).toMatchObject({ takenContacts: 1, clientId: '12' });
    expect(directives).toMatchObject([{ Dimensions: [[], ['clientId']], Metrics: [{ Name: 'takenContacts' }] }]);
  });

  it('an invalid coupon counts as a whole and for its key, if it is known', () => {
    const { directives } = request(200, { invalidCoupon: true }, 'k1');
    expect(directives).toMatchObject([{ Dimensions: [[], ['gatewayKeyId']], Metrics: [{ Name: 'invalidCoupons' }] }]);
    expect(request(200, { invalidCoupon: true }).directives).toMatchObject([{ Dimensions: [[]] }]);
  });

  it('other requests count nothing, and their ids stay numbers', () => {
    const { line } = request(400, { clientId: 12, codes: ['required', 'email_taken'] });
    expect(line).toMatchObject({ status: 400, clientId: 12 });
    expect(line).not.toHaveProperty('_aws');
    expect(line).not.toHaveProperty('function');
  });
});
