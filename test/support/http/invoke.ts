import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { createRouter, lambdaContext, type Match, proxyEvent } from '../../../infra/local/gateway/event.ts';
import { loadHandler, readProxyAnswer } from '../../../infra/local/gateway/invocation.ts';
import { routes } from '../../../shared/api/routes.ts';
import { checkedAnswer } from './checked-answer.ts';
import { type Call, type Caller, callHeaders, encoded, type HttpAnswer } from './http.ts';

const router = createRouter(routes);
const FUNCTION_TIMEOUT_MS = 10_000;

/** Returns a caller that passes proxy events to the real handlers, without a gateway. */
export function createInvoke(keys: ApiKeys): Caller {
  return async function invoke(method, path, call = {}) {
    const [pathname = ''] = path.split('?');
    const match = router.find(method, pathname);
    if (!match) throw new Error(`no route ${method} ${pathname}`);
    const event = toEvent(keys, match, path, call);
    const handler = await loadHandler(match.route.handler);
    const answer = await handler(event, lambdaContext('test', event.requestContext.requestId, FUNCTION_TIMEOUT_MS));
    return checkedAnswer(method, path, toHttpAnswer(answer));
  };
}

function toEvent(keys: ApiKeys, match: Match, path: string, call: Call): APIGatewayProxyEvent {
  const sent = { Host: 'api.demo.example', 'Content-Type': 'application/json', ...callHeaders(call) };
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), [value]]));
  return proxyEvent({
    id: randomUUID(),
    method: match.route.method,
    match,
    target: `/v2${path}`,
    headers,
    rawHeaders: Object.entries(sent).flat(),
    body: String(encoded(call.body) ?? ''),
    apiKey: keys.find(headers['x-api-key']?.[0] ?? '') ?? { id: 'unknown', value: '' },
    sourceIp: '127.0.0.1',
  });
}

function toHttpAnswer(answer: unknown): HttpAnswer {
  const { statusCode, headers, body } = readProxyAnswer(answer);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const text = String(body);
  return { status: statusCode, headers: Object.fromEntries(lowerCase), body: text === '' ? '' : JSON.parse(text) };
}
