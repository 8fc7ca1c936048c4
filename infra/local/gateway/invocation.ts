import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as z from 'zod';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { within } from '../../../shared/runtime/clock.ts';
import { functionName } from '../../stack-names.ts';
import type { HttpAnswer } from './answers.ts';
import { lambdaContext } from './event.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

export type InvocationOptions = {
  readonly loadHandler: (file: ServedRoute['handler']) => Promise<Handler>;
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

const proxyAnswer = z.strictObject({
  statusCode: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).default({}),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).default({}),
  body: z.string().default(''),
});

/** Reads a function's answer. Throws on what API Gateway calls a malformed Lambda proxy response. */
export function readProxyAnswer(answer: unknown): HttpAnswer {
  const { data, error } = proxyAnswer.safeParse(answer);
  if (!data) throw new Error(`malformed Lambda proxy response: ${error.message}`);
  const { statusCode, headers, multiValueHeaders, body } = data;
  return { statusCode, headers: { 'Content-Type': 'application/json', ...headers, ...multiValueHeaders }, body };
}

export async function loadHandler(file: ServedRoute['handler']): Promise<Handler> {
  const name = file.replace(/^functions\/|\.ts$/g, '');
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ `../../../functions/${name}.ts`);
  return loaded.handler;
}
