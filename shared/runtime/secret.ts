import * as z from 'zod';
import { awsConfig } from './config.ts';
import { singleFlight } from './once.ts';
import { configuredAccess, signedFetch } from './signed-fetch.ts';

const CACHE_MS = 5 * 60_000;
const TIMEOUT_MS = 1_000;

/** Returns a secret as `parse` reads it, and keeps it for 5 minutes. After a failure the next call reads it again. */
export function cachedSecret<Value>(
  secretId: string,
  parse: (text: string) => Value,
  now: () => Date,
): () => Promise<Value> {
  const read = secretReader(secretId);
  let known: { value: Value; until: number } | undefined;
  const refresh = singleFlight(async (): Promise<Value> => {
    const value = parse(await read());
    known = { value, until: now().getTime() + CACHE_MS };
    return value;
  });
  return async () => (known && now().getTime() < known.until ? known.value : refresh());
}

const secretAnswer = z.object({ SecretString: z.string() });

/** Reads the text out of the answer to GetSecretValue. */
export const parseSecretAnswer = (answer: unknown): string => secretAnswer.parse(answer).SecretString;

/** The request for a secret, to be signed. */
export const secretRequest = (secretId: string): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'secretsmanager.GetSecretValue' },
  body: JSON.stringify({ SecretId: secretId }),
});

// An SDK client for this one call would be in the bundle of every order route.
function secretReader(secretId: string): () => Promise<string> {
  const access = configuredAccess();
  const url = awsConfig().AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${access.region}.amazonaws.com/`;
  const send = signedFetch('secretsmanager', access);
  return async () => {
    const answer = await send(url, TIMEOUT_MS, secretRequest(secretId));
    if (!answer.ok) throw new Error(`Secrets Manager answered ${answer.status}`);
    return parseSecretAnswer(await answer.json());
  };
}
