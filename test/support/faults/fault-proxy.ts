import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { forward, loopback } from '../http/loopback.ts';

/**
 * The fault of one call. `conflict`, `throttle` and `failure` are errors of DynamoDB. `lost reply` does the call but
 * loses the answer; `forgotten` also makes DynamoDB not recognise the token of a repeated transaction. `lost call`
 * closes the connection before the call; `hang` never answers. `stale` reads an empty replica. `delayMs` delays the
 * call, `until` until something has happened. `answer` replaces the answer. `kill` kills the caller.
 */
export type Fault =
  | 'conflict'
  | 'throttle'
  | 'failure'
  | 'lost reply'
  | 'forgotten'
  | 'lost call'
  | 'hang'
  | 'stale'
  | { readonly delayMs: number }
  | { readonly until: Promise<unknown> }
  | { readonly answer: Answer }
  | { readonly kill: () => Promise<void>; readonly moment: Moment };

/** The caller is killed before the call arrives, or after it was done. */
export type Moment = 'before' | 'after';
export type Answer = { readonly status: number; readonly type: string; readonly body: string };

type DynamoDbCall = {
  /** `TransactWriteItems`, `Query` and so on; '' for other services. */
  readonly operation: string;
  /** The number of this call among those of its operation since the faults were last set, from 1. */
  readonly nth: number;
  /** The number of this call among all calls since the faults were last set, from 1. */
  readonly nthOfAll: number;
  /** The SDK's invocation id, which all attempts of one call share; for calls without an SDK, the method and path. */
  readonly invocation: string;
  /** `GET /path?query`. */
  readonly target: string;
  readonly body: string;
  /** The idempotency token of a transaction, which all its attempts share. */
  readonly token: string | undefined;
  /** True when another call in progress writes one of its items; the real DynamoDB would refuse one of the two. */
  readonly meetsAnother: boolean;
  /** True for a read without `ConsistentRead`, in which the real DynamoDB may miss the latest writes. */
  readonly mayBeStale: boolean;
};
export type Faults = (call: DynamoDbCall) => Fault | undefined;

export type FaultProxy = {
  readonly url: string;
  /** Sets the faults of later calls, none by default, and all counts to 0. */
  set(faults?: Faults): void;
  /** Returns the number of attempts of each operation. */
  calls(): Record<string, number>;
  /** Returns how often each fault was injected. */
  faults(): Record<string, number>;
  /** Returns the total number of injected faults. */
  injected(): number;
  close(): Promise<void>;
};

/** Opens a proxy on loopback in front of an engine. It forwards everything until faults are set. */
export async function openFaultProxy(engine: string): Promise<FaultProxy> {
  let choose: Faults = () => undefined;
  let calls = new Map<string, number>();
  let faults = new Map<string, number>();
  const underWay = new Set<string>();
  const done = new Set<string>();

  const { url, close } = await loopback(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const nth = count(calls, operation);
    const { token, items } = written(operation, body);
    // A repeated transaction that is already done only gets its answer again and cannot conflict.
    const isDone = token !== undefined && done.has(token);
    const meetsAnother = !isDone && items.some((item) => underWay.has(item));
    const target = `${incoming.method} ${incoming.url}`;
    const invocation = String(incoming.headers['amz-sdk-invocation-id'] ?? target);
    const mayBeStale = READS.has(operation) && !body.includes('"ConsistentRead":true');
    const call = {
      operation,
      nth,
      nthOfAll: sum(calls),
      invocation,
      target,
      body: `${body}`,
      token,
      meetsAnother,
      mayBeStale,
    };
    const chosen = choose(call);
    const fault = isDone && chosen === 'conflict' ? undefined : chosen;
    if (fault) count(faults, faultName(fault));
    // A call without a conflict holds its items until it is done.
    if (!meetsAnother) for (const item of items) underWay.add(item);
    await applyFault({ engine, incoming, outgoing, body, operation, token, done }, fault);
    if (!meetsAnother) for (const item of items) underWay.delete(item);
  });

  return {
    url,
    set(chosen = () => undefined) {
      [choose, calls, faults] = [chosen, new Map(), new Map()];
    },
    calls: () => Object.fromEntries(calls),
    faults: () => Object.fromEntries(faults),
    injected: () => sum(faults),
    close,
  };
}

function faultName(fault: Fault): string {
  if (typeof fault === 'string') return fault;
  if ('delayMs' in fault || 'until' in fault) return 'delay';
  return 'kill' in fault ? 'kill' : 'answer';
}

const sum = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((total, each) => total + each, 0);

function count(counts: Map<string, number>, name: string): number {
  const next = (counts.get(name) ?? 0) + 1;
  counts.set(name, next);
  return next;
}

type Passage = {
  readonly engine: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly operation: string;
  readonly token: string | undefined;
  /** The tokens of the transactions that are done. */
  readonly done: Set<string>;
};

async function applyFault(passage: Passage, fault: Fault | undefined): Promise<void> {
  if (fault === 'hang') return;
  if (fault === 'lost call') return loseReply(passage);
  if (fault === 'conflict') return answerAs(passage, 400, await conflict(passage));
  if (fault === 'throttle') return answerAs(passage, 400, THROTTLED);
  if (fault === 'failure') return answerAs(passage, 500, FAILED);
  if (fault === 'stale') return answerAs(passage, 200, NOTHING_YET);
  if (typeof fault === 'object' && 'answer' in fault) return reply(passage, fault.answer);
  if (typeof fault === 'object' && 'kill' in fault) return killCaller(passage, fault);
  if (typeof fault === 'object') await ('until' in fault ? fault.until : pause(fault.delayMs));
  const answer = await ask(fault === 'forgotten' ? underAnotherToken(passage) : passage);
  if (!answer || fault === 'lost reply' || fault === 'forgotten') return loseReply(passage);
  passage.outgoing.writeHead(answer.status, answer.headers).end(answer.body);
}

const loseReply = ({ incoming }: Passage): void => void incoming.socket.destroy();

async function killCaller(
  passage: Passage,
  { kill, moment }: Extract<Fault, { readonly kill: unknown }>,
): Promise<void> {
  if (moment === 'after') await ask(passage);
  await kill();
  loseReply(passage);
}

/** Returns the transaction with a token that is not used again. */
function underAnotherToken(passage: Passage): Passage {
  if (passage.token === undefined) return passage;
  const renamed = { ...JSON.parse(passage.body.toString()), ClientRequestToken: randomUUID() };
  return { ...passage, token: undefined, body: Buffer.from(JSON.stringify(renamed)) };
}

/** Returns the engine's answer, or undefined if it did not answer. */
async function ask({ engine, incoming, body, token, done }: Passage) {
  const answer = await forward(engine, incoming, body).catch(() => undefined);
  if (answer?.status === 200 && token !== undefined) done.add(token);
  return answer;
}

const answerAs = (passage: Passage, status: number, answer: object): void =>
  reply(passage, { status, type: 'application/x-amz-json-1.0', body: JSON.stringify(answer) });

function reply({ outgoing }: Passage, { status, type, body }: Answer): void {
  outgoing.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

const NAMESPACE = 'com.amazonaws.dynamodb.v20120810#';
const THROTTLED = {
  __type: 'com.amazon.coral.availability#ThrottlingException',
  message: 'Rate of requests exceeds the allowed throughput.',
};
const FAILED = { __type: `${NAMESPACE}InternalServerError`, message: 'Internal server error' };
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
// One empty answer serves every kind of read, each of which uses other fields.
const NOTHING_YET = { Items: [], Count: 0, ScannedCount: 0, Responses: {}, UnprocessedKeys: {} };
const ONGOING = 'Transaction is ongoing for the item';

/** Returns the error of a write that conflicts on its last item. The write is not done; its conditions may fail too. */
async function conflict(passage: Passage): Promise<object> {
  if (passage.operation !== 'TransactWriteItems') {
    return { __type: `${NAMESPACE}TransactionConflictException`, message: ONGOING };
  }
  const reasons = (await askReasons(passage)).with(-1, { Code: 'TransactionConflict', Message: ONGOING });
  return {
    __type: `${NAMESPACE}TransactionCanceledException`,
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    CancellationReasons: reasons,
  };
}

/** Asks the engine for the cancellation reason of each write, with one more write that always fails. */
async function askReasons(passage: Passage): Promise<{ Code: string; Message?: string }[]> {
  const { TransactItems } = JSON.parse(passage.body.toString());
  const [{ TableName }] = Object.values(TransactItems[0]) as [{ TableName: string }];
  const nobody = { pk: { S: 'NOBODY' }, sk: { S: 'NOBODY' } };
  const doom = { ConditionCheck: { TableName, Key: nobody, ConditionExpression: 'attribute_exists(pk)' } };
  const body = Buffer.from(JSON.stringify({ TransactItems: [...TransactItems, doom] }));
  const answer = await ask({ ...passage, body });
  return JSON.parse(String(answer?.body)).CancellationReasons.slice(0, -1);
}

/** Returns the items that a call writes, and its token if it is a transaction. */
function written(operation: string, body: Buffer): { token: string | undefined; items: string[] } {
  if (operation !== 'TransactWriteItems' && operation !== 'UpdateItem') return { token: undefined, items: [] };
  const { Key, TransactItems = [], ClientRequestToken } = JSON.parse(body.toString());
  const keys = [Key, ...TransactItems.flatMap(readKeys)].filter((key) => key !== undefined);
  return { token: ClientRequestToken, items: keys.map(({ pk, sk }) => `${pk.S} ${sk.S}`) };
}

const readKeys = (write: Record<string, { Key?: object; Item?: object }>) =>
  Object.values(write).map(({ Key, Item }) => Key ?? Item);
