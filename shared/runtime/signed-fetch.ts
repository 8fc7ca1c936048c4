import { AwsClient } from 'aws4fetch';
import { awsConfig } from './config.ts';

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

/**
 * Returns a `fetch` that signs requests to one AWS service, ends them after their timeout, and repeats one that the
 * service could not answer (429, 5xx). It serves where an SDK client would weigh more than its one call.
 */
export function signedFetch(service: string, { region, credentials }: AwsAccess): SignedFetch {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const session = sessionToken ? { sessionToken } : {};
  const aws = new AwsClient({ accessKeyId, secretAccessKey, ...session, service, region, retries: 1 });
  return (url, timeoutMs, init) => aws.fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
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
