import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { signedFetch } from '../../../shared/runtime/signed-fetch.ts';

export type SignedRequest = {
  /** The first part of its host name: `secretsmanager`. */
  readonly host: string;
  /** Its name in the signature. */
  readonly service: string;
  /** The environment variable that may name another endpoint. */
  readonly endpointVariable: string;
  readonly path: string;
  readonly init?: RequestInit;
};

const TIMEOUT_MS = 5_000;
const refusal = z.object({ __type: z.string() });

/** Returns the JSON that an AWS service answers, asked with the credentials that the SDK finds. Throws on any refusal. */
export async function askAws({ host, service, endpointVariable, path, init }: SignedRequest): Promise<unknown> {
  // One call is not worth another SDK client, but any client finds the credentials.
  const { config } = new S3Client({});
  const [credentials, region] = await Promise.all([config.credentials(), config.region()]);
  const send = signedFetch(service, { region, credentials });
  const base = process.env[endpointVariable] ?? `https://${host}.${region}.amazonaws.com`;
  const answer = await send(new URL(path, base).href, TIMEOUT_MS, init);
  if (answer.ok) return answer.json();
  throw new Error(`${service} answers ${answer.status} ${await errorName(answer)}`.trim());
}

async function errorName(answer: Response): Promise<string> {
  const header = answer.headers.get('x-amzn-errortype');
  if (header) return header.split(':')[0] ?? '';
  const body = refusal.safeParse(await answer.json().catch(() => undefined));
  return body.data?.__type.split('#').at(-1) ?? '';
}
