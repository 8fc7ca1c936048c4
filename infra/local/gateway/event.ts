import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Method } from '../../../shared/api/contract.ts';
import { type ServedRoute, servedMethods } from '../../../shared/api/routes.ts';

export type Match = {
  readonly route: ServedRoute;
  /** The path parameters as sent, not decoded; null if the route has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

/** A request for a function. */
export type GatewayRequest = {
  readonly id: string;
  readonly method: string;
  readonly match: Match;
  /** The path with its stage and query, as sent. */
  readonly target: string;
  /** Names and values alternating, in the case in which they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly apiKey: { readonly id: string; readonly value: string };
  readonly sourceIp: string;
  readonly port: number;
  readonly protocol: string;
};

type Pair = readonly [name: string, value: string];
type MultiValues = Record<string, string[]>;

const ACCOUNT_ID = '000000000000';

// The fields that API Gateway sets only for callers with AWS credentials, a Cognito identity or a certificate.
const NO_CALLER = {
  ...{ accessKey: null, accountId: null, caller: null, user: null, userArn: null },
  ...{ clientCert: null, principalOrgId: null },
  ...{ cognitoAuthenticationProvider: null, cognitoAuthenticationType: null },
  ...{ cognitoIdentityId: null, cognitoIdentityPoolId: null },
};

/** Returns how a route table is searched, ignoring trailing and duplicate leading slashes; paths are those without the stage. */
export function createRouter(routes: readonly ServedRoute[]) {
  // A literal segment wins over a parameter, as in API Gateway.
  const resources = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, rows]) => ({ rows, pattern: toPattern(path), parameters: path.split('{').length }))
    .sort((one, other) => one.parameters - other.parameters);
  const findResource = (path: string) => resources.find(({ pattern }) => pattern.test(path));
  return {
    /**
     * Finds the route of a method and a path. Undefined is what the stack's catch-all answers: it takes the other methods of a
     * literal before the parameter beside it could.
     */
    find(method: string, path: string): Match | undefined {
      const resource = findResource(path);
      const route = resource?.rows.find((row) => servedMethods(row).includes(method));
      const parameters = resource?.pattern.exec(path)?.groups;
      return route && { route, pathParameters: parameters ? { ...parameters } : null };
    },
    /** Returns the methods of the rows of the resource at a path; none if there is no such resource. */
    methods: (path: string): Method[] => findResource(path)?.rows.map(({ method }) => method) ?? [],
  };
}

const toPattern = (path: string): RegExp =>
  new RegExp(`^/*${path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/*$`);

/** Splits a target of a stage. API Gateway drops duplicate leading slashes; the URL class would normalise more of a path. */
export function splitTarget(target: string) {
  const [, stagePath = '', stage = '', path = '', query = ''] =
    /^(\/+([^/?]+)(\/[^?]*)?)(?:\?(.*))?$/.exec(target) ?? [];
  return { stage, stagePath, path: path.replace(/^\/+/, '/'), query };
}

/** Returns the event of a REST API's Lambda proxy integration, field by field as API Gateway makes it. */
export function proxyEvent(request: GatewayRequest): APIGatewayProxyEvent {
  const { match, method, body } = request;
  const { path, query } = splitTarget(request.target);
  const headers = groupValues(passedHeaders(request));
  const parameters = query === '' ? null : groupValues([...new URLSearchParams(query)]);
  return {
    resource: match.route.path.replace(/\/$/, ''),
    path,
    httpMethod: method,
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

function passedHeaders({ rawHeaders, sourceIp, port }: GatewayRequest): Pair[] {
  const forwardedFor = [...headerValues(rawHeaders, 'x-forwarded-for'), sourceIp].join(', ');
  return [
    ...toPairs(rawHeaders).filter(([name]) => !/^x-forwarded-(for|port|proto)$/i.test(name)),
    ['X-Forwarded-For', forwardedFor],
    ['X-Forwarded-Port', String(port)],
    ['X-Forwarded-Proto', 'http'],
  ];
}

const toPairs = (rawHeaders: readonly string[]): Pair[] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));

/** Returns the values of a header in the order sent; the case of its name does not matter. */
const headerValues = (rawHeaders: readonly string[], name: string): string[] =>
  toPairs(rawHeaders).flatMap(([sent, value]) => (sent.toLowerCase() === name ? [value] : []));

const groupValues = (pairs: readonly Pair[]): MultiValues =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => [name, same.map(([, value]) => value)]),
  );

const lastValues = (groups: MultiValues): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? '']));

function requestContext({ id, method, match, target, rawHeaders, apiKey, sourceIp, protocol }: GatewayRequest) {
  const resourcePath = match.route.path.replace(/\/$/, '');
  const { stage, stagePath } = splitTarget(target);
  const [domainName = ''] = headerValues(rawHeaders, 'host');
  const [userAgent = null] = headerValues(rawHeaders, 'user-agent');
  const now = new Date();
  return {
    accountId: ACCOUNT_ID,
    apiId: 'local',
    // An API without an authorizer omits the field, although the published type requires it.
    authorizer: undefined,
    domainName,
    domainPrefix: domainName.split(/[.:]/, 1)[0],
    extendedRequestId: id,
    httpMethod: method,
    identity: { ...NO_CALLER, apiKey: apiKey.value, apiKeyId: apiKey.id, sourceIp, userAgent },
    path: stagePath,
    protocol,
    requestId: id,
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: createHash('sha256').update(resourcePath).digest('hex').slice(0, 6),
    resourcePath,
    stage,
  };
}

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
