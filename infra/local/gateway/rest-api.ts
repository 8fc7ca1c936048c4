import type { IncomingMessage } from 'node:http';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { type GatewayCode, KEYLESS_LIMIT } from '../../gateway-answers.ts';
import { compressAnswer, corsHeaders, type HttpAnswer, ownAnswer, preflight, unpackBody } from './answers.ts';
import { type ApiKey, type ApiKeys, createUsagePlan, type RateLimit } from './api-keys.ts';
import { createRouter, type Match, proxyEvent } from './event.ts';
import { createInvoker, type InvocationOptions } from './invocation.ts';

export type RestApiOptions = InvocationOptions & {
  readonly routes: readonly ServedRoute[];
  readonly keys: ApiKeys;
  readonly stage: string;
  readonly corsOrigins?: readonly string[];
  /** The limits of the usage plan; undefined means none, and none for routes without a key either. */
  readonly rateLimit?: RateLimit | undefined;
};

// API Gateway names no key in the event of a method that needs none.
const NO_KEY = { id: '', value: '' } as const;
type EventKey = Pick<ApiKey, 'id' | 'value'>;

/** A request whose body has been read. */
export type Visit = {
  readonly id: string;
  readonly now: Date;
  readonly message: IncomingMessage;
  /** The path as sent, with the stage. */
  readonly pathname: string;
  readonly query: string;
  readonly body: Buffer;
};

/** The REST API of a route table. It checks route, key and usage plan in API Gateway's order, then calls the function. */
export function createRestApi(options: RestApiOptions) {
  const { routes, keys, stage, corsOrigins = [], rateLimit } = options;
  const router = createRouter(routes);
  const take = rateLimit ? createUsagePlan(rateLimit) : () => undefined;
  const takeKeyless = rateLimit ? createUsagePlan(KEYLESS_LIMIT) : () => undefined;
  const invoke = createInvoker(options);

  return async function answer(visit: Visit): Promise<HttpAnswer> {
    const { method = '', headers } = visit.message;
    const cors = corsHeaders(headers.origin, corsOrigins);
    const path = withoutStage(visit.pathname, stage);
    const methods = method === 'OPTIONS' && corsOrigins.length > 0 ? router.methods(path) : [];
    if (methods.length > 0) return preflight(methods, visit.id, cors);
    const match = router.find(method, path);
    const answered = match ? await pass(visit, path, match) : 'not_found';
    if (typeof answered === 'string') return ownAnswer(answered, visit.id, cors);
    return compressAnswer(answered, String(headers['accept-encoding'] ?? ''));
  };

  async function pass(visit: Visit, path: string, match: Match): Promise<HttpAnswer | GatewayCode> {
    const { authentication, path: routePath } = match.route;
    const key = authentication === 'none' ? (takeKeyless(routePath, visit.now) ?? NO_KEY) : takeKey(visit);
    if (typeof key === 'string') return key;
    const body = await unpackBody(visit.body, visit.message.headers['content-encoding']);
    if (!Buffer.isBuffer(body)) return body;
    return invoke(match.route, buildEvent({ ...visit, body }, path, match, key));
  }

  function takeKey({ message, now }: Visit): ApiKey | GatewayCode {
    const key = keys.find(String(message.headers['x-api-key'] ?? ''));
    if (!key?.enabled || !key.inUsagePlan) return 'api_key_invalid';
    return take(key.id, now) ?? key;
  }

  function buildEvent({ message, pathname, ...visit }: Visit, path: string, match: Match, apiKey: EventKey) {
    return proxyEvent({
      ...visit,
      match,
      stage,
      path,
      apiKey,
      stagePath: pathname,
      method: message.method ?? '',
      rawHeaders: message.rawHeaders,
      sourceIp: message.socket.remoteAddress ?? '',
      port: message.socket.localPort ?? 0,
      protocol: `HTTP/${message.httpVersion}`,
    });
  }
}

// API Gateway drops duplicate leading slashes. A path outside the stage matches no route.
function withoutStage(pathname: string, stage: string): string {
  const [, name, rest = '/'] = /^\/+([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  return name === stage ? rest.replace(/^\/+/, '/') : '';
}
