import {
  type Body,
  type CallOptions,
  callRoute,
  createList,
  type EventBatch,
  type EventQuery,
  type FollowOptions,
  type FollowQuery,
  followEvents,
  readCursor,
} from './calls.ts';
import { BoticaError } from './error.ts';
import { type Credentials, createSession, type Session } from './session.ts';
import { createTransport, type RateLimit, type Transport, type TransportOptions } from './transport.ts';
import type { Operations, PaymentTry } from './types.ts';

export type { CallOptions, EventBatch, List } from './calls.ts';
export type { Credentials } from './session.ts';
export type * from './types.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.ts';
export { BoticaError, type RateLimit, type TransportOptions as ClientOptions };

export type OrderOptions = CallOptions & {
  /** Parts of the order to add to the answer. */
  readonly include?: NonNullable<Operations['GET /api/orders/{id}/']['query']>['include'];
};

export type CreateOptions = CallOptions & {
  /**
   * The service recognizes the request by this key for 24 hours. The client makes a key unless you give one: store your
   * own with the basket if a restart of your program must not place the order twice.
   */
  readonly idempotencyKey?: string;
};

const ADD_PRESCRIPTIONS = 'POST /api/orders/{id}/prescriptions/';
const INVOICE = 'PUT /api/orders/{id}/request-invoice/';
const ORDER_EVENTS = 'GET /api/orders/{id}/events/';
const PAY = 'POST /api/orders/{id}/payment/';
const SUBSTITUTES = 'GET /api/products/{id}/substitutes/';
const AVAILABILITY = 'GET /api/products/{id}/availability/';

/** A client with one API key and at most one user at a time. */
export type Botica = ReturnType<typeof createClient>;

export function createClient(options: TransportOptions) {
  let rateLimit: RateLimit | undefined;
  const open = createTransport(options, (limit) => {
    rateLimit = limit;
  });
  let session: Session | undefined;
  const asUser: Transport = (exchange) => (session ? session.send(exchange) : open(exchange));
  const listEvents = async (query: EventQuery = {}, call?: CallOptions): Promise<EventBatch> => {
    const asked = { ...query, cursor: query.cursor ?? '' };
    const found = await callRoute(asUser, 'GET /api/events/', { ...call, query: asked, kind: 'repeatable' });
    return { events: found.results, cursor: readCursor(found) ?? asked.cursor };
  };

  return {
    /** The requests that are left, by the last answer that told them; undefined before the first. */
    get rateLimit() {
      return rateLimit;
    },
    /**
     * Checks the credentials and keeps them in memory; order calls then carry a token that the client renews. When the service
     * later refuses them with `wrong_credentials`, the client forgets them, and order calls reject with that until the next
     * `login`; after `too_many_attempts` they do so until `Retry-After` has passed.
     */
    async login(credentials: Credentials): Promise<void> {
      const begun = createSession(open, credentials);
      await begun.renew();
      session = begun;
    },
    logout(): void {
      session = undefined;
    },
    /** Returns the profile of the user, with the ids of the address and tax data that are kept. */
    me: (call?: CallOptions) => callRoute(asUser, 'GET /api/me/', { ...call, kind: 'repeatable' }),
    /** Changes fields of the user's own profile. */
    updateProfile: (changes: Body<'PATCH /api/me/'>, call?: CallOptions) =>
      callRoute(asUser, 'PATCH /api/me/', { ...call, body: changes, kind: 'once' }),
    /** Returns what is stored about the user; `cursor` is that of `next` of the answer before. */
    exportProfile: (query?: Operations['GET /api/me/export/']['query'], call?: CallOptions) =>
      callRoute(asUser, 'GET /api/me/export/', { ...call, query, kind: 'repeatable' }),
    /** Has a link for a new password mailed to a user, if there is one with this e-mail. */
    async requestPassword(email: string, call?: CallOptions): Promise<void> {
      await callRoute(open, 'POST /api/password/', { ...call, body: { email }, kind: 'once' });
    },
    /** Sets a password by the `token` of a mailed link. */
    resetPassword: (body: Body<'PUT /api/password/'>, call?: CallOptions): Promise<void> =>
      // A token works once: after a lost answer, its refusal would hide that the password is set.
      callRoute(open, 'PUT /api/password/', { ...call, body, kind: 'once' }),
    /** Prices a basket and creates nothing. */
    quote: (basket: Body<'POST /api/orders/calculate/'>, call?: CallOptions) =>
      callRoute(open, 'POST /api/orders/calculate/', { ...call, body: basket, kind: 'repeatable' }),
    orders: createOrders(asUser),
    events: {
      /** Returns the events behind a cursor, for whoever asks from time to time; insurance employees only. */
      list: listEvents,
      /**
       * Yields the events behind a cursor in batches, and goes on asking until `signal` is aborted. Store `cursor` when a batch
       * is worked through, and begin with it the next time.
       */
      follow: (query?: FollowQuery, call?: FollowOptions) => followEvents(listEvents, query, call),
    },
    products: {
      ...createList(open, 'GET /api/products/'),
      get: (id: number, call?: CallOptions) =>
        callRoute(open, 'GET /api/products/{id}/', { ...call, id, kind: 'repeatable' }),
      /** Returns a page of medicines that may stand for this one, cheapest first. */
      substitutes: (id: number, query?: Operations[typeof SUBSTITUTES]['query'], call?: CallOptions) =>
        callRoute(open, SUBSTITUTES, { ...call, id, query, kind: 'repeatable' }),
      /** Returns what every store has of it. */
      availability: (id: number, call?: CallOptions) =>
        callRoute(open, AVAILABILITY, { ...call, id, kind: 'repeatable' }),
    },
    categories: createList(open, 'GET /api/categories/'),
    companies: createList(open, 'GET /api/pharmaceutical-companies/'),
    diseases: createList(open, 'GET /api/diseases/'),
    /** The stores where an order can be picked up. */
    stores: createList(open, 'GET /api/stores/'),
    /** The payment methods that the user may choose. */
    paymentMethods: createList(asUser, 'GET /api/payment-methods/'),
  };
}

const createOrders = (send: Transport) => ({
  ...createList(send, 'GET /api/orders/'),
  /** Places an order exactly once, even if it is sent several times. */
  create: (order: Body<'POST /api/orders/resources/'>, call?: CreateOptions & OrderOptions) =>
    callRoute(send, 'POST /api/orders/resources/', { ...underKey(including(call)), body: order }),
  get: (id: number, call?: OrderOptions) =>
    callRoute(send, 'GET /api/orders/{id}/', { ...including(call), id, kind: 'repeatable' }),
  /** Adds prescriptions to an order that waits for approval, exactly once. */
  addPrescriptions: (id: number, body: Body<typeof ADD_PRESCRIPTIONS>, call?: CreateOptions) =>
    callRoute(send, ADD_PRESCRIPTIONS, { ...underKey(call), id, body }),
  /** Replaces the products or cancels the order. */
  update: (id: number, change: Body<'PATCH /api/orders/{id}/'>, call?: OrderOptions) =>
    callRoute(send, 'PATCH /api/orders/{id}/', { ...including(call), id, body: change, kind: 'once' }),
  /**
   * Gets a new reference to pay an order that is collected online, or the present one while it works; with another
   * `payment_method`, one of that.
   */
  pay: (id: number, body: Body<typeof PAY> = {}, call?: CallOptions) =>
    callRoute(send, PAY, { ...call, id, body, kind: 'repeatable' }),
  /** Returns the tries to collect an order online, the present one first. */
  async payments(id: number, call?: CallOptions): Promise<PaymentTry[]> {
    const query = { include: ['payments'] };
    const order = await callRoute(send, 'GET /api/orders/{id}/', { ...call, id, query, kind: 'repeatable' });
    return order.payments ?? [];
  },
  /** Invoices an order to these tax data, or to the patient's stored tax data with this id. */
  requestInvoice: (id: number, invoicing: Body<typeof INVOICE>['invoicing'], call?: CallOptions) =>
    // Repeating is safe: the service records each invoice before it issues it.
    callRoute(send, INVOICE, { ...call, id, body: { invoicing }, kind: 'repeatable' }),
  /** Returns a page of what has happened to an order, the oldest first. */
  events: (id: number, query?: Operations[typeof ORDER_EVENTS]['query'], call?: CallOptions) =>
    callRoute(send, ORDER_EVENTS, { ...call, id, query, kind: 'repeatable' }),
});

const including = <Options extends OrderOptions>({ include, ...call }: Options = {} as Options) => ({
  ...call,
  ...(include && { query: { include } }),
});

const underKey = ({ idempotencyKey = crypto.randomUUID(), ...call }: CreateOptions = {}) => ({
  ...call,
  headers: { 'Idempotency-Key': idempotencyKey },
  kind: 'repeatable' as const,
});
