import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Route } from '../../../shared/api/routes.ts';
import { within } from '../../../shared/runtime/deadline.ts';
import { functionName } from '../../function-name.ts';
import type { GatewayCode } from '../../gateway-answers.ts';
import { awsAnswer, brokenContract, type HttpAnswer } from './answers.ts';
import { lambdaContext } from './event.ts';
import { readProxyAnswer } from './proxy-answer.ts';
import { turns } from './turns.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

export type InvocationOptions = {
  /** Loads the export `handler` of a route's file. */
  readonly loadHandler: (file: Route['handler']) => Promise<Handler>;
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

  return async function invoke(route: Route, event: APIGatewayProxyEvent): Promise<HttpAnswer | GatewayCode> {
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

  async function run(route: Route, event: APIGatewayProxyEvent, complain: (reason: unknown) => void) {
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
const chooseQueue = ({ handler, authentication }: Route) => (authentication === 'key' ? handler : 'database');

function isTooLarge(event: APIGatewayProxyEvent): boolean {
  if ((event.body?.length ?? 0) < SURELY_SMALL_BODY) return false;
  return Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES;
}

const OVERDUE = Symbol('overdue');
const STOPPED = Symbol('stopped');

// A login stores a few bytes at most, and a quote nothing that is promised for long: readers need both.
const READING_POSTS: readonly string[] = ['/api/token/', '/api/orders/calculate/'];

const isWrite = ({ method, path }: Route): boolean => method !== 'GET' && !READING_POSTS.includes(path);

function contractMismatch({ contract }: Route, { statusCode, body }: HttpAnswer): string | undefined {
  if (statusCode >= 300) return undefined;
  const schema = contract.answers[statusCode];
  if (!schema) return `the contract has no answer ${statusCode}`;
  const read = schema.safeParse(JSON.parse(String(body)));
  return read.success ? undefined : `the answer ${statusCode} is not that of the contract: ${read.error.message}`;
}
