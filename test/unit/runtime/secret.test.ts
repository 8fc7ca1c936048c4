import { beforeEach, describe, expect, it, vi } from 'vitest';
import { cachedSecret } from '../../../shared/runtime/aws.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';
import { type HeldLimits, holdLimits } from '../../support/faults/held-limits.ts';
import { captureOutput } from '../../support/operators/output.ts';

const SECRET = 'planted-secret';
const answerWith = (text: string): Scripted => ({ status: 200, body: { SecretString: text } });
const DENIED: Scripted = { status: 400, body: { __type: 'AccessDeniedException' } };

let clock: Date;
let log: string[];
let limits: HeldLimits;

beforeEach(() => {
  limits = holdLimits();
  clock = new Date('2026-11-21T18:00:00.000Z');
  log = captureOutput();
  return () => vi.restoreAllMocks();
});

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
  it('is read again by the first call after 5 minutes', async () => {
    const { at, heard } = await openSecret(answerWith('planted first'), answerWith('planted second'));
    expect(await at('18:00:00.000')).toBe('planted first');
    expect(await at('18:04:59.999')).toBe('planted first');
    expect(heard).toHaveLength(1);
    expect(await at('18:05:00.000')).toBe('planted second');
    expect(heard).toHaveLength(2);
    expect(log).toEqual([]);
  });

  it('is read with the keys that the environment has then', async () => {
    const { at, heard } = await openSecret(answerWith('planted first'), answerWith('planted second'));
    await at('18:00:00.000');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDRENEWED');
    await at('18:05:00.000');
    const signers = heard.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    expect(signers).toEqual(['AKIDEXAMPLE', 'AKIDRENEWED']);
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

  it('that was never read is asked for again by the call after a failed read', async () => {
    const { at } = await openSecret(DENIED, answerWith('planted first'));
    await expect(at('18:00:00.000')).rejects.toThrow('Secrets Manager answered 400');
    expect(await at('18:00:00.000')).toBe('planted first');
  });

  it('is asked for once by all calls at a time', async () => {
    const { at, heard } = await openSecret(DENIED, answerWith('planted first'));
    const calls = await Promise.allSettled([at('18:00:00.000'), at('18:00:00.000'), at('18:00:00.000')]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(heard).toHaveLength(1);
  });

  it('that is too old to serve is asked for again by the call after a failed read', async () => {
    const { at } = await openSecret(answerWith('planted first'), DENIED, answerWith('planted second'));
    await at('18:00:00.000');
    await at('18:59:59.000');
    expect(await at('19:00:00.000')).toBe('planted second');
  });

  it('has one log line for each failed read, without itself', async () => {
    const { at } = await openSecret(answerWith('planted first'), DENIED, answerWith('other'));
    await at('18:00:00.000');
    await at('18:05:00.000');
    await at('18:05:01.000');
    await at('18:15:00.000');
    expect(log.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'ERROR', message: 'a secret could not be read', secretId: 'tokens', ageMinutes: 5, code: '400' },
      { level: 'ERROR', message: 'a secret could not be read', secretId: 'tokens', ageMinutes: 15, error: 'Error' },
    ]);
    expect(log.join('')).not.toContain('planted');
  });

  it('counts each failed read as a metric of the stack, in the embedded metric format', async () => {
    const { at } = await openSecret(DENIED);
    vi.stubEnv('METRICS_NAMESPACE', 'Pharmacy/sol');
    await expect(at('18:00:00.000')).rejects.toThrow();
    const Metrics = [{ Name: 'unreadSecrets', Unit: 'Count' }];
    const CloudWatchMetrics = [{ Namespace: 'Pharmacy/sol', Dimensions: [[]], Metrics }];
    expect(log.map((line) => JSON.parse(line))).toMatchObject([
      { unreadSecrets: 1, _aws: { Timestamp: expect.any(Number), CloudWatchMetrics } },
      { level: 'ERROR', message: 'a secret could not be read' },
    ]);
  });
});
