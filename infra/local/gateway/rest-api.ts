import type { IncomingHttpHeaders } from 'node:http';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { type GatewayCode, KEYLESS_LIMIT } from '../../gateway-answers.ts';
import { compressAnswer, corsHeaders, type HttpAnswer, ownAnswer, preflight } from './answers.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';
import { createRouter, type GatewayRequest, type Match, proxyEvent } from './event.ts';
import { createInvoker, type InvocationOptions } from './invocation.ts';
import { createTokenBuckets, type RateLimit } from './rate-limit.ts';

export type RestApiOptions = InvocationOptions & {
  readonly routes: readonly ServedRoute[];
  readonly keys: ApiKeys;
  readonly stage: string;
  readonly corsOrigins?: readonly string[];
  /** The limit of each key; undefined means none, and none for routes without a key either. */
  readonly rateLimit?: RateLimit | undefined;
};

/** A request to the stage, before its route is known. */
export type Visit = Omit<GatewayRequest, 'match' | 'stage' | 'path' | 'stagePath' | 'query' | 'apiKey'> & {
  /** The path with its stage and query, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
};

// API Gateway names no key in the event of a method that needs none.
const NO_KEY = { id: '', value: '' } as const;

/** The REST API of a route table. It checks route, key and limits in API Gateway's order, then calls the function. */
export function createRestApi(options: RestApiOptions) {
  const { routes, keys, stage, corsOrigins = [], rateLimit } = options;
  const router = createRouter(routes);
  const take = rateLimit ? createTokenBuckets(rateLimit) : () => true;
  const takeKeyless = rateLimit ? createTokenBuckets(KEYLESS_LIMIT) : () => true;
  const invoke = createInvoker(options);

  return async function answer(visit: Visit): Promise<HttpAnswer> {
    const { id, method, headers } = visit;
    const cors = corsHeaders(headers.origin, corsOrigins);
    const target = splitTarget(visit.target);
    const methods = method === 'OPTIONS' && corsOrigins.length > 0 ? router.methods(target.path) : [];
    if (methods.length > 0) return preflight(methods, id, cors);
    const match = router.find(method, target.path);
    const outcome = match ? await pass(match) : 'not_found';
    if (typeof outcome === 'string') return ownAnswer(outcome, id, cors);
    return compressAnswer(outcome, String(headers['accept-encoding'] ?? ''));

    async function pass(found: Match): Promise<HttpAnswer | GatewayCode> {
      const apiKey = findKey(found.route, visit);
      if (typeof apiKey === 'string') return apiKey;
      return invoke(found.route, proxyEvent({ ...visit, ...target, match: found, stage, apiKey }));
    }
  };

  function findKey(
    { authentication, path }: ServedRoute,
    { headers, now }: Visit,
  ): Pick<ApiKey, 'id' | 'value'> | GatewayCode {
    if (authentication === 'none') return takeKeyless(path, now) ? NO_KEY : 'throttled';
    const key = keys.find(String(headers['x-api-key'] ?? ''));
    if (!key?.enabled) return 'api_key_invalid';
    return take(key.id, now) ? key : 'throttled';
  }
}

/** Splits a target of the stage. API Gateway drops duplicate leading slashes; the URL class would normalise more of a path. */
function splitTarget(target: string): { readonly stagePath: string; readonly path: string; readonly query: string } {
  const [, stagePath = '', path = '', query = ''] = /^(\/+[^/?]+(\/[^?]*)?)(?:\?(.*))?$/.exec(target) ?? [];
  return { stagePath, path: path.replace(/^\/+/, '/'), query };
}
