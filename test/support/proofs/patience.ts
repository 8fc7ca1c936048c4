import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../http/call.ts';
import type { HttpAnswer } from '../http/http.ts';
import type { TestServer } from '../servers/test-server.ts';

// Retry-After is 2 seconds: a machine that does other work has time for a request in one of five.
const TRIES = 5;

let unavailable = 0;

/** Sends a request as a client does: after a 503 again, when the time that its Retry-After names is over. */
export async function sendPatiently(send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    unavailable += 1;
    if (tries === TRIES) return answer;
    await pause(Number(answer.headers['retry-after']) * 1_000);
  }
}

/** Returns the number of answers that were 503 since it was last asked for. */
export function takeUnavailable(): number {
  const taken = unavailable;
  unavailable = 0;
  return taken;
}

const patiently =
  (caller: Caller): Caller =>
  (...call) =>
    sendPatiently(() => caller(...call));

/** Returns the server with callers that try again after a 503. */
export const withPatience = (server: TestServer): TestServer => ({
  ...server,
  request: patiently(server.request),
  invoke: patiently(server.invoke),
});
