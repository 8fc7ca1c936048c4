import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  configuredSealKeys,
  configuredTokenKeys,
  keptPublicKeys,
  type PublishedKey,
  parseSigningKeys,
  publishedTokenKeys,
  toTokenKeys,
} from '../../../shared/access/signing-keys.ts';
import { sealKeys } from '../../../shared/deps.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';
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
    ['a first key that stands alone', `{"kid":"first","secret":"${SECRET}"}`, { current: { kid: 'first', secret } }],
    ['the current and previous key', SECOND, { current: { kid: 'b', secret: other }, previous: { kid: 'a', secret } }],
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
    ['a name twice', `{"current":{"kid":"a","secret":"${SECRET}"},"previous":{"kid":"a","secret":"${OTHER_SECRET}"}}`],
  ])('refuses %s', (_, json) => {
    expect(() => parseSigningKeys(json)).toThrow();
  });

  it('does not repeat a secret in its error', () => {
    const short = `{"current":{"kid":"a","secret":"${SECRET.slice(0, 20)}"}}`;
    expect(() => parseSigningKeys(short)).toThrow(/^(?!.*bG9jYWwtb25seS1ub3Qt)/s);
  });
});

// `unit/runtime/aws` has how long a secret is kept.
describe('configuredTokenKeys', () => {
  const ANSWER = { status: 200, body: { Name: 'tokens', SecretString: FIRST } };
  let clock: Date;
  const now = () => clock;

  beforeEach(() => {
    clock = new Date('2026-11-21T18:00:00.000Z');
    const credentials = { ACCESS_KEY_ID: 'AKIDEXAMPLE', SECRET_ACCESS_KEY: 'wJalrXUtnFEMI', SESSION_TOKEN: 'session' };
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(`AWS_${name}`, value);
    vi.stubEnv('AWS_REGION', 'mx-central-1');
    vi.stubEnv('TOKEN_KEYS', undefined);
    vi.stubEnv('TOKEN_SECRET_ID', 'tokens');
  });

  /** Opens a Secrets Manager that answers as scripted, and returns what it was asked. */
  async function openManager(...script: readonly Scripted[]) {
    const { url, heard } = await openScriptedApi(...script);
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', url);
    return heard;
  }

  it('takes the keys from the configuration itself, without a request, or else refuses one that names none', async () => {
    const requests = await openManager(ANSWER);
    vi.stubEnv('TOKEN_KEYS', FIRST);
    expect((await configuredTokenKeys(now)()).current.kid).toBe('a');
    expect(requests).toEqual([]);
    vi.stubEnv('TOKEN_KEYS', undefined);
    vi.stubEnv('TOKEN_SECRET_ID', undefined);
    expect(() => configuredTokenKeys(now)).toThrow('TOKEN_KEYS or TOKEN_SECRET_ID is needed');
  });

  it('is of other keys for held prices, which are read once, when they are first asked for', async () => {
    const requests = await openManager(ANSWER);
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
    const requests = await openManager(ANSWER);
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

  it.each<[string, Scripted]>([
    ['refuses', { status: 400, body: { __type: 'ResourceNotFoundException' } }],
    ['answers no keys', { ...ANSWER, body: { SecretString: '{}' } }],
  ])('is unavailable when Secrets Manager %s, and asks again when the caller may', async (_, failure) => {
    captureOutput();
    await openManager(failure, ANSWER);
    const keys = configuredTokenKeys(now);
    await expect(keys()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    clock = new Date('2026-11-21T18:00:02.000Z');
    expect((await keys()).current.kid).toBe('a');
    vi.restoreAllMocks();
  });
});

const FIRST_KEYS = parseSigningKeys(`{"kid":"first","secret":"${SECRET}"}`);
const SECOND_KEYS = parseSigningKeys(`{"kid":"first","secret":"${OTHER_SECRET}"}`);
type Publish = (kid: string, key: PublishedKey) => Promise<void>;

const at = (time: string) => new Date(`2026-11-21T${time}.000Z`);

it('a secret makes one pair of keys, whatever it is named', () => {
  // Computed with `openssl pkey -inform DER -pubout` of the SHA-256 of the secret.
  expect(toTokenKeys(FIRST_KEYS.current)).toMatchObject({
    kid: 'RrwA3Z7aSBoTwj2P3g7HtleenUSXegcZjZ9yeFt9g8Y',
    publicKey: 'xd-VdySJrBgfXqC8-ENiEPJXhsEF84_Gc7TkmrEMWyE',
  });
  expect(toTokenKeys({ secret: FIRST_KEYS.current.secret }).kid).toBe(toTokenKeys(FIRST_KEYS.current).kid);
});

describe('publishedTokenKeys', () => {
  const open = () => {
    const world = { now: at('18:00:00'), secrets: FIRST_KEYS, publish: vi.fn<Publish>(async () => undefined) };
    const source = publishedTokenKeys(async () => world.secrets, {
      publish: world.publish,
      lifetimeSeconds: 900,
      now: () => world.now,
    });
    return { world, source };
  };
  const first = toTokenKeys(FIRST_KEYS.current);
  const { kid, publicKey } = first;

  it('publishes the public key for the life of a token and two hours, once and anew after an hour', async () => {
    const { world, source } = open();
    const pairs = await Promise.all([source(), source()]);
    expect(pairs.map((pair) => pair.kid)).toEqual([kid, kid]);
    expect(world.publish.mock.calls).toEqual([[kid, { publicKey, until: at('20:15:00') }]]);
    world.now = at('18:59:59');
    await source();
    expect(world.publish).toHaveBeenCalledTimes(1);
    world.now = at('19:00:00');
    await source();
    expect(world.publish.mock.lastCall).toEqual([kid, { publicKey, until: at('21:15:00') }]);
  });

  it('publishes another key as soon as the secret is another', async () => {
    const { world, source } = open();
    await source();
    world.secrets = SECOND_KEYS;
    const second = await source();
    expect(second.kid).not.toBe(kid);
    expect(world.publish.mock.lastCall).toEqual([second.kid, { publicKey: second.publicKey, until: at('20:15:00') }]);
  });

  it('gives no key that could not be published, and tries again', async () => {
    const { world, source } = open();
    world.publish.mockRejectedValueOnce(new Error('down'));
    await expect(source()).rejects.toThrow('down');
    expect((await source()).kid).toBe(kid);
  });
});

describe('keptPublicKeys', () => {
  const { kid, publicKey } = toTokenKeys(FIRST_KEYS.current);
  const open = (until = at('20:00:00')) => {
    const world = {
      now: at('18:00:00'),
      find: vi.fn(async (): Promise<PublishedKey | undefined> => ({ publicKey, until })),
    };
    const [find, now] = [() => world.find(), () => world.now];
    return { world, source: keptPublicKeys(find, now) };
  };

  it('reads a key once in five minutes', async () => {
    const { world, source } = open();
    expect((await source(kid))?.export({ format: 'jwk' }).x).toBe(publicKey);
    world.now = at('18:04:59');
    await source(kid);
    expect(world.find).toHaveBeenCalledTimes(1);
    world.now = at('18:05:00');
    await source(kid);
    expect(world.find).toHaveBeenCalledTimes(2);
    // It was taken back.
    world.find.mockResolvedValue(undefined);
    world.now = at('18:10:00');
    expect(await source(kid)).toBeUndefined();
  });

  it('knows no key whose time is over, stored or kept', async () => {
    const { world, source } = open(at('18:02:00'));
    expect(await source(kid)).toBeDefined();
    world.now = at('18:02:00');
    expect(await source(kid)).toBeUndefined();
    expect(world.find).toHaveBeenCalledTimes(2);
  });

  it('asks again for a key that is not published yet', async () => {
    const { world, source } = open();
    world.find.mockResolvedValueOnce(undefined);
    expect(await source(kid)).toBeUndefined();
    expect(await source(kid)).toBeDefined();
  });
});
