import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { freePorts } from '../support/engines/ports.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';

/*
 * Prints the table of infra/cloud/costs.md, what a million requests of each kind cost: `npm run bench:costs`. Bytes of
 * answers and log lines and the read units are measured at the local server; write units are those of `npm run bench --
 * orders`, and Lambda's milliseconds the estimates of test/bench/README.md.
 */

/** USD in us-east-1 for a million of each; infra/cloud/costs.md has the sources. */
const PRICES = {
  request: 3.5,
  invocation: 0.2,
  /** Of an arm64 function with 1 GB. */
  millisecond: 0.0133334,
  readUnit: 0.125,
  writeUnit: 0.625,
  s3Put: 5,
  /** A byte that leaves AWS, and one that CloudWatch takes. */
  byteOut: 0.00009,
  logByte: 0.0005,
};

/** The line of the access log with the fields of `infra/cloud/api/api-logs.ts`. */
const ACCESS_LOG_BYTES = 330;

type Call = { readonly method: string; readonly path: string; readonly body?: object };
type Kind = {
  readonly what: string;
  readonly call: () => Call;
  readonly milliseconds: number;
  readonly gigabytes?: number;
  readonly writeUnits?: number;
  readonly s3Puts?: number;
};
type Measured = { readonly bytes: number; readonly logBytes: number; readonly readUnits: number };

const DETAILS = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
const ORDERS = '/api/orders/resources/';
const get = (path: string) => () => ({ method: 'GET', path });
const post = (path: string, body: object) => () => ({ method: 'POST', path, body });
const place = (email = 'known-1@bench.example', more = {}, rest = {}) =>
  post(ORDERS, orderBody(email, { details: DETAILS, ...more }, rest));
const START = join(import.meta.dirname, '../../infra/local/start.ts');
const ONE = '/api/orders/1/';

const prescriptions = [{ document: PDF, issue_date: new Date().toISOString().slice(0, 10) }];
const LOGIN = post('/api/token/', { email: 'aseguradora@demo.example', password: DEMO_PASSWORD });

/** The kinds of requests, in an order in which each finds what it needs. */
const KINDS: readonly Kind[] = [
  { what: 'token', call: LOGIN, milliseconds: 120, gigabytes: 1.73, writeUnits: 6 },
  { what: 'products, a page of 20', call: get('/api/products/?limit=20'), milliseconds: 5 },
  { what: 'one product', call: get('/api/products/1/'), milliseconds: 5 },
  {
    what: 'quote of 5 lines',
    call: post('/api/orders/calculate/', { details: DETAILS, zipcode: '06700' }),
    milliseconds: 5,
  },
  { what: 'order of 5 lines, new patient', call: place('new@bench.example'), milliseconds: 40, writeUnits: 27 },
  { what: 'the same, known patient', call: place(), milliseconds: 40, writeUnits: 22 },
  {
    what: 'the same with a prescription and an invoice',
    call: place('known-1@bench.example', { prescriptions }, { invoicing: INVOICING }),
    milliseconds: 60,
    writeUnits: 60,
    s3Puts: 1,
  },
  { what: 'one order', call: get(ONE), milliseconds: 12 },
  { what: 'orders, a page of 20', call: get('/api/orders/?limit=20'), milliseconds: 25 },
  {
    what: 'cancel an order',
    call: () => ({ method: 'PATCH', path: ONE, body: { order_status: 'cancelled' } }),
    milliseconds: 30,
    writeUnits: 22,
  },
  {
    what: 'request an invoice',
    call: () => ({ method: 'PATCH', path: '/api/orders/2/request-invoice/', body: INVOICING }),
    milliseconds: 60,
    writeUnits: 42,
  },
];

/** Returns what a million requests cost, by part. */
function priceParts({ milliseconds, gigabytes = 1, writeUnits = 0, s3Puts = 0 }: Kind, measured: Measured) {
  return {
    gateway: PRICES.request,
    lambda: PRICES.invocation + PRICES.millisecond * milliseconds * gigabytes,
    table: PRICES.readUnit * measured.readUnits + PRICES.writeUnit * writeUnits,
    logs: PRICES.logByte * measured.logBytes,
    out: PRICES.byteOut * measured.bytes,
    s3: PRICES.s3Put * s3Puts,
  };
}

type Answer = Measured & { readonly text: string };

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

function toRow(kind: Kind, measured: Measured): string {
  const parts = Object.values(priceParts(kind, measured));
  const sum = parts.reduce((total, part) => total + part, 0);
  const bytes = `${measured.bytes}, ${measured.logBytes}`;
  const units = `${measured.readUnits}, ${kind.writeUnits ?? 0}`;
  const dollars = [...parts, sum].map((part) => part.toFixed(2));
  return `| ${[kind.what, bytes, units, ...dollars].join(' | ')} |`;
}

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

async function findLine(lines: AsyncIterator<string>, isWanted: (line: string) => boolean): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server ended');
    if (isWanted(value)) return value;
  }
}

await run();
