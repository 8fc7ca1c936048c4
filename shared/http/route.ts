import middy from '@middy/core';
import httpCors from '@middy/http-cors';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import type { Message } from '../messages/messages.ts';
import { isFault } from '../messages/refusals.ts';
import { say } from '../messages/say.ts';
import { perContainer } from '../runtime/async.ts';
import { now, runWithDeadline } from '../runtime/clock.ts';
import { edgeConfig } from '../runtime/config.ts';
import { logError, noteRequest, runWithNotes } from '../runtime/log.ts';
import { logRequest, measure } from '../runtime/metrics.ts';
import { jsonBody, readBytes } from './body.ts';
import { type Authenticator, readCredentials } from './credentials.ts';
import { readQuery, toErrorAnswer, toRefusal, toValidationErrors } from './errors.ts';
import { chooseLanguage, EXPOSED_HEADERS, HARDENING_HEADERS, jsonResult, readHeader, withETag } from './headers.ts';
import { type ListCaller, listName, pagingErrors, urlWith } from './pagination.ts';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Request<C extends Contract, Caller> = {
  readonly id: string;
  readonly path: Parsed<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  readonly headers: Parsed<C['headers']>;
  /** Returns the unparsed body, for a contract without one. Throws `body_too_large`. */
  bytes(): Uint8Array;
  readonly caller: Caller;
  readonly sourceAddress: string;
  readonly now: Date;
  say(message: Message): string;
  pageUrl(page: number): string;
  cursorUrl(cursor: string): string;
  /** Identifies the list: the same for all of its pages, and no other list or caller. */
  listName(): string;
};

type Answer<C extends Contract> = {
  readonly body: z.input<C['answers'][keyof C['answers'] & number]>;
  /** If the contract has several success statuses. */
  readonly status?: keyof C['answers'] & number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
};

export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Creates the Lambda handler of a route. `answer` gets only valid requests of authenticated callers. Every answer, including
 * refusals, has the contract's format, the caller's language and the request's id.
 */
export function route<C extends Contract, Caller>(
  contract: C,
  authenticate: Authenticator<Caller>,
  answer: (request: Request<C, Caller>) => Promise<Answer<C>>,
): ProxyHandler {
  const handle = async (event: APIGatewayProxyEvent) => {
    const credentials = readCredentials(event, edgeConfig().CORS_ORIGINS, contract.authentication);
    const caller = await measure('auth', () => authenticate(credentials));
    try {
      const input = await measure('validation', () => validate(contract, event));
      const request = toRequest(event, input, caller) as Request<C, Caller>;
      return toResult(await measure('handler', () => answer(request)), contract, event);
    } finally {
      // A refused caller gets no other answer, whatever the request's outcome.
      await caller.confirmed;
    }
  };
  // Built at the first request, because an import must not read the environment.
  const chain = perContainer(() => middlewareChain(contract, handle));
  return (event, context) => runWithNotes(() => chain()(event, context));
}

// With 3 of the function's 10 s remaining, the request's calls are cancelled and the caller is asked to retry.
const RESERVED_MS = 3_000;

type EventHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

const middlewareChain = (contract: Contract, base: EventHandler): ProxyHandler =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: RESERVED_MS })
    .use(requestLog(contract))
    .use(httpCors(corsOptions()))
    .use(httpHeaderNormalizer())
    .use(errorMapping())
    .use(contract.body ? jsonBody(contract) : [])
    .handler((event, context, { signal }) =>
      runWithDeadline(signal, context.getRemainingTimeInMillis() - RESERVED_MS, () => base(event)),
    ) as unknown as ProxyHandler;

// The access cookie needs CORS with credentials, which is allowed only for exact origins.
function corsOptions() {
  const origins = edgeConfig().CORS_ORIGINS;
  return { origins, credentials: origins.length > 0, exposeHeaders: EXPOSED_HEADERS.join(', ') };
}

type Input = Readonly<Record<'path' | 'query' | 'headers' | 'body', unknown>>;

/** Throws a Refusal: `not_found` for an invalid path, else `invalid_input`. */
function validate(contract: Contract, event: APIGatewayProxyEvent): Input {
  const path = contract.path?.safeParse(event.pathParameters ?? {});
  if (path && !path.success) throw new Refusal('not_found');
  // Users' paths contain no other id than that of an order.
  if (contract.authentication === 'user' && typeof path?.data.id === 'number') noteRequest({ orderId: path.data.id });
  const query = parse(contract.query, readQuery(contract.query, event));
  const headers = parse(contract.headers, namedHeaders(contract, event));
  const body = parse(contract.body, event.body);
  const errors = [query, headers, body].flatMap((part) => part.errors);
  refuseInvalid([...errors, ...pagingErrors(contract, event)]);
  return { path: path?.data, query: query.data, headers: headers.data, body: body.data };
}

function namedHeaders({ headers }: Contract, event: APIGatewayProxyEvent): Record<string, string | undefined> {
  const names = Object.keys(headers?.shape ?? {});
  return Object.fromEntries(names.map((name) => [name, readHeader(event, name.toLowerCase())]));
}

function parse(schema: z.ZodObject | undefined, input: unknown): { data?: unknown; errors: ValidationError[] } {
  if (!schema) return { errors: [] };
  const { data, error } = schema.safeParse(input);
  return error ? { errors: toValidationErrors(error.issues, input) } : { data, errors: [] };
}

const toRequest = <Caller>(event: APIGatewayProxyEvent, input: Input, caller: Caller) => ({
  id: event.requestContext.requestId,
  ...input,
  bytes: () => readBytes(event),
  caller,
  sourceAddress: event.requestContext.identity.sourceIp,
  now: now(),
  say: (message: Message) => say(message, chooseLanguage(event)),
  pageUrl: (page: number) => urlWith(event, 'page', String(page)),
  cursorUrl: (cursor: string) => urlWith(event, 'cursor', cursor),
  listName: () => listName(event, caller as ListCaller, input),
});

type AnswerParts = Omit<Answer<Contract>, 'body'> & { readonly body: unknown };

function toResult(answer: AnswerParts, contract: Contract, event: APIGatewayProxyEvent): APIGatewayProxyResult {
  const result = jsonResult(answer.status ?? Number(Object.keys(contract.answers)[0]), answer);
  if (answer.cookie) result.multiValueHeaders = { 'Set-Cookie': [answer.cookie] };
  return contract.caching === 'catalog' ? withETag(result, readHeader(event, 'if-none-match')) : result;
}

type Exchange = { event: APIGatewayProxyEvent; context: Context; response?: APIGatewayProxyResult; error?: unknown };

function requestLog(contract: Contract) {
  const startTimes = new WeakMap<APIGatewayProxyEvent, number>();
  const finish = ({ event, context, response, error }: Exchange): void => {
    if (!response) return;
    const { requestId, identity, resourcePath, httpMethod } = event.requestContext;
    response.headers = {
      ...response.headers,
      ...HARDENING_HEADERS,
      'X-Request-Id': requestId,
      'Content-Language': chooseLanguage(event),
    };
    logRequest({
      requestId,
      route: `${httpMethod} ${resourcePath}`,
      status: response.statusCode,
      code: error === undefined ? undefined : toRefusal(error).code,
      durationMs: Math.round((performance.now() - (startTimes.get(event) ?? 0)) * 10) / 10,
      gatewayKeyId: identity.apiKeyId ?? undefined,
      version: context.functionVersion,
      authentication: contract.authentication,
    });
  };
  const before = ({ event }: Exchange) => {
    startTimes.set(event, performance.now());
  };
  return { before, after: finish, onError: finish };
}

const errorMapping = () => ({
  onError: (exchange: Exchange) => {
    const { event, error } = exchange;
    const codes = error instanceof Refusal ? error.errors.map(({ code }) => code) : [];
    if (codes.length > 0) noteRequest({ codes: [...new Set(codes)] });
    const input = event.body ?? event.queryStringParameters;
    const answer = toErrorAnswer(error, chooseLanguage(event), input);
    const fields = { requestId: event.requestContext.requestId, code: answer.code };
    if (isFault(answer.code)) logError('request failed', error, fields);
    exchange.response = jsonResult(answer.status, answer);
  },
});
