import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { singleFlight } from './async.ts';
import { awsConfig } from './config.ts';
import { logError } from './log.ts';
import { countMetric, UNREAD_SECRETS } from './metrics.ts';

/** The region and the credentials that sign requests to AWS. */
export type AwsAccess = {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
};

export type SignedFetch = (url: string, timeoutMs: number, init?: RequestInit) => Promise<Response>;

// The pause before a request is repeated is a random part of this.
const LONGEST_PAUSE_MS = 50;
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/**
 * Returns a `fetch` that signs requests to one AWS service, ends them after their timeout, and repeats one that the
 * service could not answer (429, 5xx). It serves where an SDK client would weigh more than its one call.
 */
export function signedFetch(service: string, { region, credentials }: AwsAccess): SignedFetch {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const session = sessionToken ? { sessionToken } : {};
  const aws = new AwsClient({ accessKeyId, secretAccessKey, ...session, service, region });
  return async (url, timeoutMs, init) => {
    const signal = AbortSignal.timeout(timeoutMs);
    // `fetch` gets the signal: one that is only in the request, as `aws.fetch` puts it there, is lost when garbage is
    // collected (Node 24.21), and then a request that is not answered ends after minutes.
    const send = async () => fetch(await aws.sign(url, init), { signal });
    const answer = await send();
    if (!isTransient(answer.status)) return answer;
    await answer.body?.cancel();
    await pause(Math.random() * LONGEST_PAUSE_MS);
    return send();
  };
}

/** The access that the environment gives; on Lambda the runtime itself sets it. */
export function configuredAccess(): AwsAccess {
  const { AWS_REGION: region, ...keys } = awsConfig();
  return {
    region,
    credentials: {
      accessKeyId: keys.AWS_ACCESS_KEY_ID,
      secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
      sessionToken: keys.AWS_SESSION_TOKEN,
    },
  };
}

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
const parseSecretAnswer = (answer: unknown): string => secretAnswer.parse(answer).SecretString;

/** The request for a secret, to be signed. */
const secretRequest = (secretId: string): RequestInit => ({
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
