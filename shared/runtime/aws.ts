import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { singleFlight } from './async.ts';
import { awsConfig } from './config.ts';
import { logError } from './log.ts';
import { countMetric, UNREAD_SECRETS } from './metrics.ts';

export type AwsAccess = {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
};

type SignedFetch = (url: string, timeoutMs: number, init?: RequestInit) => Promise<Response>;

// The pause before a retry is a random part of this.
const LONGEST_PAUSE_MS = 50;
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/** Signs requests to one AWS service and retries once after 429 or 5xx, where an SDK client would outweigh its one call. */
export function signedFetch(service: string, { region, credentials }: AwsAccess): SignedFetch {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const session = sessionToken ? { sessionToken } : {};
  const aws = new AwsClient({ accessKeyId, secretAccessKey, ...session, service, region });
  return async (url, timeoutMs, init) => {
    const signal = AbortSignal.timeout(timeoutMs);
    // `fetch` gets the signal: one inside the request, as with `aws.fetch`, is lost in garbage collection (Node 24.21), and an
    // unanswered request then ends after minutes.
    const send = async () => fetch(await aws.sign(url, init), { signal });
    const answer = await send();
    if (!isTransient(answer.status)) return answer;
    await answer.body?.cancel();
    await pause(Math.random() * LONGEST_PAUSE_MS);
    return send();
  };
}

/** On Lambda, the runtime sets these variables. */
export function configuredAccess(): AwsAccess {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, ...keys } = awsConfig();
  const { AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = keys;
  return { region, credentials: { accessKeyId, secretAccessKey, sessionToken } };
}

// The rotation of the token keys relies on these (infra/cloud/README.md).
const CURRENT_MS = 5 * 60_000;
const USABLE_MS = 60 * 60_000;
// In an outage, not every request tries again while a cached value is usable.
const PAUSE_MS = 10_000;
const TIMEOUT_MS = 1_000;

/**
 * Caches a parsed secret for 5 minutes. If it then cannot be read, the cached value is used until it is an hour old, and read
 * again after 10 s; without a usable value the failure is thrown. Concurrent calls share one read and wait for it: a read in
 * the background would be frozen with the function.
 */
export function cachedSecret<Value>(
  secretId: string,
  parse: (text: string) => Value,
  now: () => Date,
): () => Promise<Value> {
  let cached: { readonly value: Value; readonly readAt: number } | undefined;
  let nextReadAt = 0;
  const usable = () => (cached && now().getTime() < cached.readAt + USABLE_MS ? cached : undefined);

  const read = singleFlight(async (): Promise<Value> => {
    const startedAt = now().getTime();
    try {
      cached = { value: parse(await readSecret(secretId)), readAt: startedAt };
      nextReadAt = startedAt + CURRENT_MS;
      return cached.value;
    } catch (cause) {
      nextReadAt = startedAt + PAUSE_MS;
      countMetric(UNREAD_SECRETS);
      const ageMinutes = cached && Math.round((startedAt - cached.readAt) / 60_000);
      logError('a secret could not be read', cause, { secretId, ageMinutes });
      const former = usable();
      if (!former) throw cause;
      return former.value;
    }
  });

  return async () => (now().getTime() < nextReadAt ? usable()?.value : undefined) ?? read();
}

const secretAnswer = z.object({ SecretString: z.string() });

const secretRequest = (secretId: string): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'secretsmanager.GetSecretValue' },
  body: JSON.stringify({ SecretId: secretId }),
});

// The SDK's client would add 329 KB to the bundle of a quote, which needs no other; this is 8 KB.
async function readSecret(secretId: string): Promise<string> {
  const access = configuredAccess();
  const url = awsConfig().AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${access.region}.amazonaws.com/`;
  const answer = await signedFetch('secretsmanager', access)(url, TIMEOUT_MS, secretRequest(secretId));
  // The log omits messages and shows a code.
  if (!answer.ok) throw Object.assign(new Error(`Secrets Manager answered ${answer.status}`), { code: answer.status });
  return secretAnswer.parse(await answer.json()).SecretString;
}
