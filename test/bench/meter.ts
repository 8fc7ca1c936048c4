import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forward, loopback } from '../support/http/loopback.ts';
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

type Call = {
  readonly start: number;
  readonly end: number;
  readonly readUnits: number;
  readonly written: readonly Written[];
};

export type Meter = Awaited<ReturnType<typeof openMeter>>;

const READING = /^(Query|GetItem|BatchGetItem|Scan|TransactGetItems)$/;

/** Opens a loopback proxy in front of DynamoDB that requests the consumed capacity of each call while it measures. */
export async function openMeter(engine: string) {
  let calls: Call[] | undefined;
  const answerCall = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const start = performance.now();
    const body = await buffer(incoming);
    // The body may differ from the signed one, because the local engine does not check signatures.
    const sent = calls ? JSON.stringify({ ...JSON.parse(`${body}`), ReturnConsumedCapacity: 'TOTAL' }) : body;
    const answer = await forward(engine, incoming, Buffer.from(sent));
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const readUnits = READING.test(operation) ? parseUnits(`${answer.body}`) : 0;
    calls?.push({ start, end: performance.now(), readUnits, written: parseWrites(operation, `${body}`) });
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const { url, close } = await loopback((incoming, outgoing) => {
    // A call that the caller gave up at its deadline ends here too.
    answerCall(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return {
    url,
    close,
    /** Measures the DynamoDB calls and units of `work`; nothing else may run meanwhile. */
    async measure<Result>(work: () => Promise<Result>): Promise<Metered<Result>> {
      const own: Call[] = [];
      calls = own;
      const result = await work();
      calls = undefined;
      const written = own.flatMap((call) => call.written);
      const readUnits = own.reduce((sum, call) => sum + call.readUnits, 0);
      const writeUnits = written.reduce((sum, { units }) => sum + units, 0);
      return { result, trips: countSequentialCalls(own), readUnits, writeUnits, written };
    },
  };
}

/** Sums the capacity units in an answer, which has one entry for each table. */
const parseUnits = (answer: string): number =>
  answer.matchAll(/"CapacityUnits":([\d.]+)/g).reduce((sum, [, units]) => sum + Number(units), 0);

function countSequentialCalls(calls: readonly Call[]): number {
  const depths: number[] = [];
  for (const { start } of calls) {
    const before = depths.map((depth, index) => ((calls[index]?.end ?? start) <= start ? depth : 0));
    depths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...depths);
}
