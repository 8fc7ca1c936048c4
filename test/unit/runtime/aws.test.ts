import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cachedSecret, signedFetch } from '../../../shared/runtime/aws.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';
import { type HeldLimits, holdLimits } from '../../support/faults/held-limits.ts';
import { captureOutput } from '../../support/operators/output.ts';

const SECRET = 'planted-secret';
const answerWith = (text: string): Scripted => ({ status: 200, body: { SecretString: text } });
const DENIED: Scripted = { status: 400, body: { __type: 'AccessDeniedException' } };

let clock: Date;
let log: string[];
let limits: HeldLimits;

/** Opens a secret whose manager answers as scripted. */
async function openSecret(...script: readonly Scripted[]) {
  const { url, heard } = await openScriptedApi(...script);
  vi.stubEnv('AWS_REGION', 'mx-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', url);
  const parse = (text: string) => {
    if (!text.startsWith('planted')) throw new Error(`${SECRET} is not ${text}`);
    return text;
  };
  const secret = cachedSecret('tokens', parse, () => clock);
  const at = (time: string) => {
    clock = new Date(`2026-11-21T${time}Z`);
    return secret();
  };
  return { at, heard };
}

describe('a secret', () => {
  beforeEach(() => {
    limits = holdLimits();
    clock = new Date('2026-11-21T18:00:00.000Z');
    log = captureOutput();
    return () => vi.restoreAllMocks();
  });

  it('is read again by the first call after 5 minutes', async () => {
    const { at, heard } = await openSecret(answerWith('planted first'), answerWith('planted second'));
    expect(await at('18:00:00.000')).toBe('planted first');
    expect(await at('18:04:59.999')).toBe('planted first');
    expect(heard).toHaveLength(1);
    // Lambda renews its credentials.
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDRENEWED');
    expect(await at('18:05:00.000')).toBe('planted second');
    const signers = heard.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    expect(signers).toEqual(['AKIDEXAMPLE', 'AKIDRENEWED']);
    expect(log).toEqual([]);
  });

  it.each<[string, Scripted]>([
    ['refuses', DENIED],
    ['fails', { status: 500 }],
    ['hangs up', 'hangs up'],
    ['answers something else', { status: 200, body: '<html>' }],
    ['has one that cannot be read', answerWith('other')],
  ])('serves for an hour after its last read while Secrets Manager %s', async (_, failure) => {
    const { at } = await openSecret(answerWith('planted first'), failure);
    await at('18:00:00.000');
    expect(await at('18:05:00.000')).toBe('planted first');
    expect(await at('18:59:59.999')).toBe('planted first');
    await expect(at('19:00:00.000')).rejects.toThrow();
  });

  it('is waited for no longer than a second', async () => {
    const { at } = await openSecret(answerWith('planted first'), () => limits.end(1_000));
    await at('18:00:00.000');
    expect(await at('18:05:00.000')).toBe('planted first');
  });

  it('is asked for again 10 s after a failed read, not by every call, and then serves anew', async () => {
    const { at, heard } = await openSecret(answerWith('planted first'), DENIED, answerWith('planted second'));
    await at('18:00:00.000');
    await at('18:05:00.000');
    expect(await at('18:05:09.999')).toBe('planted first');
    expect(heard).toHaveLength(2);
    expect(await at('18:05:10.000')).toBe('planted second');
    expect(await at('18:10:09.999')).toBe('planted second');
    expect(heard).toHaveLength(3);
  });

  it('that was never read is asked for once by all calls at a time, and again by the next', async () => {
    const { at, heard } = await openSecret(DENIED, answerWith('planted first'));
    const calls = await Promise.allSettled([at('18:00:00.000'), at('18:00:00.000'), at('18:00:00.000')]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(heard).toHaveLength(1);
    expect(await at('18:00:00.000')).toBe('planted first');
  });

  it('that is too old to serve is asked for again by the call after a failed read', async () => {
    const { at } = await openSecret(answerWith('planted first'), DENIED, answerWith('planted second'));
    await at('18:00:00.000');
    await at('18:59:59.000');
    expect(await at('19:00:00.000')).toBe('planted second');
  });

  it('that cannot be read has one log line and one metric for each read, without itself', async () => {
    vi.stubEnv('METRICS_NAMESPACE', 'Pharmacy/sol');
    const { at } = await openSecret(answerWith('planted first'), DENIED, answerWith('other'));
    await at('18:00:00.000');
    await at('18:05:00.000');
    await at('18:05:01.000');
    await at('18:15:00.000');
    const Metrics = [{ Name: 'unreadSecrets', Unit: 'Count' }];
    const metric = {
      unreadSecrets: 1,
      _aws: { CloudWatchMetrics: [{ Namespace: 'Pharmacy/sol', Dimensions: [[]], Metrics }] },
    };
    const line = { level: 'ERROR', message: 'a secret could not be read', secretId: 'tokens' };
    expect(log.map((text) => JSON.parse(text))).toMatchObject([
      ...[metric, { ...line, ageMinutes: 5, code: '400' }],
      ...[metric, { ...line, ageMinutes: 15, error: 'Error' }],
    ]);
    expect(log.join('')).not.toContain('planted');
  });
});

describe('a signed request', () => {
  const access = { region: 'us-east-1', credentials: { accessKeyId: 'planted', secretAccessKey: 'planted' } };
  const send = signedFetch('s3', access);
  // A test that does not measure the time leaves a busy machine as much as it needs.
  const PATIENCE_MS = 20_000;

  it('ends after its time, although its garbage is collected meanwhile', async () => {
    const { url } = await openScriptedApi('says nothing');
    setFlagsFromString('--expose_gc');
    const timer = setInterval(runInNewContext('gc') as () => void, 20);
    onTestFinished(() => clearInterval(timer));
    await expect(send(url, 200)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it.each([
    [429, 2],
    [503, 2],
    [404, 1],
    [200, 1],
  ])('that is answered %i is sent %i times', async (status, times) => {
    const { url, heard } = await openScriptedApi({ status });
    expect((await send(url, PATIENCE_MS, { method: 'POST', body: 'planted body' })).status).toBe(status);
    expect(heard.map(({ body }) => body)).toEqual(Array(times).fill('planted body'));
    const signature = /^AWS4-HMAC-SHA256 Credential=planted\/\d{8}\/us-east-1\/s3\/aws4_request/;
    expect(heard[0]?.headers.authorization).toMatch(signature);
  });
});
