import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type AwsCall, type AwsRequest, awsCalls } from '../faults/aws-call.ts';
import { forward, loopback } from '../http/loopback.ts';
import { isAllowed, type Statement } from './function-rights.ts';

type Engines = { readonly dynamodb: string; readonly s3: string; readonly ses: string };

export type RightsProxy = Awaited<ReturnType<typeof openRightsProxy>>;

/** `down` answers 503; `lost reply` does the call but drops the answer; `missing` answers 404. */
type Fault = 'down' | 'lost reply' | 'missing';
export type Faults = (call: AwsCall) => Fault | undefined | Promise<Fault | undefined>;

type Backends = { readonly engineAddresses: Engines; readonly secrets: Readonly<Record<string, string>> };

/**
 * Opens a proxy in front of all local engines that enforces the policy of one function's role. It refuses other calls
 * with the errors of AWS.
 */
export async function openRightsProxy(statements: readonly Statement[], backends: Backends) {
  const refused: string[] = [];
  const allowed: AwsCall[] = [];
  let choose: Faults = () => undefined;

  const { url, close } = await loopback(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const asked = toAwsRequest(incoming, body);
    const calls = awsCalls(asked);
    const forbidden = calls.filter((call) => !isAllowed(call, statements));
    for (const call of forbidden) refused.push(formatCall(call));
    if (forbidden.length > 0) return refuse(asked, outgoing);
    allowed.push(...calls);
    if (asked.service === 'secretsmanager') return answerSecret(asked, outgoing, backends.secrets);
    if (asked.service === 'apigateway') return void outgoing.writeHead(200).end(USAGE);
    if (asked.service === 'lambda') return void outgoing.writeHead(202).end();
    if (asked.service === 'events') return answerEvents(asked, outgoing);
    const faults = await Promise.all(calls.map((call) => choose(call)));
    if (faults.includes('down')) return void outgoing.writeHead(503).end();
    const answer = faults.includes('missing')
      ? MISSING
      : await forward(backends.engineAddresses[asked.service], incoming, body);
    if (faults.includes('lost reply')) return void outgoing.destroy();
    if (answer.status === 404 && isObjectRead(calls)) {
      // S3 reveals that an object is missing only to callers with permission to list the bucket.
      const listing = toListing(calls);
      if (!isAllowed(listing, statements)) return refuse(asked, outgoing);
      allowed.push(listing);
    }
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return {
    url,
    /** The calls that the policy forbids, as `action resource keys`. */
    refused,
    /** The calls that the policy allows. */
    allowed,
    /** Sets the faults of later allowed calls, none by default. A call waits for the promise of its fault. */
    set(chosen: Faults = () => undefined): void {
      choose = chosen;
    },
    close,
  };
}

const formatCall = ({ action, resource, leadingKeys = [] }: AwsCall) => [action, resource, ...leadingKeys].join(' ');

const isObjectRead = ([call]: readonly AwsCall[]): boolean => call?.action === 's3:GetObject';
const toListing = ([call]: readonly AwsCall[]): AwsCall => ({
  action: 's3:ListBucket',
  resource: call?.resource.split('/')[0] ?? '',
});

const JSON_SERVICES: Readonly<Record<string, AwsRequest['service']>> = { DynamoDB: 'dynamodb', AWSEvents: 'events' };

function toAwsRequest({ method = '', url = '', headers }: IncomingMessage, body: Buffer): AwsRequest {
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const json = JSON_SERVICES[target.split('_')[0] ?? ''] ?? 'secretsmanager';
  const rest = url.startsWith('/2015-03-31/functions/') ? 'lambda' : 's3';
  const plain = url.startsWith('/usageplans/') ? 'apigateway' : rest;
  const service = target === '' ? (isForm ? 'ses' : plain) : json;
  return { method, target: url, service, operation, body: body.toString() };
}

// The local gateway counts no usage: one key, which has sent 137 requests and then 123.
const USAGE = JSON.stringify({
  values: {
    key1: [
      [137, 999_863],
      [123, 999_740],
    ],
  },
});

const MISSING = { status: 404, headers: {}, body: '<Error><Code>NoSuchKey</Code></Error>' };

function refuse({ service }: AwsRequest, outgoing: ServerResponse): void {
  const isJson = service === 'dynamodb' || service === 'secretsmanager';
  const body = isJson
    ? JSON.stringify({ __type: 'AccessDeniedException', message: 'not authorized' })
    : '<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>';
  const type = isJson ? 'application/x-amz-json-1.0' : 'application/xml';
  outgoing.writeHead(isJson ? 400 : 403, { 'Content-Type': type }).end(body);
}

function answerSecret({ body }: AwsRequest, outgoing: ServerResponse, secrets: Backends['secrets']): void {
  const { SecretId } = JSON.parse(body);
  outgoing.writeHead(200).end(JSON.stringify({ ARN: SecretId, SecretString: secrets[SecretId] }));
}

function answerEvents({ body }: AwsRequest, outgoing: ServerResponse): void {
  const Entries = JSON.parse(body).Entries.map((_: object, index: number) => ({ EventId: String(index) }));
  outgoing.writeHead(200).end(JSON.stringify({ FailedEntryCount: 0, Entries }));
}
