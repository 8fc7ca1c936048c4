import middy from '@middy/core';
import httpCors from '@middy/http-cors';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import { preferredLanguage, type Sayable, say } from '../messages/say.ts';
import { now } from '../runtime/clock.ts';
import { edgeConfig } from '../runtime/config.ts';
import { logError, logInfo } from '../runtime/log.ts';
import { measured } from '../runtime/measure.ts';
import { once } from '../runtime/once.ts';
import { withinTimeLimit } from '../runtime/time-limit.ts';
import { credentialsOf } from './auth.ts';
import { jsonBody } from './body.ts';
import { cacheable } from './caching.ts';
import { errorAnswer } from './errors.ts';
import { EXPOSED_HEADERS, HARDENING_HEADERS } from './headers.ts';
import { pageUrl } from './pagination.ts';
import type { Answer, Authenticator, Request } from './request.ts';
import { toValidationErrors } from './validation.ts';

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
type Exchange = { event: APIGatewayProxyEvent; response?: APIGatewayProxyResult; error?: unknown };

/**
 * The edge of every route: what reaches `answer` is valid by the contract and comes from a known caller, and whatever
 * leaves, refusals included, has our shape, the caller's language and the request's id.
 */
export function route<C extends Contract, Caller>(
  contract: C,
  authenticate: Authenticator<Caller>,
  answer: (request: Request<C, Caller>) => Promise<Answer<C>>,
): ProxyHandler {
  // Built at the first request and not on import, which must not read the environment.
  const chain = once(() => edge(contract, (request) => handle(request, contract, authenticate, answer)));
  return (event, context) => chain()(event, context);
}

// Of the function's 10 s: who waits is told to try again, and no call goes on that nobody waits for.
const RESERVED_MS = 3_000;

function edge(contract: Contract, base: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>): ProxyHandler {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: RESERVED_MS })
    .use(requestLog(contract))
    .use(httpCors(corsOptions()))
    .use(httpHeaderNormalizer())
    .use(errorMapping())
    .use(contract.body ? jsonBody() : [])
    .handler((event, _, { signal }) => withinTimeLimit(signal, () => base(event))) as unknown as ProxyHandler;
}

// With credentials, for the access cookie: they go to exact origins only, never to any.
function corsOptions() {
  const origins = edgeConfig().CORS_ORIGINS;
  return { origins, credentials: origins.length > 0, exposeHeaders: EXPOSED_HEADERS.join(', ') };
}

async function handle<C extends Contract, Caller>(
  event: APIGatewayProxyEvent,
  contract: C,
  authenticate: Authenticator<Caller>,
  answer: (request: Request<C, Caller>) => Promise<Answer<C>>,
): Promise<APIGatewayProxyResult> {
  const credentials = credentialsOf(event, edgeConfig().CORS_ORIGINS, contract.authentication);
  const caller = await measured('auth', () => authenticate(credentials));
  const request = {
    id: event.requestContext.requestId,
    ...(await measured('validation', () => validInput(contract, event))),
    caller,
    sourceAddress: event.requestContext.identity.sourceIp,
    now: now(),
    say: speaker(event),
    pageUrl: (page: number) => pageUrl(event, page),
  } as Request<C, Caller>;
  return proxyResult(await measured('handler', () => answer(request)), contract, event);
}

function validInput(
  contract: Contract,
  event: APIGatewayProxyEvent,
): Record<'path' | 'query' | 'headers' | 'body', unknown> {
  const path = contract.path?.safeParse(event.pathParameters ?? {});
  if (path && !path.success) throw new Refusal('not_found');
  const query = parsed(contract.query, event.queryStringParameters ?? {});
  const headers = parsed(contract.headers, headersOf(contract, event));
  const body = parsed(contract.body, event.body);
  refuseInvalid([query, headers, body].flatMap(({ errors }) => errors));
  return { path: path?.data, query: query.data, headers: headers.data, body: body.data };
}

function headersOf({ headers }: Contract, event: APIGatewayProxyEvent): Record<string, string | undefined> {
  const names = Object.keys(headers?.shape ?? {});
  return Object.fromEntries(names.map((name) => [name, event.headers[name.toLowerCase()]]));
}

function parsed(schema: z.ZodObject | undefined, input: unknown): { data?: unknown; errors: ValidationError[] } {
  if (!schema) return { errors: [] };
  const { data, error } = schema.safeParse(input);
  return error ? { errors: toValidationErrors(error.issues, input) } : { data, errors: [] };
}

type AnswerParts = Omit<Answer<Contract>, 'body'> & { readonly body: unknown };

function proxyResult(answer: AnswerParts, contract: Contract, event: APIGatewayProxyEvent): APIGatewayProxyResult {
  const result: APIGatewayProxyResult = {
    statusCode: Number(Object.keys(contract.answers)[0]),
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...answer.headers },
    body: JSON.stringify(answer.body),
  };
  if (answer.cookie) result.multiValueHeaders = { 'Set-Cookie': [answer.cookie] };
  return contract.caching === 'catalog' ? cacheable(result, event.headers['if-none-match']) : result;
}

const speaker = (event: APIGatewayProxyEvent) => {
  const language = preferredLanguage(event.headers['accept-language']);
  return (message: Sayable) => say(message, language);
};

function errorMapping() {
  return {
    onError: (exchange: Exchange) => {
      const { event, error } = exchange;
      const input = event.body ?? event.queryStringParameters;
      const { status, body, headers, code } = errorAnswer(error, speaker(event), input);
      const fields = { requestId: event.requestContext.requestId, code };
      if (status >= 500) logError('request failed', error, fields);
      exchange.response = {
        statusCode: status,
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
        body: JSON.stringify(body),
      };
    },
  };
}

function requestLog(contract: Contract) {
  const started = new WeakMap<APIGatewayProxyEvent, number>();
  const finish = ({ event, response, error }: Exchange): void => {
    if (!response) return;
    const { requestId, identity, resourcePath, httpMethod } = event.requestContext;
    const language = preferredLanguage(event.headers['accept-language']);
    response.headers = {
      ...response.headers,
      ...HARDENING_HEADERS,
      'X-Request-Id': requestId,
      'Content-Language': language,
    };
    logInfo('request', {
      requestId,
      route: `${httpMethod} ${resourcePath}`,
      status: response.statusCode,
      code: error instanceof Refusal ? error.code : undefined,
      durationMs: Math.round((performance.now() - (started.get(event) ?? 0)) * 10) / 10,
      gatewayKeyId: identity.apiKeyId ?? undefined,
      authentication: contract.authentication,
    });
  };
  return {
    before: ({ event }: Exchange) => {
      started.set(event, performance.now());
    },
    after: finish,
    onError: finish,
  };
}
