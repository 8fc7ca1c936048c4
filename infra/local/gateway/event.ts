import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Method } from '../../../shared/api/contract.ts';
import { type ServedRoute, servedMethods } from '../../../shared/api/routes.ts';
import { STAGE } from '../../gateway-answers.ts';

export type Match = {
  readonly route: ServedRoute;
  /** The path parameters as sent, not decoded; null if the route has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

export type GatewayRequest = {
  readonly id: string;
  readonly match: Match;
  readonly method: string;
  /** The path with its stage and query, as sent. */
  readonly target: string;
  /** By their names in lower case, as Node has them. */
  readonly headers: NodeJS.Dict<string[]>;
  /** Names and values alternating, in the case in which they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly apiKey: { readonly id: string; readonly value: string };
  readonly sourceIp: string;
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

/** Splits a target of the stage. API Gateway drops duplicate leading slashes; the URL class would normalise more of a path. */
export function splitTarget(target: string) {
  const [, stagePath = '', path = '', query = ''] = /^(\/+[^/?]+(\/[^?]*)?)(?:\?(.*))?$/.exec(target) ?? [];
  return { stagePath, path: path.replace(/^\/+/, '/'), query: new URLSearchParams(query) };
}

/** Returns the event of a REST API's Lambda proxy integration, as API Gateway makes it. */
export function proxyEvent(request: GatewayRequest) {
  const { id, match, method, target, body, apiKey, sourceIp } = request;
  const { stagePath, path, query } = splitTarget(target);
  const headers = passHeaders(request);
  const parameters = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
  const resource = match.route.path.replace(/\/$/, '');
  const identity = {
    apiKey: apiKey.value,
    apiKeyId: apiKey.id,
    sourceIp,
    userAgent: request.headers['user-agent']?.at(-1),
  };
  return {
    resource,
    path,
    httpMethod: method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: query.size > 0 ? lastValues(parameters) : null,
    multiValueQueryStringParameters: query.size > 0 ? parameters : null,
    pathParameters: match.pathParameters && { ...match.pathParameters },
    stageVariables: null,
    requestContext: {
      ...{ accountId: '000000000000', apiId: 'local', resourceId: 'local', stage: STAGE, protocol: 'HTTP/1.1' },
      // An API without an authorizer omits the field, although the published type requires it.
      authorizer: undefined,
      domainName: request.headers.host?.[0] ?? '',
      httpMethod: method,
      identity,
      path: stagePath,
      requestId: id,
      requestTimeEpoch: Date.now(),
      resourcePath: resource,
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  } as APIGatewayProxyEvent;
}

/** Returns the headers under the names as they were sent, with those that API Gateway adds. */
function passHeaders({ headers, rawHeaders, sourceIp }: GatewayRequest): Record<string, string[]> {
  const { 'x-forwarded-for': forwardedFor = [], 'x-forwarded-proto': _, ...own } = headers;
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  const sentNames = new Map(names.map((name) => [name.toLowerCase(), name]));
  return {
    ...Object.fromEntries(Object.entries(own).map(([name, values = []]) => [sentNames.get(name) ?? name, values])),
    'X-Forwarded-For': [[...forwardedFor, sourceIp].join(', ')],
    'X-Forwarded-Proto': ['http'],
  };
}

const lastValues = (groups: NodeJS.Dict<string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values?.at(-1) ?? '']));

/** Returns what the handlers read of Lambda's context argument, with the real remaining time. */
export function lambdaContext(functionName: string, awsRequestId: string, timeoutMs: number): Context {
  const deadline = Date.now() + timeoutMs;
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now());
  return { functionName, functionVersion: '$LATEST', awsRequestId, getRemainingTimeInMillis } as Context;
}
