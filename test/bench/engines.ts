import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { type DynamoDbLocal, startDynamoDbLocal } from '../support/engines/dynamodb-local.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { type Figure, median, medianMs } from './figures.ts';
import { send } from './http.ts';

const ROUNDS = 3;
const ORDERS = 60;
const CONNECTIONS = 16;
const WARM_UP = 300;
// An order of five lines for a new patient writes some 30 records to the stream.
const RECORDS = 50_000 * 30;

/** A local server on one of the engines, and what orders took on it: milliseconds at one connection, orders a second at 16. */
type Server = {
  readonly place: (agent: Agent) => Promise<unknown>;
  readonly latencies: number[];
  readonly rates: number[];
  readonly directory: string;
  stop(): Promise<void>;
};

/**
 * Measures an order of 5 lines over HTTP on the embedded engine and on Amazon's DynamoDB Local, in turn, and once more on the
 * embedded one with the stream records of 50,000 orders.
 */
export async function benchEngines(): Promise<Figure[]> {
  const amazons = await startAmazons();
  const servers: Server[] = [];
  try {
    const embedded = await startServer();
    servers.push(embedded, await startServer({ AWS_ENDPOINT_URL_DYNAMODB: amazons.url }));
    for (const { place } of servers) await manyAtOnce(WARM_UP, CONNECTIONS, () => place(many));
    for (let round = 0; round < ROUNDS; round += 1) for (const server of servers) await measure(server);
    const [own, other] = servers.map(toMedians) as [Medians, Medians];
    addRecords(join(embedded.directory, 'dynamodb', 'dynoxide.db'));
    Object.assign(embedded, { latencies: [], rates: [] });
    await measure(embedded);
    return toFigures(own, other, toMedians(embedded));
  } finally {
    for (const server of servers) await server.stop();
    await amazons.stop();
  }
}

const one = new Agent({ keepAlive: true, maxSockets: 1 });
const many = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Starts DynamoDB Local as Amazon ships it. */
async function startAmazons(): Promise<DynamoDbLocal> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-engines-'));
  const engine = await startDynamoDbLocal(directory);
  const stop = async () => {
    await engine.stop();
    await rm(directory, { recursive: true });
  };
  return { ...engine, stop };
}

async function startServer(endpoints: NodeJS.ProcessEnv = {}): Promise<Server> {
  const { url, directory, stop } = await startServerProcess(endpoints);
  const body = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const login = await send(url, { method: 'POST', path: '/api/token/', body }, one);
  const token = JSON.parse(login.text).access;
  const details = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
  let patients = 0;
  const place = async (agent: Agent) => {
    patients += 1;
    const order = orderBody(`patient-${patients}@bench.example`, { details });
    const call = { method: 'POST', path: '/api/orders/resources/', token, body: order };
    const { status, text } = await send(url, call, agent);
    if (status !== 201) throw new Error(`${status} ${text}`);
  };
  return { place, latencies: [], rates: [], directory, stop };
}

async function measure({ place, latencies, rates }: Server): Promise<void> {
  latencies.push(await medianMs(ORDERS, () => place(one)));
  const start = performance.now();
  await manyAtOnce(ORDERS * 4, CONNECTIONS, () => place(many));
  rates.push((ORDERS * 4) / ((performance.now() - start) / 1_000));
}

type Medians = { readonly ms: number; readonly perSecond: number };
const toMedians = ({ latencies, rates }: Server): Medians => ({ ms: median(latencies), perSecond: median(rates) });

/** Copies the last record of the stream, under new numbers, while the engine is idle. */
function addRecords(file: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  database.exec(
    `WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${RECORDS}),
       last AS (SELECT * FROM _stream_records ORDER BY id DESC LIMIT 1)
     INSERT INTO _stream_records
         (table_name, event_name, keys_json, new_image, old_image, sequence_number, shard_id, created_at)
       SELECT table_name, event_name, keys_json, new_image, old_image,
         CAST(CAST(sequence_number AS INTEGER) + n AS TEXT), shard_id, created_at FROM last, count`,
  );
  database.close();
}

function toFigures(own: Medians, other: Medians, full: Medians): Figure[] {
  const what = 'an order of 5 lines over HTTP';
  return [
    { what: `${what}: embedded engine, DynamoDB Local, 1 connection`, value: [own.ms, other.ms], unit: 'ms' },
    {
      what: 'the embedded engine against DynamoDB Local, 1 connection',
      value: own.ms / other.ms,
      unit: '×',
      bar: 0.45,
    },
    { what: `${what}: the same, 16 connections`, value: [own.perSecond, other.perSecond], unit: '/s' },
    { what: 'DynamoDB Local against it, 16 connections', value: other.perSecond / own.perSecond, unit: '×', bar: 0.4 },
    { what: `${what}, after the records of 50,000 orders, 1 connection`, value: full.ms, unit: 'ms' },
    { what: 'against DynamoDB Local', value: full.ms / other.ms, unit: '×', bar: 0.45 },
    { what: `${what}, after the records of 50,000 orders, 16 connections`, value: full.perSecond, unit: '/s' },
    { what: 'DynamoDB Local against that', value: other.perSecond / full.perSecond, unit: '×', bar: 0.4 },
  ];
}
