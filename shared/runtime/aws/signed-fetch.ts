import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { awsConfig } from '../config.ts';

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
