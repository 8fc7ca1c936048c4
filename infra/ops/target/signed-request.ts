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
  // One call is not worth another SDK client, but any client finds the credentials.
  const { config } = new S3Client({});
  const [credentials, region] = await Promise.all([config.credentials(), request.region ?? config.region()]);
  const send = signedFetch(service, { region, credentials });
  const base = process.env[endpointVariable] ?? `https://${host}.${region}.amazonaws.com`;
  const answer = await send(new URL(path, base).href, TIMEOUT_MS, init);
  const body = await answer.text();
  if (answer.ok) return body;
  throw new Error(`${service} answers ${answer.status} ${errorName(answer, body)}`.trim());
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
