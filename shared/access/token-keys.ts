import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { Refusal } from '../domain/fault.ts';
import { awsConfig, tokenConfig } from '../runtime/config.ts';

const CACHE_MS = 5 * 60_000;
const TIMEOUT_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;
// RFC 7518, 3.2: a key of HS256 is at least as long as its hash.
const MIN_SECRET_BYTES = 32;

const tokenKey = z.object({
  kid: z.string().min(1).max(64),
  secret: z
    .base64url()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length >= MIN_SECRET_BYTES, `shorter than ${MIN_SECRET_BYTES} bytes`),
});
const tokenKeys = z
  .object({ current: tokenKey, previous: tokenKey.optional() })
  .refine(({ current, previous }) => current.kid !== previous?.kid, 'two keys of one name');

export type TokenKey = z.infer<typeof tokenKey>;
/** New tokens are signed with the current key; those of the previous one are good until they expire. */
export type TokenKeys = z.infer<typeof tokenKeys>;
export type TokenKeySource = () => Promise<TokenKeys>;

/** `{"current":{"kid","secret"},"previous":{…}}`, `secret` in base64url of at least 32 bytes. Throws on anything else. */
export function parseTokenKeys(json: string): TokenKeys {
  const read = tokenKeys.safeParse(JSON.parse(json));
  if (read.success) return read.data;
  throw new Error(`token keys: ${z.prettifyError(read.error)}`);
}

/** The keys that the configuration names: in TOKEN_KEYS itself, or in the secret TOKEN_SECRET_ID. */
export function configuredTokenKeys(now: () => Date): TokenKeySource {
  const { TOKEN_KEYS, TOKEN_SECRET_ID } = tokenConfig();
  if (TOKEN_KEYS !== undefined) {
    const keys = parseTokenKeys(TOKEN_KEYS);
    return async () => keys;
  }
  if (TOKEN_SECRET_ID === undefined) throw new Error('configuration: TOKEN_KEYS or TOKEN_SECRET_ID is needed');
  return cached(secretReader(TOKEN_SECRET_ID), now);
}

/** What was read is good for 5 minutes; a failure is `unavailable` and the next call reads again. */
function cached(read: TokenKeySource, now: () => Date): TokenKeySource {
  let known: { keys: TokenKeys; until: number } | undefined;
  let reading: Promise<TokenKeys> | undefined;

  const refresh = async (): Promise<TokenKeys> => {
    try {
      const keys = await read();
      known = { keys, until: now().getTime() + CACHE_MS };
      return keys;
    } catch (cause) {
      throw new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
    }
  };
  return async () => {
    if (known && now().getTime() < known.until) return known.keys;
    reading ??= refresh().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

const secretAnswer = z.object({ SecretString: z.string() });

// For one POST a signer does; an SDK client would be in the bundle of every order route.
function secretReader(secretId: string): TokenKeySource {
  const config = awsConfig();
  const url = config.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${config.AWS_REGION}.amazonaws.com/`;
  const aws = new AwsClient({
    accessKeyId: config.AWS_ACCESS_KEY_ID,
    secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
    ...(config.AWS_SESSION_TOKEN && { sessionToken: config.AWS_SESSION_TOKEN }),
    service: 'secretsmanager',
    region: config.AWS_REGION,
    retries: 1,
  });
  return async () => {
    const answer = await aws.fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'secretsmanager.GetSecretValue' },
      body: JSON.stringify({ SecretId: secretId }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`Secrets Manager answered ${answer.status}`);
    return parseTokenKeys(secretAnswer.parse(await answer.json()).SecretString);
  };
}
