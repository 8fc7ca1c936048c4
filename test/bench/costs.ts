import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { freePorts } from '../support/engines/ports.ts';
import { callHeaders } from '../support/http/call.ts';
import { type Call, KINDS, LOGIN, place, toRow } from './costs/kinds.ts';

/*
 * Prints the table of infra/cloud/costs.md, what a million requests of each kind cost: `npm run bench -- costs`. Bytes of
 * answers and log lines and the read units are measured at the local server; write units are those of `npm run bench -- orders`,
 * and Lambda's milliseconds the estimates of test/bench/README.md.
 */

const START = join(import.meta.dirname, '../../infra/local/start.ts');
/** The line of the access log with the fields of `infra/cloud/api/api.ts`. */
const ACCESS_LOG_BYTES = 330;

const directory = await mkdtemp(join(tmpdir(), 'costs-'));
const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
const server = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
try {
  const url = (await findLine(/^ready /)).replace('ready ', '');
  const token = JSON.parse((await send(url, LOGIN(), '')).answer).access;
  // The page of orders is as long as it can be only if there are enough.
  for (let placed = 1; placed <= 20; placed++) await send(url, place(`known-${placed}@bench.example`)(), token);
  console.log('| Request | Bytes out, logged | Read, write units | Gateway | Lambda | Table | Logs | Out | S3 | USD |');
  for (const kind of KINDS) console.log(toRow(kind, await send(url, kind.call(), token)));
} finally {
  server.kill('SIGINT');
  await once(server, 'exit');
  await rm(directory, { recursive: true, force: true });
}

/** Sends a call as a client that accepts gzip. Returns its bytes on the wire, its log lines' and its read units. */
async function send(url: string, { method, path, body }: Call, token: string) {
  const payload = body && JSON.stringify(body);
  const headers = {
    ...callHeaders(token ? { token } : {}),
    'Accept-Encoding': 'gzip',
    ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  };
  // On a connection of its own, so that it alone is counted.
  const sent = request(`${url}${path}`, { method, headers, agent: false });
  sent.end(payload);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`${path}: ${answer}`);
  const line = await findLine(new RegExp(String(response.headers['x-request-id'])));
  const logBytes = Buffer.byteLength(line) + ACCESS_LOG_BYTES;
  // `Server-Timing` has the units of each part of the request.
  const parts = [...String(response.headers['server-timing']).matchAll(/read units ([\d.]+)/g)];
  const readUnits = parts.reduce((sum, [, units]) => sum + Number(units), 0);
  return { answer, bytes: response.socket.bytesRead, logBytes, readUnits };
}

/** Returns the next line of the server that matches. Throws if the server ends before it. */
async function findLine(pattern: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server ended');
    if (pattern.test(value)) return value;
  }
}
