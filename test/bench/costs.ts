import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { callHeaders } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { LOGGING, startServer } from './processes.ts';

/*
 * Prints the table of infra/cloud/costs.md, what a million requests of each kind cost: `npm run bench -- costs`. Bytes of
 * answers and log lines and the read units are measured at the local server; write units are those of `npm run bench -- orders`,
 * and Lambda's milliseconds the estimates of test/bench/README.md.
 */

/** The line of the access log with the fields of `infra/cloud/api/api.ts`. */
const ACCESS_LOG_BYTES = 330;

/** Sends a call as a client that accepts gzip. Returns its bytes on the wire, its log lines' and its read units. */
async function send({ method, path, body }: Call, token: string) {
  const payload = body && JSON.stringify(body);
  const headers = {
    ...callHeaders(token ? { token } : {}),
    'Accept-Encoding': 'gzip',
    ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  };
  // On a connection of its own, so that it alone is counted.
  const sent = request(`${server.url}${path}`, { method, headers, agent: false });
  sent.end(payload);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`${path}: ${answer}`);
  const line = await server.findLine(new RegExp(String(response.headers['x-request-id'])));
  const logBytes = Buffer.byteLength(line) + ACCESS_LOG_BYTES;
  // `Server-Timing` has the units of each part of the request.
  const parts = [...String(response.headers['server-timing']).matchAll(/read units ([\d.]+)/g)];
  const readUnits = parts.reduce((sum, [, units]) => sum + Number(units), 0);
  return { answer, bytes: response.socket.bytesRead, logBytes, readUnits };
}

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
const ONE = '/api/orders/1/';

const prescriptions = [{ document: PDF, issue_date: new Date().toISOString().slice(0, 10) }];
const LOGIN = post('/api/token/', { email: 'aseguradora@demo.example', password: DEMO_PASSWORD });

const [QUOTE, CANCEL] = [{ details: DETAILS, zipcode: '06700' }, { order_status: 'cancelled' }];
const patch = (path: string, body: object) => () => ({ method: 'PATCH', path, body });
const placeWithPapers = place('known-1@bench.example', { prescriptions }, { invoicing: INVOICING });

/** The kinds of requests, in an order in which each finds what it needs. */
const KINDS: readonly Kind[] = [
  { what: 'token', call: LOGIN, milliseconds: 120, gigabytes: 1.73, writeUnits: 6 },
  { what: 'products, a page of 20', call: get('/api/products/?limit=20'), milliseconds: 5 },
  { what: 'one product', call: get('/api/products/1/'), milliseconds: 5 },
  { what: 'quote of 5 lines', call: post('/api/orders/calculate/', QUOTE), milliseconds: 5 },
  { what: 'order of 5 lines, new patient', call: place('new@bench.example'), milliseconds: 40, writeUnits: 31 },
  { what: 'the same, known patient', call: place(), milliseconds: 40, writeUnits: 26 },
  {
    ...{ what: 'the same with a prescription and an invoice', call: placeWithPapers },
    ...{ milliseconds: 60, writeUnits: 76, s3Puts: 1 },
  },
  { what: 'one order', call: get(ONE), milliseconds: 12 },
  { what: 'orders, a page of 20', call: get('/api/orders/?limit=20'), milliseconds: 25 },
  { what: 'cancel an order', call: patch(ONE, CANCEL), milliseconds: 30, writeUnits: 26 },
  {
    ...{ what: 'request an invoice', call: patch('/api/orders/2/request-invoice/', INVOICING) },
    ...{ milliseconds: 60, writeUnits: 56 },
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

/** Returns the row of a kind in the table of infra/cloud/costs.md. */
function toRow(kind: Kind, measured: Measured): string {
  const parts = Object.values(priceParts(kind, measured));
  const sum = parts.reduce((total, part) => total + part, 0);
  const bytes = `${measured.bytes}, ${measured.logBytes}`;
  const units = `${measured.readUnits}, ${kind.writeUnits ?? 0}`;
  const dollars = [...parts, sum].map((part) => part.toFixed(2));
  return `| ${[kind.what, bytes, units, ...dollars].join(' | ')} |`;
}

const server = await startServer(LOGGING);
try {
  const token = JSON.parse((await send(LOGIN(), '')).answer).access;
  // The page of orders is as long as it can be only if there are enough.
  for (let placed = 1; placed <= 20; placed++) await send(place(`known-${placed}@bench.example`)(), token);
  console.log('| Request | Bytes out, logged | Read, write units | Gateway | Lambda | Table | Logs | Out | S3 | USD |');
  for (const kind of KINDS) console.log(toRow(kind, await send(kind.call(), token)));
} finally {
  await server.stop();
}
