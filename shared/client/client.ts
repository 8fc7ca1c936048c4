import { BoticaError } from './error.ts';
import { type Credentials, createSession, type Session } from './session.ts';
import { createTransport, type Exchange, type Query, type Transport, type TransportOptions } from './transport.ts';
import type { Operations } from './types.ts';

export type { Credentials } from './session.ts';
export type * from './types.ts';
export { BoticaError, type TransportOptions as ClientOptions };

export type CallOptions = {
  /** Aborts the call, also while it waits for its next attempt. */
  readonly signal?: AbortSignal | undefined;
};

export type CreateOptions = CallOptions & {
  /**
   * The service recognizes the order by this key for 24 hours. The client makes a key unless you give one: store your
   * own with the basket if a restart of your program must not place the order twice.
   */
  readonly idempotencyKey?: string;
};

const INVOICE = 'PUT /api/orders/{id}/request-invoice/';

type Body<Route extends keyof Operations> = Operations[Route] extends { body: infer Sent } ? Sent : never;
type Answer<Route extends keyof Operations> = Operations[Route]['answer'];
type ListRoute = { [R in keyof Operations]: Answer<R> extends { results: unknown[] } ? R : never }[keyof Operations];
type Item<Route extends ListRoute> = Answer<Route>['results'][number];

export type List<Route extends ListRoute> = {
  /** Returns a page with the exact count of all pages. */
  list(query?: Operations[Route]['query'], options?: CallOptions): Promise<Answer<Route>>;
  /** Yields every item from that page on, and fetches each page when the loop reaches it. */
  each(query?: Operations[Route]['query'], options?: CallOptions): AsyncGenerator<Item<Route>, void, undefined>;
};

export type Botica = {
  /**
   * Checks the credentials and keeps them in memory; order calls then carry a token that the client renews. When the service
   * later refuses them with `wrong_credentials`, the client forgets them, and order calls reject with that until the next
   * `login`; after `too_many_attempts` they do so until `Retry-After` has passed.
   */
  login(credentials: Credentials): Promise<void>;
  logout(): void;
  /** Prices a basket and creates nothing. */
  quote(
    basket: Body<'POST /api/orders/calculate/'>,
    options?: CallOptions,
  ): Promise<Answer<'POST /api/orders/calculate/'>>;
  readonly orders: List<'GET /api/orders/'> & {
    /** Places an order exactly once, even if it is sent several times. */
    create(
      order: Body<'POST /api/orders/resources/'>,
      options?: CreateOptions,
    ): Promise<Answer<'POST /api/orders/resources/'>>;
    get(id: number, options?: CallOptions): Promise<Answer<'GET /api/orders/{id}/'>>;
    /** Replaces the products or cancels the order. */
    update(
      id: number,
      change: Body<'PATCH /api/orders/{id}/'>,
      options?: CallOptions,
    ): Promise<Answer<'PATCH /api/orders/{id}/'>>;
    /** Invoices an order to these tax data, or to the patient's stored tax data with this id. */
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

/** Creates a client with one API key and at most one user at a time. */
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
    quote: (basket, call) =>
      callRoute(open, 'POST /api/orders/calculate/', { ...call, body: basket, kind: 'repeatable' }),
    orders: {
      ...createList(asUser, 'GET /api/orders/'),
      create: (order, { idempotencyKey = crypto.randomUUID(), ...call } = {}) =>
        callRoute(asUser, 'POST /api/orders/resources/', {
          ...call,
          body: order,
          headers: { 'Idempotency-Key': idempotencyKey },
          kind: 'repeatable',
        }),
      get: (id, call) => callRoute(asUser, 'GET /api/orders/{id}/', { ...call, id, kind: 'repeatable' }),
      update: (id, change, call) =>
        callRoute(asUser, 'PATCH /api/orders/{id}/', { ...call, id, body: change, kind: 'once' }),
      // Repeating is safe: the service records each invoice before it issues it.
      requestInvoice: (id, invoicing, call) =>
        callRoute(asUser, INVOICE, { ...call, id, body: { invoicing }, kind: 'repeatable' }),
    },
    products: {
      ...createList(open, 'GET /api/products/'),
      get: (id, call) => callRoute(open, 'GET /api/products/{id}/', { ...call, id, kind: 'repeatable' }),
    },
    categories: createList(open, 'GET /api/categories/'),
    companies: createList(open, 'GET /api/pharmaceutical-companies/'),
    diseases: createList(open, 'GET /api/diseases/'),
  };
}

type Call = Omit<Exchange, 'method' | 'path'> & { readonly id?: number };

/** Calls a route. The types come from the contract that the service checks its answers against. */
async function callRoute<Route extends keyof Operations>(
  send: Transport,
  route: Route,
  { id, ...call }: Call,
): Promise<Answer<Route>> {
  const [method, path] = route.split(' ') as [Exchange['method'], string];
  const answer = await send({ ...call, method, path: path.replace('{id}', String(id)) });
  return answer as Answer<Route>;
}

type Page = { readonly next: string | null; readonly results: readonly unknown[] };

function createList<Route extends ListRoute>(send: Transport, route: Route): List<Route> {
  const page = (query: Query | undefined, call: CallOptions | undefined) =>
    callRoute(send, route, { ...call, query, kind: 'repeatable' });

  return {
    list: (query, call) => page(query, call),
    async *each(query = {}, call) {
      for (let number = query.page ?? 1; ; number += 1) {
        const found: Page | undefined = await page({ ...query, page: number }, call).catch(endAfterLastPage(number));
        if (!found) return;
        yield* found.results as Item<Route>[];
        if (found.next === null) return;
      }
    },
  };
}

// A list may have become shorter since its last page announced a next one.
const endAfterLastPage = (page: number) => (error: unknown) => {
  if (page > 1 && error instanceof BoticaError && error.status === 404) return undefined;
  throw error;
};
