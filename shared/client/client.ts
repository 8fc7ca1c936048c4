import { BoticaError } from './error.ts';
import { type Credentials, createSession, type Session } from './session.ts';
import { createTransport, type Exchange, type Query, type Transport, type TransportOptions } from './transport.ts';
import type { Operations } from './types.ts';

export type { Credentials } from './session.ts';
export type * from './types.ts';
export { BoticaError, type TransportOptions as ClientOptions };

export type CallOptions = {
  /** Ends the call, its waiting included. */
  readonly signal?: AbortSignal | undefined;
};

export type CreateOptions = CallOptions & {
  /**
   * What the service knows this creation by, for 24 hours. Made by the client unless given: give your own, kept with
   * the basket, where a restart of your program must not place the order twice.
   */
  readonly idempotencyKey?: string;
};

const INVOICE = 'PUT /api/orders/{id}/request-invoice/';

type Body<Route extends keyof Operations> = Operations[Route] extends { body: infer Sent } ? Sent : never;
type Answer<Route extends keyof Operations> = Operations[Route]['answer'];
type ListRoute = { [R in keyof Operations]: Answer<R> extends { results: unknown[] } ? R : never }[keyof Operations];
type Item<Route extends ListRoute> = Answer<Route>['results'][number];

export type List<Route extends ListRoute> = {
  /** One page, with the exact count of all. */
  list(query?: Operations[Route]['query'], options?: CallOptions): Promise<Answer<Route>>;
  /** Every item from that page on; pages are fetched as the loop comes to them. */
  each(query?: Operations[Route]['query'], options?: CallOptions): AsyncGenerator<Item<Route>, void, undefined>;
};

export type Botica = {
  /** Checks the credentials; order calls then carry a token that is renewed by itself. They stay in memory only. */
  login(credentials: Credentials): Promise<void>;
  logout(): void;
  /** Prices a basket; creates nothing. */
  quote(
    basket: Body<'POST /api/orders/calculate/'>,
    options?: CallOptions,
  ): Promise<Answer<'POST /api/orders/calculate/'>>;
  readonly orders: List<'GET /api/orders/'> & {
    /** Places an order, once, however often it has to be sent. */
    create(
      order: Body<'POST /api/orders/resources/'>,
      options?: CreateOptions,
    ): Promise<Answer<'POST /api/orders/resources/'>>;
    get(id: number, options?: CallOptions): Promise<Answer<'GET /api/orders/{id}/'>>;
    /** Replaces the products, or ends the order. */
    update(
      id: number,
      change: Body<'PATCH /api/orders/{id}/'>,
      options?: CallOptions,
    ): Promise<Answer<'PATCH /api/orders/{id}/'>>;
    /** Invoices an order to these tax data, or to those with this id that its patient has already. */
    requestInvoice(
      id: number,
      invoicing: Body<typeof INVOICE>['invoicing'],
      options?: CallOptions,
    ): Promise<Answer<typeof INVOICE>>;
  };
  readonly products: List<'GET /api/products/'> & {
    get(id: number, options?: CallOptions): Promise<Answer<'GET /api/products/{id}/'>>;
  };
  readonly categories: List<'GET /api/categories/'>;
  readonly companies: List<'GET /api/pharmaceutical-companies/'>;
  readonly diseases: List<'GET /api/diseases/'>;
};

/** A client of one service, with one key and at most one user at a time. */
export function createClient(options: TransportOptions): Botica {
  const open = createTransport(options);
  let session: Session | undefined;
  const asUser: Transport = (exchange) => (session ? session.send(exchange) : open(exchange));

  return {
    async login(credentials) {
      const begun = createSession(open, credentials);
      await begun.renew();
      session = begun;
    },
    logout() {
      session = undefined;
    },
    quote: (basket, call) => ask(open, 'POST /api/orders/calculate/', { ...call, body: basket, kind: 'repeatable' }),
    orders: {
      ...listOf(asUser, 'GET /api/orders/'),
      create: (order, { idempotencyKey = crypto.randomUUID(), ...call } = {}) =>
        ask(asUser, 'POST /api/orders/resources/', {
          ...call,
          body: order,
          headers: { 'Idempotency-Key': idempotencyKey },
          kind: 'repeatable',
        }),
      get: (id, call) => ask(asUser, 'GET /api/orders/{id}/', { ...call, id, kind: 'repeatable' }),
      update: (id, change, call) => ask(asUser, 'PATCH /api/orders/{id}/', { ...call, id, body: change, kind: 'once' }),
      // Asking again is safe: the service records what it is about to do before it does it.
      requestInvoice: (id, invoicing, call) =>
        ask(asUser, INVOICE, { ...call, id, body: { invoicing }, kind: 'repeatable' }),
    },
    products: {
      ...listOf(open, 'GET /api/products/'),
      get: (id, call) => ask(open, 'GET /api/products/{id}/', { ...call, id, kind: 'repeatable' }),
    },
    categories: listOf(open, 'GET /api/categories/'),
    companies: listOf(open, 'GET /api/pharmaceutical-companies/'),
    diseases: listOf(open, 'GET /api/diseases/'),
  };
}

type Call = Omit<Exchange, 'method' | 'path'> & { readonly id?: number };

/** One call of a route; its types hold because they are made from the contract that the service itself answers by. */
async function ask<Route extends keyof Operations>(
  send: Transport,
  route: Route,
  { id, ...call }: Call,
): Promise<Answer<Route>> {
  const [method, path] = route.split(' ') as [Exchange['method'], string];
  const answer = await send({ ...call, method, path: path.replace('{id}', String(id)) });
  return answer as Answer<Route>;
}

type Page = { readonly next: string | null; readonly results: readonly unknown[] };

function listOf<Route extends ListRoute>(send: Transport, route: Route): List<Route> {
  const page = (query: Query | undefined, call: CallOptions | undefined) =>
    ask(send, route, { ...call, query, kind: 'repeatable' });

  return {
    list: (query, call) => page(query, call),
    async *each(query = {}, call) {
      for (let number = query.page ?? 1; ; number += 1) {
        const found: Page | undefined = await page({ ...query, page: number }, call).catch(atTheEnd(number));
        if (!found) return;
        yield* found.results as Item<Route>[];
        if (found.next === null) return;
      }
    },
  };
}

// A list that has become shorter meanwhile ends before the page that it had announced.
const atTheEnd = (page: number) => (error: unknown) => {
  if (page > 1 && error instanceof BoticaError && error.status === 404) return undefined;
  throw error;
};
