import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { forward, loopback } from '../http/loopback.ts';
import { isAllowed, type Statement } from '../rights/function-rights.ts';
import { type AwsCall, type AwsRequest, awsCalls, readAwsRequest, type Service } from './aws-call.ts';
import {
  type Answer,
  amzJson,
  answerWithoutEngine,
  DYNAMODB,
  denial,
  NO_SUCH_KEY,
  NOTHING_YET,
  type ServiceError,
  serviceError,
} from './service-answers.ts';

/**
 * The fault of one call. `failure`, `throttle` and `malformed` are errors of each service, `conflict` one of DynamoDB, `missing`
 * one of S3. `lost reply` does the call but loses the answer; `forgotten` also makes DynamoDB not recognise the token of a
 * repeated transaction. `lost call` closes the connection before the call; `hang` never answers. `stale` reads an empty
 * replica. `delayMs` delays the call, `until` until something has happened. `answer` replaces the answer. `kill` kills the caller.
 */
export type Fault =
  | ServiceError
  | 'conflict'
  | 'missing'
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

/** A call to a dependency, which an SDK may attempt several times. */
export type SentCall = {
  readonly service: Service;
  /** The service and operation, without ids: `dynamodb GetItem`, `s3 PUT`. */
  readonly name: string;
  /** The number of this call since the faults were last set, from 1; its attempts share it. */
  readonly place: number;
};

type ProxiedCall = SentCall & {
  /** `TransactWriteItems`, `Query` and so on; '' for services other than DynamoDB. */
  readonly operation: string;
  /** The number of this attempt among those of its operation since the faults were last set, from 1. */
  readonly nth: number;
  /** The number of this attempt among all since the faults were last set, from 1. */
  readonly nthOfAll: number;
  /** The SDK's invocation id, which all attempts of one call share; for calls without an SDK, the method and path. */
  readonly invocation: string;
  /** `GET /path?query`. */
  readonly target: string;
  readonly body: string;
  /** The actions of the call as IAM sees them, if the proxy checks rights. */
  readonly actions: readonly AwsCall[];
  /** The idempotency token of a transaction, which all its attempts share. */
  readonly token: string | undefined;
  /** True when another call in progress writes one of its items; the real DynamoDB would refuse one of the two. */
  readonly meetsAnother: boolean;
  /** True for a read without `ConsistentRead`, in which the real DynamoDB may miss the latest writes. */
  readonly mayBeStale: boolean;
};
export type Faults = (call: ProxiedCall) => Fault | undefined | Promise<Fault | undefined>;

type Engines = Partial<Readonly<Record<Service, string>>>;
/** The policy of a function's role, and the values of secrets, which no local engine has. */
type Rights = { readonly statements: readonly Statement[]; readonly secrets: Readonly<Record<string, string>> };

export type FaultProxy = Awaited<ReturnType<typeof openFaultProxy>>;

/**
 * Opens a proxy on loopback in front of one engine, or of those of several services. It forwards everything until faults are
 * set, but for calls that the rights forbid, if there are any, which it refuses with the errors of AWS.
 */
export async function openFaultProxy(engines: string | Engines, rights?: Rights) {
  let choose: Faults = () => undefined;
  let calls = new Map<string, number>();
  let faults = new Map<string, number>();
  let sent = new Map<string, SentCall & { readonly attempts: number }>();
  const underWay = new Set<string>();
  const done = new Set<string>();
  const gate = rights && new Gate(rights.statements);

  function recordCall(invocation: string, { service, operation, method }: AwsRequest) {
    const name = `${service} ${operation || method}`;
    const known = sent.get(invocation) ?? { service, name, place: sent.size + 1, attempts: 0 };
    sent.set(invocation, { ...known, attempts: known.attempts + 1 });
    return known;
  }

  const { url, close } = await loopback(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const request = readAwsRequest(incoming, body);
    const { operation, service } = request;
    const actions = rights ? awsCalls(request) : [];
    if (gate && !gate.admits(actions)) return reply(outgoing, denial(request));
    const alone = rights && answerWithoutEngine(request, rights.secrets);
    if (alone) return reply(outgoing, alone);
    const nth = count(calls, operation);
    const { token, items } = written(operation, body);
    // A repeated transaction that is already done only gets its answer again and cannot conflict.
    const isDone = token !== undefined && done.has(token);
    const meetsAnother = !isDone && items.some((item) => underWay.has(item));
    const target = `${incoming.method} ${incoming.url}`;
    const invocation = String(incoming.headers['amz-sdk-invocation-id'] ?? target);
    const { name, place } = recordCall(invocation, request);
    const mayBeStale = READS.has(operation) && !body.includes('"ConsistentRead":true');
    const numbers = { place, nth, nthOfAll: sum(calls) };
    const choice = choose({
      ...numbers,
      ...{ service, name, operation, invocation, target, body: `${body}`, actions, token, meetsAnother, mayBeStale },
    });
    // Without a promise nothing else runs before the items are held.
    const chosen = choice instanceof Promise ? await choice : choice;
    const fault = isDone && chosen === 'conflict' ? undefined : chosen;
    if (fault) count(faults, faultName(fault));
    // A call without a conflict holds its items until it is done.
    if (!meetsAnother) for (const item of items) underWay.add(item);
    const engine = typeof engines === 'string' ? engines : (engines[service] ?? '');
    const answersMissing = () => gate === undefined || gate.admitsMissing(actions);
    const passage = { engine, request, incoming, outgoing, body, token, done, answersMissing };
    await applyFault(passage, fault);
    if (!meetsAnother) for (const item of items) underWay.delete(item);
  });

  return {
    url,
    /** Sets the faults of later calls, none by default, and all counts to 0. A call waits for the promise of its fault. */
    set(chosen: Faults = () => undefined): void {
      [choose, calls, faults, sent] = [chosen, new Map(), new Map(), new Map()];
    },
    /** Returns the number of attempts of each operation of DynamoDB. */
    calls: (): Record<string, number> => Object.fromEntries(calls),
    /** Returns the calls to all services, each with the number of its attempts. */
    sent: () => [...sent.values()],
    /** Returns how often each fault was injected, and the total. */
    faults: (): Record<string, number> => Object.fromEntries(faults),
    injected: () => sum(faults),
    /** The calls that the rights forbid, as `action resource keys`, and those that they allow. */
    refused: (gate?.refused ?? []) as readonly string[],
    allowed: (gate?.allowed ?? []) as readonly AwsCall[],
    close,
  };
}

/** Checks calls against the policy of a role. */
class Gate {
  readonly refused: string[] = [];
  readonly allowed: AwsCall[] = [];
  readonly #statements: readonly Statement[];

  constructor(statements: readonly Statement[]) {
    this.#statements = statements;
  }

  admits(actions: readonly AwsCall[]): boolean {
    const forbidden = actions.filter((action) => !isAllowed(action, this.#statements));
    this.refused.push(...forbidden.map(formatCall));
    if (forbidden.length === 0) this.allowed.push(...actions);
    return forbidden.length === 0;
  }

  /** S3 reveals that an object is missing only to callers with permission to list the bucket. */
  admitsMissing([action]: readonly AwsCall[]): boolean {
    if (action?.action !== 's3:GetObject') return true;
    const listing = { action: 's3:ListBucket', resource: action.resource.split('/')[0] ?? '' };
    const isAdmitted = isAllowed(listing, this.#statements);
    if (isAdmitted) this.allowed.push(listing);
    return isAdmitted;
  }
}

const formatCall = ({ action, resource, leadingKeys = [] }: AwsCall) => [action, resource, ...leadingKeys].join(' ');

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
  readonly request: AwsRequest;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly token: string | undefined;
  /** The tokens of the transactions that are done. */
  readonly done: Set<string>;
  /** Returns whether the caller may know that an object is missing. */
  readonly answersMissing: () => boolean;
};

const isServiceError = (fault: Fault | undefined): fault is ServiceError =>
  fault === 'failure' || fault === 'throttle' || fault === 'malformed';

async function applyFault(passage: Passage, fault: Fault | undefined): Promise<void> {
  const { outgoing, request } = passage;
  if (fault === 'hang') return;
  if (fault === 'lost call') return loseReply(passage);
  if (fault === 'conflict') return reply(outgoing, amzJson(400, await conflict(passage)));
  if (isServiceError(fault)) return reply(outgoing, serviceError(request.service, fault));
  if (fault === 'stale') return reply(outgoing, NOTHING_YET);
  if (fault === 'missing') return reply(outgoing, passage.answersMissing() ? NO_SUCH_KEY : denial(request));
  if (typeof fault === 'object' && 'answer' in fault) return reply(outgoing, fault.answer);
  if (typeof fault === 'object' && 'kill' in fault) return killCaller(passage, fault);
  if (typeof fault === 'object') await ('until' in fault ? fault.until : pause(fault.delayMs));
  const answer = await ask(fault === 'forgotten' ? underAnotherToken(passage) : passage);
  if (!answer || fault === 'lost reply' || fault === 'forgotten') return loseReply(passage);
  if (answer.status === 404 && !passage.answersMissing()) return reply(outgoing, denial(request));
  outgoing.writeHead(answer.status, answer.headers).end(answer.body);
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

function reply(outgoing: ServerResponse, { status, type, body }: Answer): void {
  outgoing.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const ONGOING = 'Transaction is ongoing for the item';

/** Returns the error of a write that conflicts on its last item. The write is not done; its conditions may fail too. */
async function conflict(passage: Passage): Promise<object> {
  if (passage.request.operation !== 'TransactWriteItems') {
    return { __type: `${DYNAMODB}TransactionConflictException`, message: ONGOING };
  }
  const reasons = (await askReasons(passage)).with(-1, { Code: 'TransactionConflict', Message: ONGOING });
  return {
    __type: `${DYNAMODB}TransactionCanceledException`,
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
