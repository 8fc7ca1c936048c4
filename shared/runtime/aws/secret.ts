import * as z from 'zod';
import { awsConfig } from '../config.ts';
import { logError } from '../log.ts';
import { countMetric, UNREAD_SECRETS } from '../metrics.ts';
import { singleFlight } from '../once.ts';
import { configuredAccess, signedFetch } from './signed-fetch.ts';

// The rotation of the token keys counts on 5 minutes (infra/cloud/README.md).
const CURRENT_MS = 5 * 60_000;
const REFRESH_AFTER_MS = 4 * 60_000;
const USABLE_MS = 60 * 60_000;
const TIMEOUT_MS = 1_000;
const EARLY_TIMEOUT_MS = 300;
// In an outage, not every request asks again while a known value serves.
const PAUSE_MS = 10_000;

/**
 * Returns a secret as `parse` reads it. The first call after 4 minutes reads it again, for at most 300 ms, and from 5
 * minutes on for at most 1 s. If that fails, the known value serves until it is an hour old, and a later call tries again
 * after 10 s. Without such a value a failure throws, and the next call tries again: after a failed INIT it is a request,
 * which follows at once. Calls at the same time share one read, so a function has at most one under way.
 *
 * Each call waits for its own read. One in the background would be frozen with the function after the answer, and its
 * connection would be dead when the next request comes.
 */
export function cachedSecret<Value>(
  secretId: string,
  parse: (text: string) => Value,
  now: () => Date,
): () => Promise<Value> {
  const read = secretReader(secretId);
  let known: { readonly value: Value; readonly readAt: number } | undefined;
  let failed: { readonly cause: unknown; readonly startedAt: number } | undefined;

  const ageMs = () => (known ? now().getTime() - known.readAt : Number.POSITIVE_INFINITY);
  const isPausing = () => failed && now().getTime() < failed.startedAt + PAUSE_MS;
  const refresh = singleFlight(async (): Promise<void> => {
    const startedAt = now().getTime();
    try {
      const value = parse(await read(ageMs() < CURRENT_MS ? EARLY_TIMEOUT_MS : TIMEOUT_MS));
      known = { value, readAt: startedAt };
    } catch (cause) {
      failed = { cause, startedAt };
      countMetric(UNREAD_SECRETS);
      logError('a secret could not be read', cause, { secretId, ageMinutes: known && Math.round(ageMs() / 60_000) });
    }
  });

  return async () => {
    const serves = ageMs() < REFRESH_AFTER_MS || (ageMs() < USABLE_MS && isPausing());
    if (!serves) await refresh();
    if (known && ageMs() < USABLE_MS) return known.value;
    throw failed?.cause;
  };
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

class SecretsManagerError extends Error {
  override readonly name = 'SecretsManagerError';
  /** The status of the answer, for the log, which leaves out messages. */
  readonly code: number;

  constructor(status: number) {
    super(`Secrets Manager answered ${status}`);
    this.code = status;
  }
}

// An SDK client for this one call would be in the bundle of every order route.
function secretReader(secretId: string): (timeoutMs: number) => Promise<string> {
  const { region } = configuredAccess();
  const url = awsConfig().AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${region}.amazonaws.com/`;
  return async (timeoutMs) => {
    // The keys of an operator are others after an hour.
    const send = signedFetch('secretsmanager', configuredAccess());
    const answer = await send(url, timeoutMs, secretRequest(secretId));
    if (!answer.ok) throw new SecretsManagerError(answer.status);
    return parseSecretAnswer(await answer.json());
  };
}
