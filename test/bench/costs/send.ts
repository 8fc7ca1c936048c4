import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DEMO_API_KEY } from '../../../infra/local/seed.ts';
import type { Call, Measured } from './kinds.ts';

/** The line of the access log with the fields of `infra/cloud/api/api-logs.ts`. */
const ACCESS_LOG_BYTES = 330;

export type Answer = Measured & { readonly text: string };

/** Sends a call as a client that accepts gzip. Returns its bytes on the wire, its log lines' and its read units. */
export async function send(url: string, lines: AsyncIterator<string>, call: Call, token: string): Promise<Answer> {
  const payload = call.body && JSON.stringify(call.body);
  const headers = {
    'X-API-Key': DEMO_API_KEY,
    'Accept-Encoding': 'gzip',
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  };
  // On a connection of its own, so that it alone is counted.
  const sent = request(`${url}${call.path}`, { method: call.method, headers, agent: false });
  sent.end(payload);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`${call.path}: ${answer}`);
  const line = await findLine(lines, (each) => each.includes(String(response.headers['x-request-id'])));
  const logBytes = Buffer.byteLength(line) + ACCESS_LOG_BYTES;
  return { text: answer, bytes: response.socket.bytesRead, logBytes, readUnits: readUnits(response) };
}

// `Server-Timing` has the units of each part of the request.
const readUnits = ({ headers }: IncomingMessage): number =>
  [...String(headers['server-timing']).matchAll(/read units ([\d.]+)/g)].reduce(
    (sum, [, units]) => sum + Number(units),
    0,
  );

/** Returns the next line that is wanted. Throws if the server ends before it. */
export async function findLine(lines: AsyncIterator<string>, isWanted: (line: string) => boolean): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server ended');
    if (isWanted(value)) return value;
  }
}
