import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as z from 'zod';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { within } from '../../../shared/runtime/clock.ts';
import type { GatewayCode } from '../../gateway-answers.ts';
import { functionName } from '../../stack-names.ts';
import { awsAnswer, brokenContract, type HttpAnswer } from './answers.ts';
import { lambdaContext } from './event.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

export type InvocationOptions = {
  /** Loads the export `handler` of a route's file. */
  readonly loadHandler: (file: ServedRoute['handler']) => Promise<Handler>;
  /** Lambda's timeout, after which the function has failed. */
  readonly functionTimeoutMs?: number;
  /** The gateway's timeout, after which the function has taken too long. */
  readonly timeoutMs?: number;
  /** The number of requests that may use the database at once; others wait in a queue. */
  readonly concurrency?: number;
  /** Checks success bodies against the route's contract; `reported` logs a violation and still delivers the answer. */
  readonly contractChecks?: 'off' | 'reported' | 'enforced';
  /** Receives the errors of handlers, which the caller must not see. */
  readonly report: (line: string) => void;
};

const FUNCTION_TIMEOUT_MS = 10_000;
const GATEWAY_TIMEOUT_MS = 29_000;
// Lambda runs each request in its own container; here one process runs them all. With 64 orders at once, calls waited for
// each other until they timed out (2 cores: 8 % answered 503). The limit covers all functions that use the database: 16 of
// each function were too many on a busy machine.
const CONCURRENCY = 8;
// Lambda accepts events and answers of up to 6 MB of JSON.
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
// A character takes at most six bytes in JSON, so below this size no event can be too large.
const SURELY_SMALL_BODY = 1_000_000;

/** Runs handlers as Lambda behind API Gateway does. Returns their answer, or the code of the gateway's own answer. */
export function createInvoker(options: InvocationOptions) {
  const { loadHandler, report, contractChecks = 'off', concurrency = CONCURRENCY } = options;
  const { functionTimeoutMs = FUNCTION_TIMEOUT_MS, timeoutMs = GATEWAY_TIMEOUT_MS } = options;
  const patienceMs = Math.min(functionTimeoutMs, timeoutMs);
  const overdue: GatewayCode = functionTimeoutMs < timeoutMs ? 'unavailable' : 'timeout';
  const inTurn = turns<string>(concurrency);

  return async function invoke(route: ServedRoute, event: APIGatewayProxyEvent): Promise<HttpAnswer | GatewayCode> {
    if (isTooLarge(event)) return awsAnswer('eventTooLarge');
    const { requestId } = event.requestContext;
    const complain = (reason: unknown) => report(`${route.method} ${route.path} ${requestId}: ${formatStack(reason)}`);
    try {
      const result = await run(route, event);
      if (result !== OVERDUE) return checkContract(route, readProxyAnswer(result), complain);
      complain(`no answer within ${patienceMs} ms`);
      return overdue;
    } catch (error) {
      complain(error);
      return 'unavailable';
    }
  };

  async function run(route: ServedRoute, event: APIGatewayProxyEvent): Promise<unknown> {
    const handler = await loadHandler(route.handler);
    return inTurn(chooseQueue(route), async () => {
      const context = lambdaContext(functionName(route.handler), event.requestContext.requestId, functionTimeoutMs);
      return within(patienceMs, handler(event, context), OVERDUE);
    });
  }

  function checkContract(route: ServedRoute, answer: HttpAnswer, complain: (reason: string) => void): HttpAnswer {
    const mismatch = contractChecks === 'off' ? undefined : contractMismatch(route, answer);
    if (mismatch === undefined) return answer;
    complain(mismatch);
    return contractChecks === 'enforced' ? brokenContract : answer;
  }
}

const OVERDUE = Symbol('overdue');

const formatStack = (reason: unknown) => (reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
const chooseQueue = ({ handler, authentication }: ServedRoute) => (authentication === 'key' ? handler : 'database');

function isTooLarge(event: APIGatewayProxyEvent): boolean {
  if ((event.body?.length ?? 0) < SURELY_SMALL_BODY) return false;
  return Buffer.byteLength(JSON.stringify(event)) > MAX_PAYLOAD_BYTES;
}

function contractMismatch({ contract }: ServedRoute, { statusCode, body }: HttpAnswer): string | undefined {
  if (statusCode >= 300) return undefined;
  const schema = contract.answers[statusCode];
  if (!schema) return `the contract has no answer ${statusCode}`;
  const read = schema.safeParse(JSON.parse(String(body)));
  return read.success ? undefined : `the answer ${statusCode} is not that of the contract: ${read.error.message}`;
}

/** Returns a queue that runs at most `atOnce` pieces of work of the same name at once. */
function turns<Name>(atOnce: number) {
  const queues = new Map<Name, { running: number; readonly waiting: (() => void)[] }>();

  return async function inTurn<Result>(name: Name, work: () => Promise<Result>): Promise<Result> {
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
  body: z
    .string()
    .refine((body) => Buffer.byteLength(body) <= MAX_PAYLOAD_BYTES)
    .default(''),
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
  const sent = [...Object.entries(multiValueHeaders), ...Object.entries(headers)];
  return {
    statusCode,
    headers: mergeHeaders(sent),
    body: isBase64Encoded ? Buffer.from(body, 'base64') : body,
  };
}

function mergeHeaders(headers: readonly (readonly [string, string | string[]])[]): OutgoingHttpHeaders {
  const merged = new Map([['content-type', { name: 'Content-Type', values: ['application/json'] }]]);
  const given = Map.groupBy(headers, ([name]) => name.toLowerCase());
  for (const [lower, same] of given) {
    const values = [...new Set(same.flatMap(([, value]) => value))];
    for (const value of values) validateHeaderValue(lower, value);
    merged.set(lower, { name: REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : (same[0]?.[0] ?? lower), values });
  }
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, oneOrMany(values)]));
}

const oneOrMany = (values: string[]) => (values.length === 1 ? values[0] : values);

/** Imports the handler of a route from its TypeScript source. */
export async function loadHandler(file: ServedRoute['handler']): Promise<Handler> {
  const name = file.replace(/^functions\/|\.ts$/g, '');
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ `../../../functions/${name}.ts`);
  return loaded.handler;
}
