import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configuredSealKeys, configuredTokenKeys, parseSigningKeys } from '../../../shared/access/signing-keys.ts';
import { sealKeys } from '../../../shared/deps.ts';
import { type HeldLimits, holdLimits } from '../../support/faults/held-limits.ts';
import { type Loopback, loopback } from '../../support/http/loopback.ts';
import { captureOutput } from '../../support/operators/output.ts';

// The secrets have 32 bytes: "local-only-not-a-secret-32-bytes" and "another-one-that-has-32-bytes...".
const SECRET = 'bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM';
const OTHER_SECRET = 'YW5vdGhlci1vbmUtdGhhdC1oYXMtMzItYnl0ZXMuLi4';
const FIRST = `{"current":{"kid":"a","secret":"${SECRET}"}}`;
const SECOND = `{"current":{"kid":"b","secret":"${OTHER_SECRET}"},"previous":{"kid":"a","secret":"${SECRET}"}}`;

describe('parseSigningKeys', () => {
  const secret = new TextEncoder().encode('local-only-not-a-secret-32-bytes');
  const other = new TextEncoder().encode('another-one-that-has-32-bytes...');
  it.each([
    ['the current key alone', FIRST, { current: { kid: 'a', secret } }],
    [
      'the first key of a stack, which stands alone',
      `{"kid":"first","secret":"${SECRET}"}`,
      { current: { kid: 'first', secret } },
    ],
    [
      'the current and the previous key',
      SECOND,
      { current: { kid: 'b', secret: other }, previous: { kid: 'a', secret } },
    ],
  ])('reads %s', (_, json, keys) => {
    expect(parseSigningKeys(json)).toEqual(keys);
  });

  it.each([
    ['text', 'secret'],
    ['no current key', `{"previous":{"kid":"a","secret":"${SECRET}"}}`],
    ['a first key that is too short', `{"kid":"first","secret":"${SECRET.slice(0, 42)}"}`],
    ['a key without a name', `{"current":{"kid":"","secret":"${SECRET}"}}`],
    ['a secret of 31 bytes', `{"current":{"kid":"a","secret":"${SECRET.slice(0, 42)}"}}`],
    ['a secret that is not base64url', `{"current":{"kid":"a","secret":"${SECRET.slice(0, -1)}!"}}`],
    [
      'two keys of one name',
      `{"current":{"kid":"a","secret":"${SECRET}"},"previous":{"kid":"a","secret":"${OTHER_SECRET}"}}`,
    ],
  ])('refuses %s', (_, json) => {
    expect(() => parseSigningKeys(json)).toThrow();
  });

  it('does not repeat a secret in its error', () => {
    const short = `{"current":{"kid":"a","secret":"${SECRET.slice(0, 20)}"}}`;
    expect(() => parseSigningKeys(short)).toThrow(/^(?!.*bG9jYWwtb25seS1ub3Qt)/s);
  });
});

type Exchange = (request: IncomingMessage, response: ServerResponse) => void;

const secretAnswer =
  (keys: string): Exchange =>
  (_, response) =>
    response.end(JSON.stringify({ Name: 'tokens', SecretString: keys }));
const refusal: Exchange = (_, response) => response.writeHead(400).end('{"__type":"ResourceNotFoundException"}');

describe('configuredTokenKeys', () => {
  let manager: Loopback;
  let answer: Exchange;
  let asked: { headers: IncomingMessage['headers']; body: string }[];
  let clock: Date;
  let limits: HeldLimits;
  const now = () => clock;

  beforeEach(async () => {
    asked = [];
    limits = holdLimits();
    answer = secretAnswer(FIRST);
    clock = new Date('2026-11-21T18:00:00.000Z');
    manager = await loopback(async (request, response) => {
      asked.push({ headers: request.headers, body: await text(request) });
      answer(request, response);
    });
    vi.stubEnv('AWS_REGION', 'mx-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', manager.url);
    vi.stubEnv('TOKEN_KEYS', undefined);
    vi.stubEnv('TOKEN_SECRET_ID', 'tokens');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await manager.close();
  });

  it('takes the keys from the configuration itself, without a request', async () => {
    vi.stubEnv('TOKEN_KEYS', FIRST);
    expect((await configuredTokenKeys(now)()).current.kid).toBe('a');
    expect(asked).toEqual([]);
  });

  it('refuses a configuration that names no keys', () => {
    vi.stubEnv('TOKEN_SECRET_ID', undefined);
    expect(() => configuredTokenKeys(now)).toThrow('TOKEN_KEYS or TOKEN_SECRET_ID is needed');
  });

  it('is of other keys for held prices', async () => {
    vi.stubEnv('TOKEN_KEYS', FIRST);
    vi.stubEnv('SEAL_KEYS', SECOND);
    expect((await configuredSealKeys(now)()).current.kid).toBe('b');
    vi.stubEnv('SEAL_KEYS', undefined);
    vi.stubEnv('SEAL_SECRET_ID', 'seals');
    expect((await configuredSealKeys(now)()).current.kid).toBe('a');
    expect(asked.map(({ body }) => body)).toEqual(['{"SecretId":"seals"}']);
    vi.stubEnv('SEAL_SECRET_ID', undefined);
    expect(() => configuredSealKeys(now)).toThrow('SEAL_KEYS or SEAL_SECRET_ID is needed');
  });

  it('reads the keys of held prices once, when they are first asked for', async () => {
    vi.stubEnv('SEAL_KEYS', undefined);
    vi.stubEnv('SEAL_SECRET_ID', 'seals');
    expect(asked).toEqual([]);
    await sealKeys();
    expect((await sealKeys()).current.kid).toBe('a');
    expect(asked).toHaveLength(1);
  });

  it('asks Secrets Manager with a signed GetSecretValue', async () => {
    expect((await configuredTokenKeys(now)()).current.kid).toBe('a');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toBe('{"SecretId":"tokens"}');
    expect(asked[0]?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/secretsmanager\/aws4_request, SignedHeaders=\S*host;\S*x-amz-target, Signature=[0-9a-f]{64}$/,
      ),
    });
  });

  it('sees other keys after 5 minutes', async () => {
    const keys = configuredTokenKeys(now);
    await keys();
    answer = secretAnswer(SECOND);
    clock = new Date('2026-11-21T18:05:00.000Z');
    expect((await keys()).current.kid).toBe('b');
    expect(asked).toHaveLength(2);
  });

  it.each<[string, Exchange]>([
    ['refuses', refusal],
    ['answers no keys', secretAnswer('{}')],
    ['does not answer within a second', () => limits.end(1_000)],
  ])('is unavailable when Secrets Manager %s, and asks again when the caller may', async (_, failure) => {
    captureOutput();
    const keys = configuredTokenKeys(now);
    answer = failure;
    await expect(keys()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    answer = secretAnswer(FIRST);
    clock = new Date('2026-11-21T18:00:02.000Z');
    expect((await keys()).current.kid).toBe('a');
  });
});
