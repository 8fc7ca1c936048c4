import type { IncomingMessage } from 'node:http';

/** A call as IAM sees it: an action on a resource, with the values that policy conditions may test. */
export type AwsCall = {
  readonly action: string;
  readonly resource: string;
  /** The partition keys of all items of the call. */
  readonly leadingKeys?: readonly string[];
  readonly fromAddress?: string;
};

export type Service =
  | 'dynamodb'
  | 'secretsmanager'
  | 's3'
  | 'ses'
  | 'events'
  /** The providers of invoices and payments, which are not of AWS. */
  | 'facturapi'
  | 'stripe';

/** A request to a service as the proxy receives it. */
export type AwsRequest = {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly service: Service;
  /** The operation of services that name it in a header; '' for others. */
  readonly operation: string;
  readonly body: string;
};

const JSON_SERVICES: Readonly<Record<string, Service>> = { DynamoDB: 'dynamodb', AWSEvents: 'events' };
const PATHS: readonly (readonly [start: string, service: Service])[] = [
  ['/v2/', 'facturapi'],
  ['/v1/', 'stripe'],
  ['/', 's3'],
];

export function readAwsRequest({ method = '', url = '', headers }: IncomingMessage, body: Buffer): AwsRequest {
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const isForm = url === '/' && headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const [, byPath = 's3'] = PATHS.find(([start]) => url.startsWith(start)) ?? [];
  const json = JSON_SERVICES[target.split('_')[0] ?? ''] ?? 'secretsmanager';
  const service = target === '' ? (isForm ? 'ses' : byPath) : json;
  return { method, target: url, service, operation, body: body.toString() };
}

export const REGION = 'mx-central-1';
export const ACCOUNT = '000000000000';
export const tableArn = (name: string): string => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;
export const secretArn = (name: string): string => `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}-AbCdEf`;
const sesArn = (resource: string): string => `arn:aws:ses:${REGION}:${ACCOUNT}:${resource}`;

/** Returns the calls of a request, all of which must be allowed. */
export function awsCalls(request: AwsRequest): AwsCall[] {
  if (request.service === 'dynamodb') return tableCalls(request.operation, JSON.parse(request.body));
  if (request.service === 'ses') return mailCalls(new URLSearchParams(request.body));
  if (request.service === 's3') return objectCalls(request);
  if (request.service === 'events') return busCalls(JSON.parse(request.body));
  return [secretCall(request)];
}

/** A secret may be asked for by its name; IAM sees its ARN, to which Secrets Manager has added six characters. */
function secretCall({ operation, body }: AwsRequest): AwsCall {
  const { SecretId } = JSON.parse(body);
  return {
    action: `secretsmanager:${operation}`,
    resource: SecretId.startsWith('arn:') ? SecretId : secretArn(SecretId),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: requests to DynamoDB have no types here
type Json = any;
const readPartitionKey = ({ Key, Item }: Json): string => (Key ?? Item).pk.S;
const toBatchKeys = (requests: Json): Json[] =>
  Array.isArray(requests)
    ? requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest.Key)
    : requests.Keys;

function tableCalls(operation: string, input: Json): AwsCall[] {
  if (operation === 'TransactWriteItems') return transactionCalls(input);
  const action = `dynamodb:${operation}`;
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.entries<Json>(input.RequestItems).map(([name, requests]) => ({
      action,
      resource: tableArn(name),
      leadingKeys: toBatchKeys(requests).map(({ pk }) => pk.S),
    }));
  }
  const resource = tableArn(input.TableName);
  if (operation !== 'Query') return [{ action, resource, leadingKeys: [readPartitionKey(input)] }];
  const [, placeholder = ''] = /pk = (:\w+)/.exec(input.KeyConditionExpression) ?? [];
  return [{ action, resource, leadingKeys: [input.ExpressionAttributeValues[placeholder].S] }];
}

/** Each part needs the permission of its own operation (DynamoDB's guide, "Using IAM with DynamoDB transactions"). */
const transactionCalls = ({ TransactItems }: Json): AwsCall[] =>
  TransactItems.flatMap((item: Json) =>
    Object.entries<Json>(item).map(([kind, part]) => ({
      action: `dynamodb:${kind}Item`,
      resource: tableArn(part.TableName),
      leadingKeys: [readPartitionKey(part)],
    })),
  );

const OBJECT_ACTIONS: Readonly<Record<string, string>> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};

function objectCalls({ method, target, body }: AwsRequest): AwsCall[] {
  const { pathname, searchParams } = new URL(target, 'http://s3');
  const [bucket = '', ...names] = decodeURIComponent(pathname).slice(1).split('/');
  const arn = `arn:aws:s3:::${bucket}`;
  const key = names.join('/');
  if (method === 'POST' && searchParams.has('delete')) {
    // The local engine keeps no versions, so this stands for the removal of a version on AWS.
    const keys = [...body.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name]) => name);
    return keys.map((name) => ({ action: 's3:DeleteObjectVersion', resource: `${arn}/${name}` }));
  }
  if (key !== '') return [{ action: OBJECT_ACTIONS[method] ?? `s3:${method}`, resource: `${arn}/${key}` }];
  // ListObjects replaces ListObjectVersions where the engine keeps no versions.
  const isOfVersions = searchParams.has('versions') || !searchParams.has('list-type');
  return [{ action: isOfVersions ? 's3:ListBucketVersions' : 's3:ListBucket', resource: arn }];
}

const busArn = (name: string): string => `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`;
const busCalls = ({ Entries }: Json): AwsCall[] =>
  Entries.map(({ EventBusName }: Json) => ({ action: 'events:PutEvents', resource: busArn(EventBusName) }));

/** In the sandbox, SES also asks IAM for the identity of the recipient (usdigitalresponse/usdr-gost, gost_api/email.tf). */
function mailCalls(form: URLSearchParams): AwsCall[] {
  const mail = Buffer.from(form.get('RawMessage.Data') ?? '', 'base64').toString();
  const [, fromAddress = ''] = /^From:.*?([^\s<]+@[^\s>]+)>?\r?$/im.exec(mail) ?? [];
  const action = `ses:${form.get('Action')}`;
  const rules = form.get('ConfigurationSetName');
  const used = [
    `identity/${form.get('Source')}`,
    `identity/${form.get('Destinations.member.1')}`,
    ...(rules ? [`configuration-set/${rules}`] : []),
  ];
  return used.map((resource) => ({ action, resource: sesArn(resource), fromAddress }));
}
