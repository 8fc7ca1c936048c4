import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { awsConfig } from './config.ts';

const CACHE_MS = 5 * 60_000;
const TIMEOUT_MS = 1_000;

const secretAnswer = z.object({ SecretString: z.string() });

/** What a secret holds, as `parse` reads it; good for 5 minutes. After a failure the next call reads again. */
export function cachedSecret<Value>(
  secretId: string,
  parse: (text: string) => Value,
  now: () => Date,
): () => Promise<Value> {
  const read = secretReader(secretId);
  let known: { value: Value; until: number } | undefined;
  let reading: Promise<Value> | undefined;

  const refresh = async (): Promise<Value> => {
    const value = parse(await read());
    known = { value, until: now().getTime() + CACHE_MS };
    return value;
  };
  return async () => {
    if (known && now().getTime() < known.until) return known.value;
    reading ??= refresh().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

// For one POST a signer does; an SDK client would be in the bundle of every order route.
function secretReader(secretId: string): () => Promise<string> {
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
    return secretAnswer.parse(await answer.json()).SecretString;
  };
}
