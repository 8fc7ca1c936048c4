import { setTimeout as pause } from 'node:timers/promises';
import type { Caller, HttpAnswer } from '../http/http.ts';
import type { TestServer } from '../servers/test-server.ts';

// Retry-After is 2 seconds, so a busy machine has at least 40 seconds to serve a request.
const TRIES = 20;

let unavailable = 0;

/** Sends a request and repeats it after a 503, as a client does, when its Retry-After has passed. */
export async function sendPatiently(send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    unavailable += 1;
    if (tries === TRIES) return answer;
    await pause(Number(answer.headers['retry-after']) * 1_000);
  }
}

/** Returns the number of 503 answers since the last call. */
export function takeUnavailable(): number {
  const taken = unavailable;
  unavailable = 0;
  return taken;
}

const patiently =
  (caller: Caller): Caller =>
  (...call) =>
    sendPatiently(() => caller(...call));

/** Returns the server with callers that retry after a 503. */
export const withPatience = (server: TestServer): TestServer => ({
  ...server,
  request: patiently(server.request),
  invoke: patiently(server.invoke),
});
