import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { issueAccessToken } from '../../shared/access/authenticate.ts';
import type { OrderListItem } from '../../shared/api/orders/order-list.ts';
import type { Order } from '../../shared/api/orders/orders.ts';
import { ids, table, tokenKeys } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { readCounts } from '../../shared/order/lists/counters.ts';
import { listOpenOrders, OPEN_STATUSES } from '../../shared/order/lists/queue.ts';
import { toViewer } from '../../shared/order/order.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../shared/order/rules/status.ts';
import { moveOrder } from '../../shared/ordering/move-order.ts';
import { movePayment } from '../../shared/payments/move-payment.ts';
import type { Role } from '../../shared/people/rules/roles.ts';
import { createUser, type UserRecord } from '../../shared/people/users.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import {
  BORDER_ZIPCODES,
  COUPON_CODES,
  DELIVERIES,
  type Filters,
  figuresOf,
  type Given,
  type Line,
  MOVES,
  type ModelOrder,
  type Names,
  nameOf,
  OrderModel,
  PAYMENTS,
  type Placing,
  PRODUCTS,
  type Refused,
  STOCK,
  type Who,
} from '../support/orders/order-model.ts';
import { ADDRESS } from '../support/orders/samples.ts';
import { openTrackedStock } from '../support/orders/tracked-stock.ts';
import { withPatience } from '../support/proofs/patience.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

const SEQUENCES = tries(5, 300);
const COMMANDS = 30;
// This is a Monday, 9:00 in Mexico City.
const START = Date.parse('2026-11-23T15:00:00.000Z');
const MISSING = 99_999_999;
// More than all sequences of a run leave open.
const MOST_OPEN = 50_000;

const named = (first: string, last: string, second?: string): Names => ({ first, last, ...(second && { second }) });
/** Two spellings of the name of each of four patients; the names share words. */
const PATIENTS: readonly (readonly Names[])[] = [
  [named('Ana', 'Paz'), named('Ana María', 'Paz', 'Luna')],
  [named('José Ángel', 'Núñez', 'Íñiguez'), named('JOSÉ', 'Núñez')],
  [named('María José', 'de la Peña', 'Paz'), named('Mariana', 'de la Peña')],
  [named('Óscar', 'Güemes'), named('Oscar', 'Guemes', 'Ñandú')],
];
const SEARCHES = 'ana,JOSE,nunez,NÚÑEZ josé,paz  ana,peña,pena maria,guemes,ü,n,nadie,ñ z'.split(',');
const patientEmail = (patient: number) => `patient-${patient}@example.mx`;
const WHO: Readonly<Record<Who, { readonly role: Role; readonly email: string; readonly names: Names }>> = {
  employee: { role: 'insurance_employee', email: 'employee@example.mx', names: named('Eva', 'Vega') },
  'doctor a': { role: 'doctor', email: 'doctor-a@example.mx', names: named('Dora', 'Castro') },
  'doctor b': { role: 'doctor', email: 'doctor-b@example.mx', names: named('Benito', 'Rey') },
  'patient 0': { role: 'patient', email: patientEmail(0), names: PATIENTS[0]?.[0] as Names },
  'patient 1': { role: 'patient', email: patientEmail(1), names: PATIENTS[1]?.[0] as Names },
};
const everybody = Object.keys(WHO) as Who[];

/** Picks a status by index, from those allowed next if `isNext` and from all of them otherwise. */
type StatusChoice = { readonly index: number; readonly isNext: boolean };
type Command =
  | { readonly kind: 'place'; readonly placing: Placing }
  | { readonly kind: 'change'; readonly who: Who; readonly order: number; readonly details: readonly Line[] }
  | { readonly kind: 'cancel'; readonly who: Who; readonly order: number }
  | { readonly kind: 'detail'; readonly who: Who; readonly order: number }
  | { readonly kind: 'move'; readonly order: number; readonly to: StatusChoice }
  | { readonly kind: 'pay'; readonly order: number; readonly to: StatusChoice }
  | { readonly kind: 'list'; readonly who: Who; readonly filters: Filters };
type OneOrder = Extract<Command, { kind: 'change' | 'cancel' | 'detail' }>;
type Operation = Extract<Command, { kind: 'move' | 'pay' }>;
type Step = { readonly command: Command; readonly minutes: number };

// The users who see the most orders are drawn most often.
const who = fc.constantFrom<Who>('employee', 'employee', 'employee', 'doctor a', ...everybody);
const order = fc.nat({ max: 1_000 });
const details = fc.array(
  fc.record({
    product: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(1, 5, 121, 122) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(PRODUCTS).map(Number)) },
    ),
    quantity: fc.nat({ max: 5 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const placing = fc
  .record({
    who,
    patient: fc.nat({ max: 3 }),
    spelling: fc.nat({ max: 1 }),
    details,
    coupon: fc.option(fc.constantFrom(...COUPON_CODES)),
    delivery: fc.constantFrom(...(['standard', 'standard', 'express', 'discounted', 'store', 'default'] as const)),
    isOnCredit: fc.boolean(),
  })
  .map(({ spelling, ...rest }): Placing => ({ ...rest, names: PATIENTS[rest.patient]?.[spelling] as Names }));
const drawSome = <Value>(values: readonly Value[]) => fc.subarray([...values], { minLength: 1 });
const day = fc
  .integer({ min: 23, max: 36 })
  .map((offset) => new Date(Date.UTC(2026, 10, offset)).toISOString().slice(0, 10));
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const ordering = fc
  .subarray(['created_at', 'expected_delivery_date'], { minLength: 1 })
  .chain((fields) =>
    fc.tuple(
      fc.shuffledSubarray(fields, { minLength: fields.length }),
      fc.array(fc.constantFrom('', '-'), { minLength: 2, maxLength: 2 }),
    ),
  )
  .map(([fields, signs]) => fields.map((field, index) => `${signs[index]}${field}`));
const filters = fc
  .record({
    patient: optional(fc.nat({ max: 4 })),
    included: optional(drawSome(ORDER_STATUSES)),
    excluded: optional(drawSome(ORDER_STATUSES)),
    payments: optional(drawSome(PAYMENT_STATUSES)),
    expectedFrom: optional(day),
    expectedUntil: optional(day),
    maxFrom: optional(day),
    maxUntil: optional(day),
    search: optional(fc.constantFrom(...SEARCHES)),
    ordering: optional(ordering),
    page: fc.constantFrom(1, 1, 1, 1, 2),
    limit: fc.constantFrom(2, 3, 20, 100),
  })
  // A list gets two filters at most, because all of them together would match nothing.
  .chain((all) =>
    fc
      .subarray(
        Object.keys(all).filter((name) => name !== 'page' && name !== 'limit'),
        { maxLength: 2 },
      )
      .map((kept) => {
        const wanted = Object.entries(all).filter(([name, value]) => value !== undefined && kept.includes(name));
        return { ...Object.fromEntries(wanted), page: all.page, limit: all.limit } as Filters;
      }),
  );
const whither = fc.record({ index: fc.nat({ max: 1_000 }), isNext: fc.constantFrom(true, true, true, false) });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: placing.map((sent) => ({ kind: 'place' as const, placing: sent })) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), who, order, details }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), who, order }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('detail' as const), who, order }) },
  { weight: 9, arbitrary: fc.record({ kind: fc.constantFrom('move', 'move', 'pay'), order, to: whither }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('list' as const), who, filters }) },
);
const sequence = fc.array(fc.record({ command, minutes: fc.constantFrom(0, 0, 1, 61, 500) }), {
  minLength: COMMANDS,
  maxLength: COMMANDS,
});

let server: TestServer;
let tracked: Awaited<ReturnType<typeof openTrackedStock>>;
beforeAll(async () => {
  server = withPatience(await openServer({ settings: { BORDER_ZIPCODES } }));
  tracked = await openTrackedStock(Object.keys(STOCK).map(Number));
});
afterEach(() => setClock());
afterAll(() => server.close());

type Users = ReadonlyMap<Who, UserRecord>;

/** A new client with its users, and the model that predicts its answers. */
class World {
  readonly model: OrderModel;
  readonly #key: string;
  readonly #client: number;
  readonly #users: Users;
  now = new Date(START);

  private constructor(client: number, key: string, users: Users, model: OrderModel) {
    this.#client = client;
    this.#key = key;
    this.#users = users;
    this.model = model;
  }

  static async open(): Promise<World> {
    const { client, key } = await server.addClient('Modelo');
    await tracked.refill(STOCK);
    const users = new Map<Who, UserRecord>();
    for (const name of everybody) {
      const { role, email, names } = WHO[name];
      const person = { firstName: names.first, lastName: names.last, secondLastName: names.second ?? null };
      const user = { ...person, clientId: client.id, role, email, phone: '', passwordHash: null };
      users.set(name, await createUser(table(), ids(), user, new Date(START)));
    }
    const known = new Map([WHO['patient 0'].names, WHO['patient 1'].names].entries());
    return new World(client.id, key, users, new OrderModel(known));
  }

  async step({ command: next, minutes }: Step): Promise<void> {
    this.now = new Date(this.now.getTime() + minutes * 60_000);
    setClock(this.now);
    if (next.kind === 'place') return this.#place(next.placing);
    if (next.kind === 'list') return this.#list(next.who, next.filters);
    if (next.kind === 'move' || next.kind === 'pay') return this.#operate(next);
    return this.#oneOrder(next);
  }

  async #ask(by: Who, method: string, path: string, body?: object): Promise<HttpAnswer> {
    const user = this.#users.get(by);
    if (!user) throw new Error(`nobody is ${by}`);
    const subject = { client: this.#client, user };
    const token = await issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 900, now: this.now });
    return server.invoke(method, path, { token, key: this.#key, ...(body && { body }) });
  }

  async #place(sent: Placing): Promise<void> {
    const refused = this.model.refusesToPlace(sent);
    const answer = await this.#ask(sent.who, 'POST', '/api/orders/resources/', toOrderBody(sent));
    if (refused) return expectRefused(answer, refused);
    expect(answer.status).toBe(201);
    const given = toGiven(answer.body);
    expect(given.createdAt).toBe(this.now.toISOString());
    expect(given.id).toBeGreaterThan(this.model.orders.at(-1)?.id ?? 0);
    expect(given.patientId).toBe(this.model.patientId(sent.patient) ?? given.patientId);
    this.model.place(sent, given);
    expect(toComparable(answer.body)).toEqual(this.#expected(this.model.orders.at(-1)));
    await this.#expectSameQuote(answer.body, sent);
  }

  async #expectSameQuote(order: Order, { details: lines, coupon }: Placing): Promise<void> {
    const { shipping, store, shipping_method: method } = order;
    // A doctor does not see the default address of the patient.
    if (!shipping && !store) return;
    const place = store ? { store: store.id } : { zipcode: shipping?.zipcode, shipping_method: method.id };
    const body = { details: lines, coupon, ...place };
    const quoted = await server.invoke('POST', '/api/orders/calculate/', { key: this.#key, body });
    expect(pickAmounts(quoted.body)).toEqual(pickAmounts(order));
  }

  async #oneOrder(next: OneOrder): Promise<void> {
    const found = this.#pick(next.order);
    const path = `/api/orders/${found?.id ?? MISSING}/`;
    const answer = await this.#send(next, path);
    if (!found || !this.model.seen(found, next.who)) return expectRefused(answer, 'not_found');
    const refused = this.#applyToModel(next, found);
    if (refused) return expectRefused(answer, refused);
    expect(answer.status).toBe(200);
    expect(toGiven(answer.body)).toEqual(pickGiven(found));
    expect(toComparable(answer.body)).toEqual(this.#expected(found));
  }

  #send(next: OneOrder, path: string): Promise<HttpAnswer> {
    if (next.kind === 'detail') return this.#ask(next.who, 'GET', path);
    const body = next.kind === 'cancel' ? { order_status: 'cancelled' } : { details: next.details };
    return this.#ask(next.who, 'PATCH', path, body);
  }

  #applyToModel(next: OneOrder, found: ModelOrder) {
    if (next.kind === 'detail') return undefined;
    const { kind, who: by } = next;
    return kind === 'cancel' ? this.model.cancel(found, by) : this.model.change(found, next.details, by);
  }

  async #operate(next: Operation): Promise<void> {
    const found = this.#pick(next.order);
    const id = found?.id ?? MISSING;
    const deps = { table: table(), business: business() };
    const to = chooseStatus(next, found);
    const work =
      next.kind === 'move'
        ? moveOrder({ id, to: to as OrderStatus, operator: 'ana', now: this.now }, deps)
        : movePayment({ id, to: to as PaymentStatus, form: '03', operator: 'ana', now: this.now }, deps);
    const outcome = await work.then(
      () => undefined,
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    );
    if (!found) return expect(outcome).toBe('not_found');
    const refused = next.kind === 'move' ? this.model.move(found, to) : this.model.pay(found, to);
    expect(outcome).toBe(refused);
  }

  async #list(by: Who, wanted: Filters): Promise<void> {
    // A patient without orders has no id yet and gets the id of a missing record.
    const patient = wanted.patient === undefined ? undefined : (this.model.patientId(wanted.patient) ?? MISSING);
    const asked = patient === undefined ? wanted : { ...wanted, patient };
    const answer = await this.#ask(by, 'GET', `/api/orders/?${toListQuery(asked)}`);
    const listed = this.model.list(by, asked);
    if (!listed) return expectRefused(answer, 'not_found');
    expect(answer.status).toBe(200);
    const { count, results }: { count: number; results: OrderListItem[] } = answer.body;
    expect({ count, ids: results.map(({ id }) => id) }).toEqual({
      count: listed.count,
      ids: listed.page.map(({ id }) => id),
    });
    expect(results).toMatchObject(listed.page.map(toExpectedListItem));
  }

  /** Expects that the counters of every user match the orders they may see. */
  async expectCounts(): Promise<void> {
    for (const [name, user] of this.#users) {
      const { counts } = await readCounts(table(), { clientId: this.#client, viewer: toViewer(user) });
      const counted = counts.filter(({ orders }) => orders !== 0);
      const pairs = counted.map(({ orderStatus, paymentStatus, orders }) => [
        `${orderStatus} ${paymentStatus}`,
        orders,
      ]);
      expect(Object.fromEntries(pairs), name).toEqual(this.model.counts(name));
    }
  }

  /** Expects that nothing is reserved or sold beside the orders of the model. */
  async expectStock(): Promise<void> {
    for (const product of Object.keys(STOCK).map(Number)) {
      expect(await tracked.sinceRefill(product), `stock of ${product}`).toEqual(this.model.stock(product));
    }
  }

  /** Expects that the operator's queue has the open orders as they are, the oldest first. */
  async expectQueue(): Promise<void> {
    const { orders } = await listOpenOrders(table(), { statuses: OPEN_STATUSES, limit: MOST_OPEN });
    const open = this.model.orders.filter(
      ({ orderStatus }) => orderStatus !== 'delivered' && orderStatus !== 'cancelled',
    );
    expect(orders.filter(({ clientId }) => clientId === this.#client)).toMatchObject(open.map(toExpectedQueued));
  }

  #pick(index: number): ModelOrder | undefined {
    return this.model.orders[index % Math.max(1, this.model.orders.length)];
  }

  #expected(found: ModelOrder | undefined) {
    if (!found) throw new Error('the model has no order');
    return {
      ...figuresOf(found),
      details: found.details,
      coupon: found.coupon,
      order_status: found.orderStatus,
      payment_status: found.paymentStatus,
      name: nameOf(found),
    };
  }
}

function toOrderBody({ patient, names, details: lines, coupon, delivery, isOnCredit }: Placing) {
  const { first, last, second } = names;
  const user = {
    email: patientEmail(patient),
    first_name: first,
    last_name: last,
    ...(second && { second_last_name: second }),
  };
  const order = { details: lines, coupon, payment_method: isOnCredit ? 2 : 1, ...toDelivery(delivery) };
  return { user, order };
}

function toDelivery(delivery: Placing['delivery']): object {
  if (delivery === 'default') return {};
  if (delivery === 'store') return { store: 1 };
  const { state, zipcode } = DELIVERIES[delivery];
  const shipping = { ...ADDRESS, state, zipcode };
  return delivery === 'express' ? { shipping, shipping_method: DELIVERIES.express.method } : { shipping };
}

const toGiven = (order: Order): Given => ({
  id: order.id,
  patientId: order.patient.id,
  createdAt: order.created_at,
  expected: order.expected_delivery_date ?? '',
  max: order.max_delivery_date ?? '',
});
const pickGiven = ({ id, patientId, createdAt, expected, max }: Given): Given => {
  return { id, patientId, createdAt, expected, max };
};

type Amounts = Pick<Order, 'subtotal' | 'discount' | 'iva' | 'shipping_price' | 'shipping_discount' | 'total'>;
const pickAmounts = ({ subtotal, discount, iva, shipping_price, shipping_discount, total }: Amounts): Amounts => {
  return { subtotal, discount, iva, shipping_price, shipping_discount, total };
};

function toComparable(order: Order) {
  const { order_status, payment_status } = order;
  const { first_name, last_name, second_last_name } = order.patient.user;
  return {
    ...pickAmounts(order),
    ...{ order_status, payment_status },
    details: order.details.map(({ product, quantity }) => ({ product: product.id, quantity })),
    coupon: order.coupon?.code ?? null,
    name: [first_name, last_name, second_last_name].filter((part) => part !== null).join(' '),
  };
}

const toExpectedListItem = (found: ModelOrder) => ({
  created_at: found.createdAt,
  order_status: found.orderStatus,
  payment_status: found.paymentStatus,
  patient: nameOf(found),
  products_count: found.details.length,
  details: found.details.map(({ quantity }) => ({ quantity })),
  coupon: found.coupon,
  total: figuresOf(found).total,
  expected_delivery_date: found.expected,
  max_delivery_date: found.max,
});

const toExpectedQueued = (found: ModelOrder) => ({
  id: found.id,
  createdAt: found.createdAt,
  orderStatus: found.orderStatus,
  paymentStatus: found.paymentStatus,
  patient: nameOf(found),
  totalCents: Math.round(Number(figuresOf(found).total) * 100),
  dueAt: found.orderStatus === 'shipped' ? found.max : found.expected,
});

function toListQuery({ page, limit, ...wanted }: Filters): URLSearchParams {
  const named = {
    patient: wanted.patient,
    order_status__in: wanted.included,
    exclude_order_status__in: wanted.excluded,
    payment_status__in: wanted.payments,
    expected_delivery_date_after: wanted.expectedFrom,
    expected_delivery_date_before: wanted.expectedUntil,
    max_delivery_date_after: wanted.maxFrom,
    max_delivery_date_before: wanted.maxUntil,
    search: wanted.search,
    ordering: wanted.ordering,
    page,
    limit,
  };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
}

function chooseStatus({ kind, to }: { kind: 'move' | 'pay'; to: StatusChoice }, found: ModelOrder | undefined) {
  const known: readonly string[] = kind === 'move' ? ORDER_STATUSES : PAYMENT_STATUSES;
  const next = found && (kind === 'move' ? MOVES[found.orderStatus] : PAYMENTS[found.paymentStatus]);
  const wanted = to.isNext && next ? next : known;
  return wanted[to.index % wanted.length] as string;
}

const STATUS: Readonly<Record<Refused, number>> = {
  fields: 400,
  not_found: 404,
  order_not_changeable: 409,
  order_paid: 409,
  order_not_cancellable: 409,
  order_on_credit: 409,
  move_not_allowed: 409,
};
function expectRefused({ status, body }: HttpAnswer, refused: Refused): void {
  expect({ status, code: body.code ?? 'fields' }).toEqual({ status: STATUS[refused], code: refused });
}

describe('orders', () => {
  it('have the answers, counts, prices, queue and stock of a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const world = await World.open();
        for (const step of steps) await world.step(step);
        await world.expectCounts();
        await world.expectQueue();
        await world.expectStock();
      }),
      { numRuns: SEQUENCES, seed: seed() },
    );
    prove({
      check: 'Orders: random commands compared with a plain model',
      tries: SEQUENCES * COMMANDS,
      figure: `${SEQUENCES} sequences`,
    });
  });
});
