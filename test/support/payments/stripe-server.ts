import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sendHttp } from '../http/http.ts';
import { type FakeAnswer, loopback, type NetworkFault, sendAnswer } from '../http/loopback.ts';
import { serveStripe } from './stripe-api.ts';
import { StripeLife } from './stripe-life.ts';

export type StripeAnswer = FakeAnswer & {
  /** True if the call was refused before it ran, so that its answer is not kept under its key. */
  readonly isRefusedEarly?: boolean;
};

/**
 * The fault of a call. An answer replaces the ordinary one, and nothing is done. `fail after` does the call and answers 500, which
 * is kept under its key.
 */
export type StripeOutcome = StripeAnswer | NetworkFault | 'fail after';

export type StripeCall = {
  readonly method: string;
  /** The path after `/v1`, without the query. */
  readonly path: string;
  /** The form or the query, with its brackets as nested objects: lists are objects by their numbers. */
  readonly form: StripeForm;
  /** The same as it was sent. */
  readonly sent: string;
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
};
export type StripeForm = { readonly [name: string]: string | StripeForm | undefined };

export type StripeServer = Awaited<ReturnType<typeof openStripeServer>>;

/** Sends a call of Stripe to the API at this URL; returns the status of the answer. */
export async function sendStripeCall(url: string, { body, signature }: ProviderCall): Promise<number> {
  const headers = { 'Stripe-Signature': signature ?? '', 'Content-Type': 'application/json' };
  const call = { method: 'POST', headers, body: Buffer.from(body) };
  return (await sendHttp(url, '/v2/api/payments/stripe/', call)).status;
}

/** Returns an error in Stripe's format. */
export const stripeError = (status: number, error: Readonly<Record<string, string>>): StripeAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', message: 'Quotes ana@example.mx, as messages may.', ...error } },
  headers: { 'Request-Id': 'req_1' },
  isRefusedEarly: status === 401 || status === 403 || status === 429 || status === 404,
});

type Kept = { readonly sent: string; readonly path: string; readonly at: number; readonly answer: StripeAnswer };
const KEPT_MS = 24 * 3_600_000;

/**
 * Opens a fake Stripe on loopback, of API version 2026-10-28.endive. It has the shapes and the rules of Stripe's
 * documentation and of its package's types, and the time of the clock of the tests.
 */
export async function openStripeServer() {
  const [testKey, liveKey] = [`sk_test_${randomUUID()}`, `sk_live_${randomUUID()}`];
  const calls: StripeCall[] = [];
  const kept = new Map<string, Kept>();
  const running = new Set<string>();
  const life = new StripeLife();
  let choose: (call: StripeCall) => StripeOutcome | undefined = () => undefined;

  const { url, server, close } = await loopback(async (request, response) => {
    const used = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const call = await readStripeCall(request);
    if (![testKey, liveKey].includes(used))
      return sendAnswer(response, stripeError(401, { message: `Invalid key ${used}` }));
    calls.push(call);
    const outcome = choose(call);
    if (outcome === 'hang' && call.key) running.add(call.key);
    if (outcome === 'hang' || outcome === 'drop') return sendAnswer(response, {}, outcome);
    if (typeof outcome === 'object') return sendAnswer(response, outcome);
    sendAnswer(response, answerOnce(call, outcome === 'fail after'), outcome === 'fail after' ? undefined : outcome);
  });

  // Stripe's rules of idempotency keys (https://docs.stripe.com/api/idempotent_requests).
  function answerOnce(call: StripeCall, isFailing: boolean): StripeAnswer {
    const { key, method } = call;
    if (method !== 'POST' || key === undefined) return serveStripe(life, call);
    const before = kept.get(key);
    if (before && now().getTime() - before.at < KEPT_MS) return replay(before, call);
    if (running.delete(key)) return stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' });
    const done = serveStripe(life, call);
    const answer = isFailing ? { status: 500, body: { error: { type: 'api_error', message: 'Ana' } } } : done;
    if (!answer.isRefusedEarly) kept.set(key, { sent: call.sent, path: call.path, at: now().getTime(), answer });
    return answer;
  }

  return {
    /** The address without the version, as in `STRIPE_URL`. */
    url,
    testKey,
    liveKey,
    /** The settings by which a test server collects through it, with the test key. */
    environment: {
      PAYMENTS_PROVIDER: 'stripe',
      STRIPE_URL: url,
      STRIPE_KEY: testKey,
      STRIPE_WEBHOOK_SECRET: life.secret,
    },
    calls: calls as readonly StripeCall[],
    /** The acts of payers, banks and time, and the events that they bring. */
    life,
    /** Sets the faults of later calls, none by default, and empties the list of calls. */
    script(chosen: typeof choose = () => undefined): void {
      choose = chosen;
      calls.length = 0;
    },
    /** Returns the number of open connections, which is 0 when every call has ended. */
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    close,
  };
}

function replay({ sent, path, answer }: Kept, call: StripeCall): StripeAnswer {
  if (sent !== call.sent || path !== call.path) return stripeError(400, { type: 'idempotency_error' });
  return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
}

async function readStripeCall(request: IncomingMessage): Promise<StripeCall> {
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
  const body = await text(request);
  const sent = request.method === 'POST' ? body : search.slice(1);
  const key = request.headers['idempotency-key'];
  return {
    method: request.method ?? '',
    path: pathname.replace(/^\/v1/, ''),
    form: parseForm(sent),
    sent,
    key: typeof key === 'string' ? key : undefined,
    headers: request.headers,
  };
}

/** Parses `a[b][0]=c` into `{ a: { b: { 0: 'c' } } }`. */
function parseForm(sent: string): StripeForm {
  type Node = { [name: string]: string | Node };
  const form: Node = {};
  for (const [name, value] of new URLSearchParams(sent)) {
    const parts = name.split('[').map((part) => part.replace(/\]$/, ''));
    const last = parts.pop() ?? '';
    let node = form;
    for (const part of parts) {
      const next = node[part];
      const inner = typeof next === 'object' ? next : {};
      node[part] = inner;
      node = inner;
    }
    node[last === '' ? String(Object.keys(node).length) : last] = value;
  }
  return form;
}
