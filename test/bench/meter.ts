import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseWrites, type Written } from './orders/item-units.ts';

export type Metered<Result> = {
  readonly result: Result;
  /** The length of the longest chain of sequential calls. */
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The items written, each with its write units. */
  readonly written: readonly Written[];
};

export type Meter = {
  readonly url: string;
  /** Measures the DynamoDB calls and units of `work`; nothing else may run meanwhile. */
  measure<Result>(work: () => Promise<Result>): Promise<Metered<Result>>;
  close(): Promise<void>;
};

type Call = {
  readonly operation: string;
  readonly start: number;
  readonly end: number;
  readonly units: number;
  readonly written: readonly Written[];
};

/** Opens a loopback proxy in front of DynamoDB that requests the consumed capacity of each call while it measures. */
export async function openMeter(engine: string): Promise<Meter> {
  const agent = new Agent({ keepAlive: true });
  let calls: Call[] | undefined;
  const answerCall = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const start = performance.now();
    const body = await buffer(incoming);
    const answer = await forward(engine, agent, incoming, calls ? requestConsumption(body) : body);
    if (!calls) return void passOn(answer, outgoing);
    const text = await buffer(answer);
    const operation = readOperation(incoming);
    const written = parseWrites(operation, String(body));
    calls.push({ operation, start, end: performance.now(), units: parseUnits(String(text)), written });
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
  };
  // A call that the caller gave up at its deadline ends here too.
  const server = createServer((incoming, outgoing) => {
    answerCall(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async measure(work) {
      const own: Call[] = [];
      calls = own;
      const result = await work();
      calls = undefined;
      return { result, trips: countSequentialCalls(own), ...sumUnits(own) };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

const readOperation = ({ headers }: IncomingMessage) => String(headers['x-amz-target']).split('.')[1] ?? '';
const requestConsumption = (body: Buffer) =>
  Buffer.from(JSON.stringify({ ...JSON.parse(String(body)), ReturnConsumedCapacity: 'TOTAL' }));

// The body may differ from the signed one, because the local engine does not check signatures.
async function forward(engine: string, agent: Agent, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { hostname, port } = new URL(engine);
  const own = { ...headers, 'content-length': body.length };
  const sent = request({ agent, hostname, port, method, path: url, headers: own });
  // Whoever waits for the answer, or reads it, is told by its own stream.
  sent.on('error', () => undefined).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

function passOn(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(outgoing);
}

/** Sums the capacity units in an answer, which has one entry for each table. */
const parseUnits = (answer: string): number =>
  answer.matchAll(/"CapacityUnits":([\d.]+)/g).reduce((sum, [, units]) => sum + Number(units), 0);

function sumUnits(calls: readonly Call[]) {
  const isReading = ({ operation }: Call) => /^(Query|GetItem|BatchGetItem|Scan|TransactGetItems)$/.test(operation);
  const sum = (those: readonly { readonly units: number }[]) => those.reduce((total, { units }) => total + units, 0);
  const written = calls.flatMap((call) => call.written);
  return { readUnits: sum(calls.filter(isReading)), writeUnits: sum(written), written };
}

function countSequentialCalls(calls: readonly Call[]): number {
  const depths: number[] = [];
  for (const { start } of calls) {
    const before = calls.slice(0, depths.length).map(({ end }, index) => (end <= start ? (depths[index] ?? 0) : 0));
    depths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...depths);
}
