import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { DEMO_API_KEY } from '../../infra/local/seed.ts';
import { freePorts } from '../support/engines/ports.ts';
import { type Call, KINDS, LOGIN, type Measured, place, toRow } from './costs/kinds.ts';

/*
 * Prints the table of infra/cloud/costs.md, what a million requests of each kind cost: `npm run bench -- costs`. Bytes of
 * answers and log lines and the read units are measured at the local server; write units are those of `npm run bench -- orders`,
 * and Lambda's milliseconds the estimates of test/bench/README.md.
 */

const START = join(import.meta.dirname, '../../infra/local/start.ts');

/** Prints a row of the table for each kind of request. */
async function run(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'costs-'));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const server = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  try {
    const url = (await findLine(lines, (line) => line.startsWith('ready '))).replace('ready ', '');
    await printRows((call, token) => send(url, lines, call, token));
  } finally {
    server.kill('SIGINT');
    await once(server, 'exit');
    await rm(directory, { recursive: true, force: true });
  }
}

async function printRows(ask: (call: Call, token: string) => Promise<Answer>): Promise<void> {
  const token = JSON.parse((await ask(LOGIN(), '')).text).access;
  // The page of orders is as long as it can be only if there are enough.
  for (let placed = 1; placed <= 20; placed++) await ask(place(`known-${placed}@bench.example`)(), token);
  console.log('| Request | Bytes out, logged | Read, write units | Gateway | Lambda | Table | Logs | Out | S3 | USD |');
  for (const kind of KINDS) console.log(toRow(kind, await ask(kind.call(), token)));
}

/** The line of the access log with the fields of `infra/cloud/api/stage.ts`. */
const ACCESS_LOG_BYTES = 330;

type Answer = Measured & { readonly text: string };

/** Sends a call as a client that accepts gzip. Returns its bytes on the wire, its log lines' and its read units. */
async function send(url: string, lines: AsyncIterator<string>, call: Call, token: string): Promise<Answer> {
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
async function findLine(lines: AsyncIterator<string>, isWanted: (line: string) => boolean): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server ended');
    if (isWanted(value)) return value;
  }
}

await run();
