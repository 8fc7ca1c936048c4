import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { once } from '../../../shared/runtime/async.ts';
import { type AwsAccess, signedFetch } from '../../../shared/runtime/aws.ts';

export type SignedRequest = {
  /** The first part of its host name: `secretsmanager`. */
  readonly host: string;
  /** Its name in the signature. */
  readonly service: string;
  /** The environment variable that may name another endpoint. */
  readonly endpointVariable: string;
  readonly path: string;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
  readonly init?: RequestInit;
};

const TIMEOUT_MS = 5_000;
const refusal = z.object({ __type: z.string() });

/** Returns the JSON that an AWS service answers, asked with the credentials that the SDK finds. Throws on any refusal. */
export const askAws = async (request: SignedRequest): Promise<unknown> => JSON.parse(await askAwsForText(request));

/** Returns the text that an AWS service answers. Throws on any refusal. */
export async function askAwsForText(request: SignedRequest): Promise<string> {
  const { host, service, endpointVariable, path, init } = request;
  const region = request.region ?? process.env.AWS_REGION ?? (await profile().region());
  const credentials = await findCredentials();
  const send = signedFetch(service, { region, credentials });
  const base = process.env[endpointVariable] ?? `https://${host}.${region}.amazonaws.com`;
  const answer = await send(new URL(path, base).href, TIMEOUT_MS, init);
  const body = await answer.text();
  if (answer.ok) return body;
  throw new Error(`${service} answers ${answer.status} ${errorName(answer, body)}`.trim());
}

// Any SDK client finds the profile, and each signs in by itself: one serves all calls.
const profile = once(() => new S3Client({}).config);

async function findCredentials(): Promise<AwsAccess['credentials']> {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  // The SDK prefers a named profile to keys, too.
  if (AWS_PROFILE || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return profile().credentials();
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
}

function errorName({ headers }: Response, body: string): string {
  const header = headers.get('x-amzn-errortype');
  if (header) return header.split(':')[0] ?? '';
  // Services of the query protocol answer XML.
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(body) ?? [];
  return code ?? jsonErrorName(body);
}

function jsonErrorName(body: string): string {
  try {
    return refusal.parse(JSON.parse(body)).__type.split('#').at(-1) ?? '';
  } catch {
    return '';
  }
}
