import type { APIGatewayEventIdentity, APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Method } from '../../../shared/api/contract.ts';
import { type ServedRoute, servedMethods } from '../../../shared/api/routes.ts';

export type Match = {
  readonly route: ServedRoute;
  /** The path parameters as sent, not decoded; null if the route has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

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
};

type Pair = readonly [name: string, value: string];
type MultiValues = Record<string, string[]>;

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

/** Returns the event of a REST API's Lambda proxy integration, as API Gateway makes it. */
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

function passedHeaders({ rawHeaders, sourceIp }: GatewayRequest): Pair[] {
  const forwardedFor = [...headerValues(rawHeaders, 'x-forwarded-for'), sourceIp].join(', ');
  return [
    ...toPairs(rawHeaders).filter(([name]) => !/^x-forwarded-(for|proto)$/i.test(name)),
    ['X-Forwarded-For', forwardedFor],
    ['X-Forwarded-Proto', 'http'],
  ];
}

const toPairs = (rawHeaders: readonly string[]): Pair[] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));

const headerValues = (rawHeaders: readonly string[], name: string): string[] =>
  toPairs(rawHeaders).flatMap(([sent, value]) => (sent.toLowerCase() === name ? [value] : []));

const groupValues = (pairs: readonly Pair[]): MultiValues =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => [name, same.map(([, value]) => value)]),
  );

const lastValues = (groups: MultiValues): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? '']));

function requestContext({ id, method, match, target, rawHeaders, apiKey, sourceIp }: GatewayRequest) {
  const resourcePath = match.route.path.replace(/\/$/, '');
  const { stage, stagePath } = splitTarget(target);
  const [domainName = ''] = headerValues(rawHeaders, 'host');
  const [userAgent = null] = headerValues(rawHeaders, 'user-agent');
  const identity = { apiKey: apiKey.value, apiKeyId: apiKey.id, sourceIp, userAgent } as APIGatewayEventIdentity;
  return {
    accountId: '000000000000',
    apiId: 'local',
    // An API without an authorizer omits the field, although the published type requires it.
    authorizer: undefined,
    domainName,
    httpMethod: method,
    identity,
    path: stagePath,
    protocol: 'HTTP/1.1',
    requestId: id,
    requestTimeEpoch: Date.now(),
    resourceId: 'local',
    resourcePath,
    stage,
  };
}

/** Returns what the handlers read of Lambda's context argument, with the real remaining time. */
export function lambdaContext(functionName: string, awsRequestId: string, timeoutMs: number): Context {
  const deadline = Date.now() + timeoutMs;
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
  return { functionName, functionVersion: '$LATEST', awsRequestId, getRemainingTimeInMillis } as Context;
}
