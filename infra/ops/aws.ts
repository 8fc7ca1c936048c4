import { userInfo } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { once, retry } from '../../shared/runtime/async.ts';
import { signedFetch } from '../../shared/runtime/aws.ts';
import { CommandRefusal, explainError } from './errors.ts';
import { isDesk } from './target.ts';

/* AWS's services of which a command makes one or two calls, for which an SDK client each would be one more dependency. */

type AwsRequest = {
  /** The first part of the service's host name: `monitoring`. */
  readonly host: string;
  /** The end of the variable that may name another endpoint: `CLOUDWATCH`. */
  readonly endpoint: string;
  readonly path: string;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
  readonly init?: RequestInit;
};

const TIMEOUT_MS = 5_000;
// SES answers some calls once a second (API reference of GetSendQuota), and CloudWatch's logs 5 in most regions.
const PATIENCE = { tries: 10, longestPauseMs: 1_200 };

/** Returns the JSON that an AWS service answers, asked with the credentials that the SDK finds. Throws on any refusal. */
export const askAws = async (request: AwsRequest): Promise<unknown> => JSON.parse(await askAwsForText(request));

/** Returns the text that an AWS service answers, also after it was asked too fast. Throws on any other refusal. */
async function askAwsForText({ host, endpoint, path, init, ...asked }: AwsRequest): Promise<string> {
  // Only SES has another name in signatures.
  const service = host === 'email' ? 'ses' : host;
  const region = asked.region ?? process.env.AWS_REGION ?? (await profile().region());
  const base = process.env[`AWS_ENDPOINT_URL_${endpoint}`] ?? `https://${host}.${region}.amazonaws.com`;
  const send = signedFetch(service, { region, credentials: await findCredentials() });
  const text = await retry(PATIENCE, async () => {
    const answer = await send(new URL(path, base).href, TIMEOUT_MS, init);
    const body = await answer.text();
    if (answer.ok) return body;
    const name = errorName(answer, body);
    if (answer.status === 429 || name.startsWith('Throttling')) return undefined;
    throw new Error(`${service} answers ${answer.status} ${name}`.trim());
  });
  if (text === undefined) throw new Error(`${service} is asked too often`);
  return text;
}

// Any SDK client finds the profile, and each signs in by itself: one serves all calls.
const profile = once(() => new S3Client({}).config);

async function findCredentials() {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  // The SDK prefers a named profile to keys, too.
  const isFromProfile = AWS_PROFILE || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY;
  return isFromProfile
    ? profile().credentials()
    : { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, sessionToken: AWS_SESSION_TOKEN };
}

const refusal = z.object({ __type: z.string() });

function errorName({ headers }: Response, body: string): string {
  const header = headers.get('x-amzn-errortype');
  if (header) return header.split(':')[0] ?? '';
  // Services of the query protocol answer XML.
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(body) ?? [];
  return code ?? refusal.safeParse(tryParseJson(body)).data?.__type.split('#').at(-1) ?? '';
}

/** Returns what a text holds as JSON; undefined if it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// CloudWatch's model names the JSON protocol beside that of queries (botocore's service-2.json, 2026-11-22).
const JSON_APIS = {
  cloudwatch: { host: 'monitoring', endpoint: 'CLOUDWATCH', target: 'GraniteServiceVersion20100801', version: '1.0' },
  logs: { host: 'logs', endpoint: 'CLOUDWATCH_LOGS', target: 'Logs_20140328', version: '1.1' },
  secrets: { host: 'secretsmanager', endpoint: 'SECRETS_MANAGER', target: 'secretsmanager', version: '1.1' },
} as const;

type Action<Api> = { readonly api: Api; readonly action: string; readonly region?: string | undefined };

export function callJsonApi(call: Action<keyof typeof JSON_APIS> & { readonly input: object }): Promise<unknown> {
  const { host, endpoint, target, version } = JSON_APIS[call.api];
  const headers = { 'Content-Type': `application/x-amz-json-${version}`, 'X-Amz-Target': `${target}.${call.action}` };
  const init = { method: 'POST', headers, body: JSON.stringify(call.input) };
  return askAws({ host, endpoint, region: call.region, path: '/', init });
}

const QUERY_APIS = { cloudformation: '2010-05-15', sns: '2010-03-31', sts: '2011-06-15' } as const;

type QueryCall = Action<keyof typeof QUERY_APIS> & { readonly input: Readonly<Record<string, string>> };

/** Calls a service of the query protocol, and returns its XML. */
function callQueryApi({ api, action, input, region }: QueryCall): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ Action: action, Version: QUERY_APIS[api], ...input }).toString();
  return askAwsForText({
    host: api,
    endpoint: api.toUpperCase(),
    region,
    path: '/',
    init: { method: 'POST', headers, body },
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the text of the first element of this name; undefined if there is none. */
export function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Returns the flat members of all pages of a list. */
export async function listMembers({ input, ...call }: QueryCall): Promise<string[]> {
  const members: string[] = [];
  let next: string | undefined;
  do {
    const xml = await callQueryApi({ ...call, input: { ...input, ...(next !== undefined && { NextToken: next }) } });
    members.push(...[...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = '']) => member));
    next = textOf(xml, 'NextToken');
  } while (next !== undefined);
  return members;
}

/**
 * Returns the ARN by which AWS knows the caller; GetCallerIdentity needs no permission
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html). Throws if AWS does not say.
 */
export async function askCallerArn(): Promise<string> {
  const arn = textOf(await callQueryApi({ api: 'sts', action: 'GetCallerIdentity', input: {} }), 'Arn');
  if (!arn?.startsWith('arn:')) throw new Error('sts answers without an ARN');
  return arn;
}

/** A stack by its name or id, and its region if that is not the one of the stage or of the credentials. */
export type StackPlace = { readonly name: string; readonly region?: string | undefined };

/** A stack as CloudFormation knows it; its id is its ARN. */
export type Stack = Awaited<ReturnType<typeof describeStack>>;

/** Describes a stack. Throws if CloudFormation refuses, as for one that does not exist. */
export async function describeStack({ name, region }: StackPlace) {
  const input = { StackName: name };
  const xml = await callQueryApi({ api: 'cloudformation', action: 'DescribeStacks', input, region });
  const id = textOf(xml, 'StackId');
  const status = textOf(xml, 'StackStatus');
  if (!id || !status) throw new Error('CloudFormation answers without the status of the stack');
  const createdAt = new Date(textOf(xml, 'CreationTime') ?? '');
  return { id, status, createdAt, isProtected: textOf(xml, 'EnableTerminationProtection') === 'true' };
}

/** True if CloudFormation refused because there is no such stack, the ValidationError of DescribeStacks (botocore, 2026-11-22). */
export const isMissingStack = (error: unknown): boolean =>
  error instanceof Error && error.message.endsWith('ValidationError');

export async function endTerminationProtection({ name, region }: StackPlace): Promise<void> {
  const input = { StackName: name, EnableTerminationProtection: 'false' };
  await callQueryApi({ api: 'cloudformation', action: 'UpdateTerminationProtection', input, region });
}

/**
 * Returns who runs the command: the ARN by which AWS knows the caller, or on the local server the system's user name.
 * Throws a CommandRefusal if AWS does not say.
 */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isDesk(process.env)) return userInfo().username;
  try {
    return await askCallerArn();
  } catch (error) {
    throw new CommandRefusal(`AWS does not say who you are (${explainError(error)}), so nothing was changed.`);
  }
}
