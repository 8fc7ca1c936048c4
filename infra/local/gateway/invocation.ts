import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as z from 'zod';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { within } from '../../../shared/runtime/clock.ts';
import { functionName } from '../../stack-names.ts';
import type { HttpAnswer } from './answers.ts';
import { lambdaContext } from './event.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

export type InvocationOptions = {
  /** Loads the export `handler` of a route's file. */
  readonly loadHandler: (file: ServedRoute['handler']) => Promise<Handler>;
  /** Lambda's timeout, after which the function has failed. */
  readonly functionTimeoutMs?: number;
  /** The number of requests that may use the database at once; others wait in a queue. */
  readonly concurrency?: number;
  /** Receives the errors of handlers, which the caller must not see. */
  readonly report: (line: string) => void;
};

const FUNCTION_TIMEOUT_MS = 10_000;
// Lambda runs each request in its own container; here one process runs them all. With 64 orders at once, calls waited for
// each other until they timed out (2 cores: 8 % answered 503). The limit covers all functions that use the database: 16 of
// each function were too many on a busy machine.
const CONCURRENCY = 8;
const OVERDUE = Symbol('overdue');

/** Returns a function that runs a route's handler as Lambda does, and returns its answer, undefined if it failed. */
export function createInvoker(options: InvocationOptions) {
  const { loadHandler, report, functionTimeoutMs = FUNCTION_TIMEOUT_MS, concurrency = CONCURRENCY } = options;
  const inTurn = createQueues(concurrency);

  return async function invoke(route: ServedRoute, event: APIGatewayProxyEvent): Promise<HttpAnswer | undefined> {
    const { requestId } = event.requestContext;
    try {
      const handler = await loadHandler(route.handler);
      const answer = await inTurn(route.authentication === 'key' ? route.handler : 'database', () => {
        const context = lambdaContext(functionName(route.handler), requestId, functionTimeoutMs);
        return within(functionTimeoutMs, handler(event, context), OVERDUE);
      });
      if (answer === OVERDUE) throw new Error(`no answer within ${functionTimeoutMs} ms`);
      return readProxyAnswer(answer);
    } catch (error) {
      report(`${route.method} ${route.path} ${requestId}: ${error instanceof Error ? error.stack : error}`);
      return undefined;
    }
  };
}

/** Returns a function that does at most `atOnce` pieces of work of the same queue at once. */
function createQueues(atOnce: number) {
  const queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  return async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(name) ?? { running: 0, waiting: [] };
    queues.set(name, queue);
    if (queue.running < atOnce) queue.running++;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running--;
    }
  };
}

// API Gateway renames these headers of a function's answer, since it sets them itself.
const REMAPPED = new Set(['connection', 'content-length', 'date', 'server', 'transfer-encoding', 'www-authenticate']);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const proxyAnswer = z.strictObject({
  statusCode: z.coerce.number().int().min(200).max(599).default(200),
  headers: z.record(z.string(), scalar).default({}),
  multiValueHeaders: z.record(z.string(), z.array(scalar)).default({}),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});

/**
 * Converts a function's answer as API Gateway does: a missing status is 200, single and multi-value headers are merged,
 * multi-value ones first. Throws on what API Gateway calls a malformed Lambda proxy response.
 */
export function readProxyAnswer(answer: unknown): HttpAnswer {
  const { data, error } = proxyAnswer.safeParse(answer);
  if (!data) throw new Error(`malformed Lambda proxy response: ${error.message}`);
  const { statusCode, body, isBase64Encoded, headers, multiValueHeaders } = data;
  return {
    statusCode,
    headers: mergeHeaders([...Object.entries(multiValueHeaders), ...Object.entries(headers)]),
    body: isBase64Encoded ? Buffer.from(body, 'base64') : body,
  };
}

function mergeHeaders(headers: readonly (readonly [string, string | string[]])[]): OutgoingHttpHeaders {
  const merged: OutgoingHttpHeaders = {};
  for (const [lower, same] of Map.groupBy(headers, ([name]) => name.toLowerCase())) {
    const values = [...new Set(same.flatMap(([, value]) => value))];
    for (const value of values) validateHeaderValue(lower, value);
    const name = REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : (same[0]?.[0] ?? lower);
    merged[name] = values.length === 1 ? values[0] : values;
  }
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return hasType ? merged : { 'Content-Type': 'application/json', ...merged };
}

/** Imports the handler of a route from its TypeScript source. */
export async function loadHandler(file: ServedRoute['handler']): Promise<Handler> {
  const name = file.replace(/^functions\/|\.ts$/g, '');
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ `../../../functions/${name}.ts`);
  return loaded.handler;
}
