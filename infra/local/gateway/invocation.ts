import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Route } from '../../../shared/api/routes.ts';
import { functionName } from '../../function-name.ts';
import type { GatewayCode } from '../../gateway-answers.ts';
import type { HttpAnswer } from './answers.ts';
import { lambdaContext } from './event.ts';
import { readProxyAnswer } from './proxy-answer.ts';
import { turns } from './turns.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

export type InvocationOptions = {
  /** Gives the export `handler` of a route's file. */
  readonly loadHandler: (file: Route['handler']) => Promise<Handler>;
  /** The longest that Lambda lets a handler run: past it 502. */
  readonly functionTimeoutMs?: number;
  /** The longest that the gateway waits: past it 504. */
  readonly timeoutMs?: number;
  /** How many requests may ask the database at once; the others wait for their turn. */
  readonly concurrency?: number;
  /** What happens to a success whose body is not what the route's contract says; `reported` still delivers it. */
  readonly contractChecks?: 'off' | 'reported' | 'enforced';
  /** Told every failure of a handler, which the caller must not see. */
  readonly report: (line: string) => void;
};

const FUNCTION_TIMEOUT_MS = 10_000;
const GATEWAY_TIMEOUT_MS = 29_000;
// Lambda runs each request in a container of its own. Here one process stands for all of them, and with 64 orders at once
// its calls waited for each other until they were over their own time limits (2 cores: 8 % answered 503). All that ask
// the one local database are counted together: 16 of each function were too many as well on a machine with other work.
const CONCURRENCY = 8;
// An event or an answer travels as JSON through Lambda, which carries 6 MB.
const MAX_EVENT_BYTES = 6 * 1024 * 1024;
// A character of a body takes at most six bytes in JSON: below this no event can be too large.
const SURELY_SMALL_BODY = 1_000_000;

/** Runs handlers as Lambda behind API Gateway does: their answer, or the code of what the gateway says instead. */
export function createInvoker(options: InvocationOptions) {
  const { loadHandler, report, contractChecks = 'off', concurrency = CONCURRENCY } = options;
  const { functionTimeoutMs = FUNCTION_TIMEOUT_MS, timeoutMs = GATEWAY_TIMEOUT_MS } = options;
  const patienceMs = Math.min(functionTimeoutMs, timeoutMs);
  const overdue: GatewayCode = functionTimeoutMs < timeoutMs ? 'internal_error' : 'timeout';
  const inTurn = turns<string>(concurrency);

  return async function invoke(route: Route, event: APIGatewayProxyEvent): Promise<HttpAnswer | GatewayCode> {
    if (isTooLarge(event)) return 'body_too_large';
    const id = event.requestContext.requestId;
    const complain = (reason: unknown) => report(`${route.method} ${route.path} ${id}: ${reasonOf(reason)}`);
    try {
      const handler = await loadHandler(route.handler);
      const result = await inTurn(queueOf(route), () => {
        const context = lambdaContext(functionName(route.handler), id, functionTimeoutMs);
        return within(patienceMs, handler(event, context));
      });
      if (result === OVERDUE) {
        complain(`no answer within ${patienceMs} ms`);
        return overdue;
      }
      const answer = readProxyAnswer(result);
      const mismatch = contractChecks === 'off' ? undefined : contractMismatch(route, answer);
      if (mismatch !== undefined) complain(mismatch);
      return mismatch !== undefined && contractChecks === 'enforced' ? 'internal_error' : answer;
    } catch (error) {
      complain(error);
      return 'internal_error';
    }
  };
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
const queueOf = ({ handler, authentication }: Route) => (authentication === 'key' ? handler : 'database');

function isTooLarge(event: APIGatewayProxyEvent): boolean {
  if ((event.body?.length ?? 0) < SURELY_SMALL_BODY) return false;
  return Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES;
}

const OVERDUE = Symbol('overdue');

async function within(patienceMs: number, work: Promise<unknown>): Promise<unknown> {
  const { promise: overdue, resolve } = Promise.withResolvers<unknown>();
  const alarm = setTimeout(resolve, patienceMs, OVERDUE);
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(alarm);
  }
}

function contractMismatch({ contract }: Route, { statusCode, body }: HttpAnswer): string | undefined {
  if (statusCode >= 300) return undefined;
  const schema = contract.answers[statusCode];
  if (!schema) return `the contract has no answer ${statusCode}`;
  const read = schema.safeParse(JSON.parse(String(body)));
  return read.success ? undefined : `the answer ${statusCode} is not that of the contract: ${read.error.message}`;
}
