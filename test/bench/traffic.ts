import { randomUUID } from 'node:crypto';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { callHeaders, type HttpAnswer, sendHttp } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';
import { sendPatiently } from '../support/proofs/patience.ts';

/** The caller: an insurance employee of the demonstration client, with the orders that it placed and has not changed. */
type Shop = {
  call(method: string, path: string, body?: object, key?: string): Promise<HttpAnswer>;
  readonly orders: number[];
  token: string;
};

/** A kind of request: its share in percent, the only status that counts as a success, and how it is sent. */
type Kind = readonly [share: number, status: number, ask: (shop: Shop, nth: number) => Promise<HttpAnswer>];

const PLACE = '/api/orders/resources/';
const PRODUCTS = [1, 2, 3, 5, 7];
const WORDS = ['paracetamol', 'acido', 'tabletas+500', 'gel', 'ibu'];
const LISTS = ['categories', 'pharmaceutical-companies', 'diseases'];
const ORDER_LISTS = ['', 'limit=5&page=2', 'order_status__in=approved', 'payment_status__in=unpaid'];
const PATIENTS = 8;

const one = <Value>(values: readonly Value[], nth: number): Value => values[nth % values.length] as Value;
const lines = (quantity: number) => PRODUCTS.map((product) => ({ product, quantity }));

async function place({ call, orders }: Shop, email: string, key: string = randomUUID()): Promise<HttpAnswer> {
  const answer = await call('POST', PLACE, orderBody(`${email}@load.example`, { details: lines(2) }), key);
  if (answer.status === 201 && answer.headers['idempotent-replayed'] === undefined) orders.push(answer.body.id);
  return answer;
}

async function change({ call, orders }: Shop, body: object): Promise<HttpAnswer> {
  const id = orders.shift();
  const answer = await call('PATCH', `/api/orders/${id}/`, body);
  if (answer.status === 200 && id !== undefined && answer.body.order_status !== 'cancelled') orders.push(id);
  return answer;
}

/** A login gives the token of all later requests, long before it ends. */
async function logIn(shop: Shop): Promise<HttpAnswer> {
  const login = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const answer = await shop.call('POST', '/api/token/', login);
  shop.token = answer.body.access;
  return answer;
}

/** Of 100 requests, 83 need no database and 4 place an order; every one must succeed. */
const MIX: readonly Kind[] = [
  [22, 200, ({ call }, nth) => call('GET', `/api/products/?page=${(nth % 6) + 1}`)],
  [15, 200, ({ call }, nth) => call('GET', `/api/products/?search=${one(WORDS, nth)}`)],
  [20, 200, ({ call }, nth) => call('GET', `/api/products/${one(PRODUCTS, nth)}/`)],
  [6, 200, ({ call }, nth) => call('GET', `/api/${one(LISTS, nth)}/`)],
  [
    20,
    201,
    ({ call }, nth) => call('POST', '/api/orders/calculate/', { details: lines((nth % 5) + 1), zipcode: '06700' }),
  ],
  [2, 200, ({ call }, nth) => call('GET', `/api/orders/?${one(ORDER_LISTS, nth)}`)],
  [1, 200, ({ call }) => call('GET', '/api/orders/?search=paz')],
  [7, 200, ({ call, orders }, nth) => call('GET', `/api/orders/${one(orders, nth)}/`)],
  [2, 201, (shop, nth) => place(shop, `new-${nth}`)],
  [1, 201, (shop, nth) => place(shop, `known-${nth % PATIENTS}`)],
  // Each is sent twice, as by a client that lost the first answer.
  [1, 201, (shop, nth) => place(shop, `keyed-${nth >> 1}`, `load-order-${nth >> 1}`)],
  [1, 200, (shop, nth) => change(shop, { details: lines((nth % 3) + 1) })],
  [1, 200, (shop) => change(shop, { order_status: 'cancelled' })],
  [1, 200, logIn],
];

// The stride is coprime to 100, which spreads the requests of one kind over the whole sequence.
const STRIDE = 37;
const ALL = MIX.flatMap((kind) => Array<Kind>(kind[0]).fill(kind));
const SEQUENCE = ALL.map((_, turn) => one(ALL, turn * STRIDE));

/** Opens the traffic of the demonstration client, with one order for each patient. */
export async function openTraffic(url: string) {
  const { origin, pathname: stage } = new URL(url);
  const shop: Shop = {
    call(method, path, body, key) {
      const headers = {
        ...callHeaders(shop.token ? { token: shop.token } : {}),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      };
      return sendPatiently(() => sendHttp(origin, `${stage}${path}`, { method, headers, body }));
    },
    orders: [],
    token: '',
  };
  const faults = new Set<string>();
  const note = (status: number, answer: HttpAnswer) => {
    if (answer.status !== status) faults.add(`${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await logIn(shop);
  for (let nth = 0; nth < PATIENTS; nth++) await place(shop, `known-${nth}`);
  const counts = new Map<Kind, number>();
  let turn = 0;
  return {
    /** The wrong answers, each once. */
    faults: faults as ReadonlySet<string>,
    /** Sends the next request of the sequence. */
    async ask(): Promise<void> {
      const kind = one(SEQUENCE, turn++);
      const nth = counts.get(kind) ?? 0;
      counts.set(kind, nth + 1);
      const [, status, ask] = kind;
      note(status, await ask(shop, nth));
    },
    /** Places an order with all that the body has, such as a prescription. */
    placeOne: async (body: object): Promise<void> => note(201, await shop.call('POST', PLACE, body)),
  };
}
