import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { decodeJwt } from 'jose';
import { DEMO_USERS } from '../../../infra/local/demonstration.ts';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { type Call, callHeaders } from '../http/call.ts';
import { type HttpAnswer, sendHttp } from '../http/http.ts';
import { orderBody } from '../orders/samples.ts';
import { sendPatiently } from '../proofs/patience.ts';

type Answered = { readonly id: number; readonly total: string; readonly order_status: string };
type Known = Pick<Answered, 'total' | 'order_status'>;

/** Records the orders of a run as the server last answered them, and the orders that no request is changing now. */
class Ledger {
  readonly orders = new Map<number, Known>();
  /** The idempotency keys that produced more than one order; a correct server leaves it empty. */
  readonly doubled = new Set<string>();
  readonly #ids: number[] = [];
  readonly #unchanging: number[] = [];
  readonly #keyed = new Map<string, number>();

  placed({ id, total, order_status }: Answered, key?: string): void {
    if (key !== undefined && (this.#keyed.get(key) ?? id) !== id) this.doubled.add(key);
    if (key !== undefined) this.#keyed.set(key, id);
    if (this.orders.has(id)) return;
    this.orders.set(id, { total, order_status });
    this.#ids.push(id);
    this.#unchanging.push(id);
  }

  changed({ id, total, order_status }: Answered): void {
    this.orders.set(id, { total, order_status });
    if (order_status !== 'cancelled') this.#unchanging.push(id);
  }

  /** Returns an order that no other request is changing, because the server refuses one of two concurrent changes. */
  take(): number {
    const id = this.#unchanging.shift();
    if (id === undefined) throw new Error('no order is left to change');
    return id;
  }

  /** Returns any order, even if another request is changing it. */
  pick(nth: number): number {
    return this.#ids[nth % this.#ids.length] ?? Number.NaN;
  }
}

/** The caller: an insurance employee of the demonstration client. */
type Shop = {
  readonly send: (method: string, path: string, call?: Call) => Promise<HttpAnswer>;
  readonly token: () => Promise<string>;
  readonly ledger: Ledger;
};

/** A kind of request, with its share in percent and the only status that counts as a success. */
type Kind = {
  readonly share: number;
  readonly name: string;
  readonly status: number;
  ask(shop: Shop, nth: number): Promise<HttpAnswer>;
};

const PRODUCTS = [1, 2, 3, 5, 7];
const WORDS = ['paracetamol', 'acido', 'tabletas+500', 'gel', 'ibu'];
const LISTS = ['categories', 'pharmaceutical-companies', 'diseases'];
const ORDER_LISTS = ['', 'limit=5&page=2', 'order_status__in=approved', 'payment_status__in=unpaid'];
const PATIENTS = 8;

const one = <Value>(values: readonly Value[], nth: number): Value => values[nth % values.length] as Value;
const lines = (quantity: number) => PRODUCTS.map((product) => ({ product, quantity }));

async function place({ send, token, ledger }: Shop, email: string, key: string = randomUUID()): Promise<HttpAnswer> {
  const headers = { 'Idempotency-Key': key };
  const body = orderBody(`${email}@load.example`, { details: lines(2) });
  const answer = await send('POST', '/api/orders/resources/', { token: await token(), headers, body });
  if (answer.status === 201) ledger.placed(answer.body, key);
  return answer;
}

async function change({ send, token, ledger }: Shop, body: object): Promise<HttpAnswer> {
  const answer = await send('PATCH', `/api/orders/${ledger.take()}/`, { token: await token(), body });
  if (answer.status === 200) ledger.changed(answer.body);
  return answer;
}

const logIn = (send: Shop['send'], email: string) =>
  send('POST', '/api/token/', { body: { email, password: DEMO_PASSWORD } });

const CATALOG = { name: 'read the catalog', status: 200 };
const ORDERS = { name: 'list orders', status: 200 };
const PLACING = { name: 'place an order', status: 201 };
const CHANGING = { name: 'change or cancel an order', status: 200 };

/** Of 100 requests, 83 need no database and 4 place an order; every one must succeed. */
const MIX: readonly Kind[] = [
  { share: 22, ...CATALOG, ask: ({ send }, nth) => send('GET', `/api/products/?page=${(nth % 6) + 1}`) },
  { share: 15, ...CATALOG, ask: ({ send }, nth) => send('GET', `/api/products/?search=${one(WORDS, nth)}`) },
  { share: 20, ...CATALOG, ask: ({ send }, nth) => send('GET', `/api/products/${one(PRODUCTS, nth)}/`) },
  { share: 6, ...CATALOG, ask: ({ send }, nth) => send('GET', `/api/${one(LISTS, nth)}/`) },
  {
    share: 20,
    name: 'quote a basket',
    status: 201,
    ask: ({ send }, nth) =>
      send('POST', '/api/orders/calculate/', { body: { details: lines((nth % 5) + 1), zipcode: '06700' } }),
  },
  {
    share: 2,
    ...ORDERS,
    ask: async ({ send, token }, nth) => send('GET', `/api/orders/?${one(ORDER_LISTS, nth)}`, { token: await token() }),
  },
  {
    share: 1,
    ...ORDERS,
    name: 'search orders',
    ask: async ({ send, token }) => send('GET', '/api/orders/?search=paz', { token: await token() }),
  },
  {
    share: 7,
    name: 'read an order',
    status: 200,
    ask: async ({ send, token, ledger }, nth) =>
      send('GET', `/api/orders/${ledger.pick(nth)}/`, { token: await token() }),
  },
  { share: 2, ...PLACING, ask: (shop, nth) => place(shop, `new-${nth}`) },
  { share: 1, ...PLACING, ask: (shop, nth) => place(shop, `known-${nth % PATIENTS}`) },
  // Each is sent twice, as by a client that lost the first answer.
  { share: 1, ...PLACING, ask: (shop, nth) => place(shop, `keyed-${nth >> 1}`, `load-order-${nth >> 1}`) },
  { share: 1, ...CHANGING, ask: (shop, nth) => change(shop, { details: lines((nth % 3) + 1) }) },
  { share: 1, ...CHANGING, ask: (shop) => change(shop, { order_status: 'cancelled' }) },
  { share: 1, name: 'log in', status: 200, ask: ({ send }, nth) => logIn(send, one(DEMO_USERS, nth).email) },
];

// The stride is coprime to 100, which spreads the requests of one kind over the whole sequence.
const STRIDE = 37;
const ALL = MIX.flatMap((kind) => Array<Kind>(kind.share).fill(kind));
const SEQUENCE = ALL.map((_, turn) => one(ALL, turn * STRIDE));

/** A request with its times in ms: `ms` is measured by the caller, the others come from `Server-Timing`. */
export type Sample = {
  readonly name: string;
  readonly fault: string | undefined;
  readonly ms: number;
  /** The whole time in the server, including the wait for a free function. */
  readonly serverMs: number;
  readonly functionMs: number;
  readonly databaseMs: number;
};

type Stage = { readonly samples: readonly Sample[]; readonly seconds: number };

export type Traffic = {
  readonly client: number;
  readonly ledger: Ledger;
  /** Keeps this many requests open for this many seconds, one to a connection, and waits for the last answers. */
  run(connections: number, seconds: number): Promise<Stage>;
  /** Sends the next request of the sequence. */
  ask(): Promise<Sample>;
  /** Reads a page of the order list; the request is not part of the samples. */
  listed(page: number): Promise<HttpAnswer>;
};

/** Opens the traffic of the demonstration client with one order for each patient; stages continue the same sequence. */
export async function openTraffic(url: string): Promise<Traffic> {
  const ledger = new Ledger();
  const asked = new Map<Kind, number>();
  let turn = 0;
  const token = createTokenSource(createSender(url, new Agent()), 'aseguradora@demo.example');
  const shopOver = (agent: Agent): Shop => ({ send: createSender(url, agent), token, ledger });
  const alone = shopOver(new Agent());
  for (let nth = 0; nth < PATIENTS; nth++) await place(alone, `known-${nth}`);

  async function next(shop: Shop): Promise<Sample> {
    const kind = one(SEQUENCE, turn++);
    const nth = asked.get(kind) ?? 0;
    asked.set(kind, nth + 1);
    const start = performance.now();
    const answer = await kind.ask(shop, nth);
    return toSample(kind, answer, performance.now() - start);
  }

  async function run(connections: number, seconds: number): Promise<Stage> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const shop = shopOver(agent);
    const samples: Sample[] = [];
    const start = performance.now();
    const keepAsking = async () => {
      while (performance.now() < start + seconds * 1_000) samples.push(await next(shop));
    };
    await Promise.all(Array.from({ length: connections }, keepAsking));
    agent.destroy();
    return { samples, seconds: (performance.now() - start) / 1_000 };
  }

  const client = Number(decodeJwt(await token()).client);
  const listed = async (page: number) =>
    alone.send('GET', `/api/orders/?limit=100&page=${page}`, { token: await token() });
  return { client, ledger, run, ask: () => next(alone), listed };
}

// A token expires after 15 minutes.
const RENEW_AFTER_MS = 10 * 60_000;

/** Returns a function that logs a user in and renews the token before it expires. */
function createTokenSource(send: Shop['send'], email: string): Shop['token'] {
  let given: Promise<HttpAnswer> | undefined;
  let since = 0;
  return async () => {
    if (!given || performance.now() - since > RENEW_AFTER_MS) {
      given = logIn(send, email);
      since = performance.now();
    }
    return (await given).body.access;
  };
}

function createSender(url: string, agent: Agent): Shop['send'] {
  const { origin, pathname: stage } = new URL(url);
  return (method, path, call = {}) =>
    sendPatiently(() =>
      sendHttp(origin, `${stage}${path}`, { method, headers: callHeaders(call), body: call.body, agent }),
    );
}

function toSample({ name, status }: Kind, answer: HttpAnswer, ms: number): Sample {
  const timing = String(answer.headers['server-timing']);
  const timed = (part: string) => Number(new RegExp(`\\b${part};dur=([\\d.]+)`).exec(timing)?.[1] ?? 0);
  const fault = answer.status === status ? undefined : `${name}: ${answer.status} ${JSON.stringify(answer.body)}`;
  const functionMs = timed('auth') + timed('validation') + timed('handler');
  return { name, fault, ms, serverMs: timed('total'), functionMs, databaseMs: timed('dynamodb') };
}
