import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { DEMO_USERS } from '../../../infra/local/demonstration.ts';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { type Call, callHeaders } from '../http/call.ts';
import { type HttpAnswer, sendHttp } from '../http/http.ts';
import { orderBody } from '../orders/samples.ts';
import { sendPatiently } from '../proofs/patience.ts';

/** The caller: an insurance employee of the demonstration client, with the orders that it placed and has not changed. */
type Shop = {
  readonly send: (method: string, path: string, call?: Call) => Promise<HttpAnswer>;
  readonly token: () => Promise<string>;
  readonly orders: number[];
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

async function place({ send, token, orders }: Shop, email: string, key: string = randomUUID()): Promise<HttpAnswer> {
  const headers = { 'Idempotency-Key': key };
  const body = orderBody(`${email}@load.example`, { details: lines(2) });
  const answer = await send('POST', '/api/orders/resources/', { token: await token(), headers, body });
  if (answer.status === 201 && answer.headers['idempotent-replayed'] === undefined) orders.push(answer.body.id);
  return answer;
}

async function change({ send, token, orders }: Shop, body: object): Promise<HttpAnswer> {
  const id = orders.shift();
  const answer = await send('PATCH', `/api/orders/${id}/`, { token: await token(), body });
  if (answer.status === 200 && id !== undefined && answer.body.order_status !== 'cancelled') orders.push(id);
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
    ask: async ({ send, token, orders }, nth) =>
      send('GET', `/api/orders/${one(orders, nth)}/`, { token: await token() }),
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

/** Opens the traffic of the demonstration client, with one order for each patient. */
export async function openTraffic(url: string) {
  const { origin, pathname: stage } = new URL(url);
  const agent = new Agent();
  const send: Shop['send'] = (method, path, call = {}) =>
    sendPatiently(() =>
      sendHttp(origin, `${stage}${path}`, { method, headers: callHeaders(call), body: call.body, agent }),
    );
  const shop: Shop = { send, token: createTokenSource(send, 'aseguradora@demo.example'), orders: [] };
  for (let nth = 0; nth < PATIENTS; nth++) await place(shop, `known-${nth}`);
  const asked = new Map<Kind, number>();
  let turn = 0;
  return {
    /** Sends the next request of the sequence, and returns what was wrong with its answer. */
    async ask(): Promise<{ readonly fault: string | undefined }> {
      const kind = one(SEQUENCE, turn++);
      const nth = asked.get(kind) ?? 0;
      asked.set(kind, nth + 1);
      const { status, body } = await kind.ask(shop, nth);
      return { fault: status === kind.status ? undefined : `${kind.name}: ${status} ${JSON.stringify(body)}` };
    },
  };
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
