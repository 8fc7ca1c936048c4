import { S3Client } from '@aws-sdk/client-s3';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';

export type SignedRequest = {
  /** As in its address: `secretsmanager`. */
  readonly host: string;
  /** As in its signature, where that differs. */
  readonly service: string;
  /** Of another endpoint in place of AWS's own. */
  readonly endpointVariable: string;
  readonly path: string;
  readonly init?: RequestInit;
};

const TIMEOUT_MS = 5_000;
const refusal = z.object({ __type: z.string() });

/** The JSON that a service of AWS answers, asked with whatever credentials the SDK finds. Throws on any refusal. */
export async function askAws({ host, service, endpointVariable, path, init }: SignedRequest): Promise<unknown> {
  // One call of a service is not worth a client of the SDK; but any of them knows how to find credentials.
  const { config } = new S3Client({});
  const [credentials, region] = await Promise.all([config.credentials(), config.region()]);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const session = sessionToken ? { sessionToken } : {};
  const aws = new AwsClient({ accessKeyId, secretAccessKey, ...session, service, region, retries: 1 });
  const base = process.env[endpointVariable] ?? `https://${host}.${region}.amazonaws.com`;
  const answer = await aws.fetch(new URL(path, base).href, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.ok) return answer.json();
  throw new Error(`${service} answers ${answer.status} ${await errorName(answer)}`.trim());
}

async function errorName(answer: Response): Promise<string> {
  const header = answer.headers.get('x-amzn-errortype');
  if (header) return header.split(':')[0] ?? '';
  const body = refusal.safeParse(await answer.json().catch(() => undefined));
  return body.data?.__type.split('#').at(-1) ?? '';
}
