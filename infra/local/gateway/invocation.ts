import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
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
  /** The number of requests, running or in a queue, above which functions are throttled, as by the quota of an account. */
  readonly accountConcurrency?: number;
  /** True while requests that store something are answered 503; never by default. */
  readonly areWritesStopped?: () => boolean;
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
// Lambda's default quota.
const ACCOUNT_CONCURRENCY = 1_000;
// Lambda accepts events and answers of up to 6 MB of JSON.
const MAX_EVENT_BYTES = 6 * 1024 * 1024;
// A character takes at most six bytes in JSON, so below this size no event can be too large.
const SURELY_SMALL_BODY = 1_000_000;

/** Runs handlers as Lambda behind API Gateway does. Returns their answer, or the code of the gateway's own answer. */
export function createInvoker(options: InvocationOptions) {
  const { loadHandler, report, contractChecks = 'off', concurrency = CONCURRENCY } = options;
  const { functionTimeoutMs = FUNCTION_TIMEOUT_MS, timeoutMs = GATEWAY_TIMEOUT_MS } = options;
  const { accountConcurrency = ACCOUNT_CONCURRENCY, areWritesStopped = () => false } = options;
  const patienceMs = Math.min(functionTimeoutMs, timeoutMs);
  const overdue: GatewayCode = functionTimeoutMs < timeoutMs ? 'unavailable' : 'timeout';
  const inTurn = turns<string>(concurrency);
  let underWay = 0;

  return async function invoke(route: ServedRoute, event: APIGatewayProxyEvent): Promise<HttpAnswer | GatewayCode> {
    if (isTooLarge(event)) return awsAnswer('eventTooLarge');
    if (underWay >= accountConcurrency) return 'unavailable';
    const id = event.requestContext.requestId;
    const complain = (reason: unknown) => report(`${route.method} ${route.path} ${id}: ${formatStack(reason)}`);
    underWay += 1;
    try {
      return await run(route, event, complain);
    } catch (error) {
      complain(error);
      return 'unavailable';
    } finally {
      underWay -= 1;
    }
  };

  async function run(route: ServedRoute, event: APIGatewayProxyEvent, complain: (reason: unknown) => void) {
    const handler = await loadHandler(route.handler);
    const result = await inTurn(chooseQueue(route), async () => {
      // Asked in its turn: a thousand requests may have waited here while the disk filled.
      if (isWrite(route) && areWritesStopped()) return STOPPED;
      const context = lambdaContext(functionName(route.handler), event.requestContext.requestId, functionTimeoutMs);
      return within(patienceMs, handler(event, context), OVERDUE);
    });
    if (result === STOPPED) return 'unavailable';
    if (result === OVERDUE) {
      complain(`no answer within ${patienceMs} ms`);
      return overdue;
    }
    // If the disk filled while the function ran, the engine may have answered what its file will never hold.
    if (isWrite(route) && areWritesStopped()) return 'unavailable';
    const answer = readProxyAnswer(result);
    const mismatch = contractChecks === 'off' ? undefined : contractMismatch(route, answer);
    if (mismatch !== undefined) complain(mismatch);
    return mismatch !== undefined && contractChecks === 'enforced' ? brokenContract : answer;
  }
}

const formatStack = (reason: unknown) => (reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
const chooseQueue = ({ handler, authentication }: ServedRoute) => (authentication === 'key' ? handler : 'database');

function isTooLarge(event: APIGatewayProxyEvent): boolean {
  if ((event.body?.length ?? 0) < SURELY_SMALL_BODY) return false;
  return Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES;
}

const OVERDUE = Symbol('overdue');
const STOPPED = Symbol('stopped');

// A login stores a few bytes at most, and a quote nothing that is promised for long: readers need both.
const READING_POSTS: readonly string[] = ['/api/token/', '/api/orders/calculate/'];

const isWrite = ({ method, path }: ServedRoute): boolean => method !== 'GET' && !READING_POSTS.includes(path);

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

// Lambda accepts answers of up to 6 MB.
const MAX_ANSWER_BYTES = 6 * 1024 * 1024;
const ANSWER_FIELDS = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded', 'cookies']);
// API Gateway renames these headers of a function's answer, since it sets them itself.
const REMAPPED = new Set(['connection', 'content-length', 'date', 'server', 'transfer-encoding', 'www-authenticate']);

/**
 * Converts a function's answer as API Gateway does: a missing status is 200, single and multi-value headers are merged,
 * multi-value ones first. Throws on what API Gateway calls a malformed Lambda proxy response.
 */
export function readProxyAnswer(answer: unknown): HttpAnswer {
  if (!isRecord(answer)) throw malformed('it is not an object');
  const surplus = Object.keys(answer).find((name) => !ANSWER_FIELDS.has(name));
  if (surplus !== undefined) throw malformed(`"${surplus}" is not a field of it`);
  return {
    statusCode: readStatus(answer.statusCode ?? 200),
    headers: mergeHeaders(answer.headers ?? {}, answer.multiValueHeaders ?? {}),
    body: decodeBody(answer.body ?? '', answer.isBase64Encoded ?? false),
  };
}

const malformed = (reason: string) => new Error(`malformed Lambda proxy response: ${reason}`);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function readStatus(status: unknown): number {
  const code = Number(status);
  if (!Number.isInteger(code) || code < 200 || code > 599) throw malformed('statusCode is not an HTTP status');
  return code;
}

function mergeHeaders(single: unknown, multiple: unknown): OutgoingHttpHeaders {
  if (!isRecord(single) || !isRecord(multiple)) throw malformed('headers are not objects');
  const merged = new Map<string, { name: string; values: string[] }>();
  for (const [name, values] of Object.entries(multiple)) {
    if (!Array.isArray(values)) throw malformed(`the values of "${name}" are not an array`);
    for (const value of values) addHeader(merged, name, value);
  }
  for (const [name, value] of Object.entries(single)) addHeader(merged, name, value);
  if (!merged.has('content-type')) addHeader(merged, 'Content-Type', 'application/json');
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, oneOrMany(values)]));
}

function addHeader(merged: Map<string, { name: string; values: string[] }>, name: string, value: unknown): void {
  if (!isScalar(value)) throw malformed(`the header "${name}" is not a scalar`);
  validateHeaderName(name);
  validateHeaderValue(name, String(value));
  const lower = name.toLowerCase();
  const entry = merged.get(lower) ?? { name: REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : name, values: [] };
  if (!entry.values.includes(String(value))) entry.values.push(String(value));
  merged.set(lower, entry);
}

const oneOrMany = (values: string[]) => (values.length === 1 ? values[0] : values);

function decodeBody(body: unknown, isBase64Encoded: unknown): string | Buffer {
  if (typeof body !== 'string') throw malformed('body is not a string');
  if (Buffer.byteLength(body) > MAX_ANSWER_BYTES) throw malformed('body is over 6 MB');
  return isBase64Encoded === true ? Buffer.from(body, 'base64') : body;
}

/** Imports the handler of a route from its TypeScript source. */
export async function loadHandler(file: ServedRoute['handler']): Promise<Handler> {
  const name = file.replace(/^functions\/|\.ts$/g, '');
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ `../../../functions/${name}.ts`);
  return loaded.handler;
}
