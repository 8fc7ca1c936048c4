import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forward, loopback } from '../support/http/loopback.ts';

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

/** An item written, by the kind of its key, with the write units that it takes. */
export type Written = { readonly kind: string; readonly units: number };

type Attribute = Readonly<Record<string, unknown>>;
/** An item as the table's protocol has it. */
export type Item = Readonly<Record<string, Attribute>>;
type Action = { readonly Item?: Item; readonly Key?: Item };

const UNIT_BYTES = 1_024;

/**
 * Returns the items that a request writes, with units computed from their sizes: the local engine counts those items of a
 * transaction that take the same units only once, so three puts of 1 KB as one. A change in place (Update, Delete) counts
 * as an item of 1 KB, the most that the items so changed have.
 */
export function parseWrites(operation: string, body: string): Written[] {
  const request = JSON.parse(body);
  if (operation === 'TransactWriteItems') {
    const actions: Action[] = request.TransactItems.flatMap((each: Record<string, Action>) => Object.values(each));
    return actions.map((action) => toWritten(action, 2));
  }
  if (operation === 'BatchWriteItem') {
    const requests = Object.values<Record<string, Action>[]>(request.RequestItems).flat();
    return requests.flatMap((each) => Object.values(each)).map((action) => toWritten(action, 1));
  }
  return operation === 'UpdateItem' || operation === 'PutItem' ? [toWritten(request, 1)] : [];
}

function toWritten({ Item: item, Key: key }: Action, unitsPerKb: number): Written {
  const units = unitsPerKb * Math.ceil((item ? measureMap(item) : 1) / UNIT_BYTES);
  return { kind: toKind(String((item ?? key)?.pk?.S)), units };
}

/** Returns the kind of a partition key, and of whose view it is. */
export function toKind(pk: string): string {
  const [kind = '', , viewer] = pk.split('#');
  return /^(CREATED|PAIR|COUNT)$/.test(kind) ? `${kind} of the ${viewer}` : kind;
}

/** Returns the size by which DynamoDB counts units, as the developer guide gives it ("DynamoDB item sizes and formats"). */
export const measureMap = (map: Item): number =>
  Object.entries(map).reduce((size, [name, value]) => size + Buffer.byteLength(name) + measure(value), 0);

function measure(attribute: Attribute): number {
  const [[type, value] = ['NULL', true]] = Object.entries(attribute);
  if (type === 'S') return Buffer.byteLength(String(value));
  if (type === 'N') return measureNumber(String(value));
  if (type === 'M') return 3 + Object.keys(value as Item).length + measureMap(value as Item);
  if (type === 'L') return 3 + (value as Attribute[]).reduce((size, each) => size + 1 + measure(each), 0);
  return 1;
}

/** Returns the bytes of a number: one, and one for each two significant digits and for a sign. */
function measureNumber(written: string): number {
  const digits = written.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length;
  return 1 + Math.ceil(digits / 2) + (written.startsWith('-') ? 1 : 0);
}
