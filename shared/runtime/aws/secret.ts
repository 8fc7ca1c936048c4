import * as z from 'zod';
import { singleFlight } from '../async.ts';
import { awsConfig } from '../config.ts';
import { logError } from '../log.ts';
import { countMetric, UNREAD_SECRETS } from '../metrics.ts';
import { configuredAccess, signedFetch } from './signed-fetch.ts';

// The rotation of the token keys counts on these (infra/cloud/README.md).
const CURRENT_MS = 5 * 60_000;
const USABLE_MS = 60 * 60_000;
// In an outage, not every request asks again while a known value serves.
const PAUSE_MS = 10_000;
const TIMEOUT_MS = 1_000;

/**
 * Returns a secret as `parse` reads it. The first call after 5 minutes reads it again. If that fails, the known value serves
 * until it is an hour old, and a call 10 s later tries again. Without such a value a failure throws, and the next call tries
 * again. Calls at the same time share one read, and wait for it: one in the background would be frozen with the function.
 */
export function cachedSecret<Value>(
  secretId: string,
  parse: (text: string) => Value,
  now: () => Date,
): () => Promise<Value> {
  let known: { readonly value: Value; readonly readAt: number } | undefined;
  let nextReadAt = 0;
  const usable = () => (known && now().getTime() < known.readAt + USABLE_MS ? known : undefined);

  const read = singleFlight(async (): Promise<Value> => {
    const startedAt = now().getTime();
    try {
      known = { value: parse(await readSecret(secretId)), readAt: startedAt };
      nextReadAt = startedAt + CURRENT_MS;
      return known.value;
    } catch (cause) {
      nextReadAt = startedAt + PAUSE_MS;
      countMetric(UNREAD_SECRETS);
      const ageMinutes = known && Math.round((startedAt - known.readAt) / 60_000);
      logError('a secret could not be read', cause, { secretId, ageMinutes });
      const former = usable();
      if (!former) throw cause;
      return former.value;
    }
  });

  return async () => (now().getTime() < nextReadAt ? usable()?.value : undefined) ?? read();
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

// The SDK's client for this one call would bring 329 KB into the bundle of a quote, which has no other; this is 8 KB.
async function readSecret(secretId: string): Promise<string> {
  const access = configuredAccess();
  const url = awsConfig().AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${access.region}.amazonaws.com/`;
  const answer = await signedFetch('secretsmanager', access)(url, TIMEOUT_MS, secretRequest(secretId));
  // The log leaves out messages, and shows a code.
  if (!answer.ok) throw Object.assign(new Error(`Secrets Manager answered ${answer.status}`), { code: answer.status });
  return parseSecretAnswer(await answer.json());
}
