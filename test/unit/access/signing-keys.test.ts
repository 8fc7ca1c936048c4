import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { configuredSealKeys, configuredTokenKeys, parseSigningKeys } from '../../../shared/access/signing-keys.ts';
import { sealKeys } from '../../../shared/deps.ts';
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

type Answer = (response: ServerResponse) => void;

const answerWith =
  (keys: string): Answer =>
  (response) =>
    response.end(JSON.stringify({ Name: 'tokens', SecretString: keys }));

// `unit/runtime/aws` has how long a secret is kept.
describe('configuredTokenKeys', () => {
  let manager: Loopback;
  let answer: Answer;
  let requests: { headers: IncomingMessage['headers']; body: string }[];
  let clock: Date;
  const now = () => clock;

  beforeEach(async () => {
    requests = [];
    answer = answerWith(FIRST);
    clock = new Date('2026-11-21T18:00:00.000Z');
    manager = await loopback(async (request, response) => {
      requests.push({ headers: request.headers, body: await text(request) });
      answer(response);
    });
    vi.stubEnv('AWS_REGION', 'mx-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', manager.url);
    vi.stubEnv('TOKEN_KEYS', undefined);
    vi.stubEnv('TOKEN_SECRET_ID', 'tokens');
    return () => manager.close();
  });

  it('takes the keys from the configuration itself, without a request, or else refuses one that names none', async () => {
    vi.stubEnv('TOKEN_KEYS', FIRST);
    expect((await configuredTokenKeys(now)()).current.kid).toBe('a');
    expect(requests).toEqual([]);
    vi.stubEnv('TOKEN_KEYS', undefined);
    vi.stubEnv('TOKEN_SECRET_ID', undefined);
    expect(() => configuredTokenKeys(now)).toThrow('TOKEN_KEYS or TOKEN_SECRET_ID is needed');
  });

  it('is of other keys for held prices, which are read once, when they are first asked for', async () => {
    vi.stubEnv('SEAL_KEYS', SECOND);
    expect((await configuredSealKeys(now)()).current.kid).toBe('b');
    vi.stubEnv('SEAL_KEYS', undefined);
    expect(() => configuredSealKeys(now)).toThrow('SEAL_KEYS or SEAL_SECRET_ID is needed');
    vi.stubEnv('SEAL_SECRET_ID', 'seals');
    await sealKeys();
    expect((await sealKeys()).current.kid).toBe('a');
    expect(requests.map(({ body }) => body)).toEqual(['{"SecretId":"seals"}']);
  });

  it('asks Secrets Manager with a signed GetSecretValue', async () => {
    expect((await configuredTokenKeys(now)()).current.kid).toBe('a');
    const signature =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/secretsmanager\/aws4_request, SignedHeaders=\S*host;\S*x-amz-target, Signature=[0-9a-f]{64}$/;
    expect(requests).toMatchObject([
      {
        body: '{"SecretId":"tokens"}',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'secretsmanager.GetSecretValue',
          'x-amz-security-token': 'session',
          authorization: expect.stringMatching(signature),
        },
      },
    ]);
  });

  it.each<[string, Answer]>([
    ['refuses', (response) => response.writeHead(400).end('{"__type":"ResourceNotFoundException"}')],
    ['answers no keys', answerWith('{}')],
  ])('is unavailable when Secrets Manager %s, and asks again when the caller may', async (_, failure) => {
    captureOutput();
    const keys = configuredTokenKeys(now);
    answer = failure;
    await expect(keys()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    answer = answerWith(FIRST);
    clock = new Date('2026-11-21T18:00:02.000Z');
    expect((await keys()).current.kid).toBe('a');
    vi.restoreAllMocks();
  });
});
