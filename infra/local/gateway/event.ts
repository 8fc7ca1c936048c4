import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Method } from '../../../shared/api/contract.ts';
import { type ServedRoute, servedMethods } from '../../../shared/api/routes.ts';

type Resource = {
  /** The resource path as API Gateway writes it, without a trailing slash. */
  readonly path: string;
  readonly id: string;
  readonly methods: ReadonlyMap<string, ServedRoute>;
  readonly pattern: RegExp;
};

export type Match = {
  readonly resource: Resource;
  readonly route: ServedRoute;
  /** The path parameters as sent, not decoded; null if the resource has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

/** Returns how a route table is searched, ignoring trailing and duplicate leading slashes; paths are those without the stage. */
export function createRouter(routes: readonly ServedRoute[]) {
  const resources = toResources(routes);
  const findResource = (path: string) => resources.find(({ pattern }) => pattern.test(path));
  return {
    /**
     * Finds the route of a method and a path. Undefined is what the stack's catch-all answers: it takes the other methods of a
     * literal before the parameter beside it could.
     */
    find(method: string, path: string): Match | undefined {
      const resource = findResource(path);
      const route = resource?.methods.get(method);
      const parameters = resource?.pattern.exec(path)?.groups;
      return resource && route && { resource, route, pathParameters: parameters ? { ...parameters } : null };
    },
    /** Returns the methods of the rows of the resource at a path; none if there is no such resource. */
    methods(path: string): readonly Method[] {
      const rows = findResource(path)?.methods.values() ?? [];
      return [...new Set([...rows].map(({ method }) => method))];
    },
  };
}

function toResources(routes: readonly ServedRoute[]): Resource[] {
  const byPath = Map.groupBy(routes, (route) => route.path.replace(/\/$/, ''));
  const resources = [...byPath].map(([path, rows]) => ({
    path,
    id: createHash('sha256').update(path).digest('hex').slice(0, 6),
    methods: new Map(rows.flatMap((row) => servedMethods(row).map((method) => [method, row] as const))),
    pattern: new RegExp(`^/*${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/*$`),
  }));
  // A literal segment wins over a parameter, as in API Gateway.
  return resources.sort((one, other) => countParameters(one) - countParameters(other));
}

const countParameters = ({ path }: Pick<Resource, 'path'>): number => path.split('{').length;

const ACCOUNT_ID = '000000000000';
const API_ID = 'local';

/** A request as the gateway has parsed it. */
export type GatewayRequest = {
  readonly id: string;
  readonly method: string;
  readonly match: Match;
  readonly stage: string;
  /** The path without the stage, with its trailing slash as sent. */
  readonly path: string;
  /** The path as sent, with the stage. */
  readonly stagePath: string;
  /** The query without the question mark; empty if there is none. */
  readonly query: string;
  /** Names and values alternating, in the case in which they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly apiKey: { readonly id: string; readonly value: string };
  readonly sourceIp: string;
  readonly port: number;
  readonly protocol: string;
  readonly now: Date;
};

/** Returns the event of a REST API's Lambda proxy integration, field by field as API Gateway makes it. */
export function proxyEvent(request: GatewayRequest): APIGatewayProxyEvent {
  const { match, query, body } = request;
  const headers = collectHeaders(request);
  const parameters = query === '' ? null : grouped(new URLSearchParams(query));
  return {
    resource: match.resource.path,
    path: request.path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastValues(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters: match.pathParameters && { ...match.pathParameters },
    stageVariables: null,
    requestContext: requestContext(request),
    body: body.length === 0 ? null : body.toString('utf8'),
    isBase64Encoded: false,
  };
}

/** Returns the values of a header in the order sent; the case of its name does not matter. */
function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return readPairs(rawHeaders).flatMap(([sent, value]) => (sent.toLowerCase() === name ? [value] : []));
}

type MultiValues = Record<string, string[]>;

// No prototype: a header or parameter named __proto__ must be an ordinary one.
function grouped(pairs: Iterable<readonly [string, string]>): MultiValues {
  const groups: MultiValues = Object.create(null);
  for (const [name, value] of pairs) {
    const values = groups[name];
    if (values) values.push(value);
    else groups[name] = [value];
  }
  return groups;
}

function lastValues(groups: MultiValues): Record<string, string> {
  const last: Record<string, string> = Object.create(null);
  for (const name in groups) last[name] = groups[name]?.at(-1) ?? '';
  return last;
}

function collectHeaders({ rawHeaders, sourceIp, port }: GatewayRequest): MultiValues {
  const sent = readPairs(rawHeaders).filter(([name]) => !/^x-forwarded-(for|port|proto)$/i.test(name));
  return grouped([
    ...sent,
    ['X-Forwarded-For', [...headerValues(rawHeaders, 'x-forwarded-for'), sourceIp].join(', ')],
    ['X-Forwarded-Port', String(port)],
    ['X-Forwarded-Proto', 'http'],
  ]);
}

const readPairs = (rawHeaders: readonly string[]): [string, string][] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));

function requestContext(request: GatewayRequest): APIGatewayProxyEvent['requestContext'] {
  const { match, now, rawHeaders } = request;
  const domainName = headerValues(rawHeaders, 'host')[0] ?? '';
  return {
    resourceId: match.resource.id,
    // An API without an authorizer omits the field, although the published type requires it.
    authorizer: undefined,
    resourcePath: match.resource.path,
    httpMethod: request.method,
    extendedRequestId: request.id,
    requestTime: commonLogTime(now),
    path: request.stagePath,
    accountId: ACCOUNT_ID,
    protocol: request.protocol,
    stage: request.stage,
    domainPrefix: domainName.split(/[.:]/, 1)[0],
    requestTimeEpoch: now.getTime(),
    requestId: request.id,
    identity: readIdentity(request),
    domainName,
    apiId: API_ID,
  };
}

// The fields that API Gateway sets only for callers with AWS credentials, a Cognito identity or a certificate.
const NO_CALLER = {
  ...{ accessKey: null, accountId: null, caller: null, user: null, userArn: null },
  ...{ clientCert: null, principalOrgId: null },
  ...{ cognitoAuthenticationProvider: null, cognitoAuthenticationType: null },
  ...{ cognitoIdentityId: null, cognitoIdentityPoolId: null },
};

const readIdentity = ({ apiKey, sourceIp, rawHeaders }: GatewayRequest) => ({
  ...NO_CALLER,
  apiKey: apiKey.value,
  apiKeyId: apiKey.id,
  sourceIp,
  userAgent: headerValues(rawHeaders, 'user-agent')[0] ?? null,
});

// 21/Nov/2026:09:05:00 +0000
function commonLogTime(now: Date): string {
  const [, day, month, year, time] = now.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Returns Lambda's context argument, with the real remaining time. */
export function lambdaContext(functionName: string, requestId: string, timeoutMs: number): Context {
  const deadline = Date.now() + timeoutMs;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:mx-central-1:${ACCOUNT_ID}:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: refuseCallback,
    fail: refuseCallback,
    succeed: refuseCallback,
  };
}

const refuseCallback = (): never => {
  throw new Error('this runtime has no callbacks: return a promise');
};
