import { expect, vi } from 'vitest';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import { issueAccessToken, type Subject } from '../../../shared/access/token.ts';
import { ids, table, tokenKeys } from '../../../shared/deps.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { type FeedEvent, readFeed } from '../../../shared/events/feed.ts';
import type { OrderEvent } from '../../../shared/order/order-events.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { createUser } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { answerCaller } from '../engines/fake-stack.ts';
import { openScriptedApi } from '../engines/scripted-api.ts';
import { operate } from '../operators/operator.ts';
import { seed } from '../proofs/proof.ts';
import { randomOf } from '../proofs/random.ts';
import type { TestServer } from '../servers/test-server.ts';
import { getStoredEvents, getStoredOrder } from './forced-order.ts';
import { INVOICING, orderBody, PDF } from './samples.ts';

// This is a Monday, 9:00 in Mexico City.
const START = Date.parse('2026-11-23T15:00:00.000Z');
// A history keeps 50 events, and one action has three at most.
const MOST_EVENTS = 40;

const OPERATORS = [
  'arn:aws:sts::123456789012:assumed-role/Pharmacy/ana.sol@botica.example',
  'arn:aws:iam::123456789012:user/eva',
] as const;
const PATIENTS = [
  { email: 'borrada@historia.example', firstName: 'Plantada', lastName: 'Historiada' },
  { email: 'luz@historia.example', firstName: 'Luz', lastName: 'Mora' },
] as const;
const NEEDS_PRESCRIPTION = 4;
const UNUSED_ZIPCODE = '00000';

/** The entries of a history that clients are told; the others are not theirs. */
const TOLD_AS: Readonly<Partial<Record<OrderEvent['what'], string>>> = {
  created: 'order.created',
  changed: 'order.changed',
  cancelled: 'order.cancelled',
  moved: 'order.moved',
  paid: 'order.paid',
  refunded: 'order.refunded',
  payment_moved: 'order.changed',
  payment_rejected: 'payment.rejected',
  prescription_attached: 'order.changed',
  prescription_verified: 'prescription.verified',
  invoice_refused: 'invoice.failed',
  invoice_not_issued: 'invoice.failed',
  invoice_issued: 'invoice.issued',
  invoice_cancelled: 'invoice.cancelled',
  erased: 'order.changed',
};

/** The entries of a payment that was moved to these statuses; others make a `payment_moved`. */
const PAYMENT_EVENTS: Readonly<Record<string, What>> = { paid: 'paid', rejected: 'payment_rejected' };

type What = OrderEvent['what'];
type By = OrderEvent['by'];
/** An order as its answers have told it. */
type Told = {
  readonly id: number;
  readonly patient: number;
  readonly events: Pick<OrderEvent, 'what' | 'at' | 'version' | 'by'>[];
  version: number;
  isInvoiced: boolean;
  isCancelling: boolean;
  /** How many boxes it has of the product that requires a prescription. */
  prescribed: number;
  /** The number of boxes for which each prescription was verified, null before. */
  verified: (number | null)[];
};
type User = Subject['user'];

type Setting = {
  readonly server: TestServer;
  /** The path of a PDF that operators attach. */
  readonly documentPath: string;
};
type Cast = Setting & {
  readonly random: (bound: number) => number;
  readonly client: { readonly id: number; readonly key: string };
  readonly users: readonly User[];
  /** Addresses that answer who each of the operators is. */
  readonly stsUrls: readonly string[];
};

/**
 * Users, operators and jobs who act on orders at random. What each action did is expected from its own answer: which
 * events, by whom, at which time and version.
 */
export class HistoryWorld {
  readonly #cast: Cast;
  readonly orders: Told[] = [];
  #now = new Date(START);
  /** The text of every answer to a user. */
  readonly answers: string[] = [];

  private constructor(cast: Cast) {
    this.#cast = cast;
  }

  /** Opens a world with a client, users and operators of its own; the number chooses what they do. */
  static async open(setting: Setting, number: number): Promise<HistoryWorld> {
    const { client, key } = await setting.server.addClient('Historia');
    const people: readonly (readonly [Role, string, string, string])[] = [
      ...PATIENTS.map(({ email, firstName, lastName }) => ['patient', email, firstName, lastName] as const),
      ['doctor', 'doctora@historia.example', 'Dora', 'Castro'],
      ['insurance_employee', 'empleado@historia.example', 'Eva', 'Vega'],
    ];
    const users: User[] = [];
    for (const [role, email, firstName, lastName] of people) {
      const person = { role, email, firstName, lastName, secondLastName: null, phone: '', passwordHash: null };
      users.push(await createUser(table(), ids(), { ...person, clientId: client.id }, new Date(START)));
    }
    const sts = await Promise.all(OPERATORS.map((arn) => openScriptedApi({ status: 200, ...answerCaller(arn) })));
    const random = randomOf(seed() + number);
    const stsUrls = sts.map(({ url }) => url);
    return new HistoryWorld({ ...setting, random, client: { id: client.id, key }, users, stsUrls });
  }

  /** Lets some time pass and somebody do something. */
  async step(): Promise<void> {
    this.#now = new Date(this.#now.getTime() + this.#cast.random(30) * 60_000);
    setClock(this.#now);
    const order = this.#pick(this.orders);
    if (!order || order.events.length > MOST_EVENTS || this.#cast.random(5) === 0) return this.#placeOrder();
    const actions = [
      () => this.#change(order),
      () => this.#change(order),
      () => this.#cancel(order),
      () => this.#askForInvoice(order),
      () => this.#move(order),
      () => this.#move(order),
      () => this.#pay(order),
      () => this.#attach(order),
      () => this.#verify(order),
      () => this.#lookAfterInvoice(order),
      () => this.settle(),
    ];
    await this.#pick(actions)?.();
  }

  #pick<Value>(values: readonly Value[]): Value | undefined {
    return values[this.#cast.random(values.length)];
  }

  #tell(order: Told, by: By, ...whats: readonly What[]): void {
    order.version += 1;
    for (const what of whats) order.events.push({ what, at: this.#now.toISOString(), version: order.version, by });
    if (whats.includes('invoice_issued')) order.isInvoiced = true;
    if (whats.includes('invoice_cancelling')) order.isCancelling = true;
  }

  async #ask(user: User, method: string, path: string, body: object) {
    const subject = { client: this.#cast.client.id, user };
    const token = await issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 900, now: this.#now });
    const call = { token, key: this.#cast.client.key, body };
    const answer = await this.#cast.server.invoke(method, `/api/orders/${path}`, call);
    this.answers.push(JSON.stringify(answer.body));
    return answer;
  }

  async #placeOrder(): Promise<void> {
    const user = this.#pick(this.#cast.users) as User;
    const own = this.#cast.users.indexOf(user);
    const patient = user.role === 'patient' ? own : this.#cast.random(PATIENTS.length);
    const product = this.#cast.random(2) === 0 ? NEEDS_PRESCRIPTION : 1;
    const prescriptions = product === 1 ? [] : [{ document: PDF, issue_date: '2026-11-01' }];
    const zipcode = this.#pick(['06700', '06700', UNUSED_ZIPCODE]);
    const wantsInvoice = this.#cast.random(3) === 0;
    const { email, firstName: first_name, lastName: last_name } = PATIENTS[patient] as (typeof PATIENTS)[number];
    const details = [{ product, quantity: 1 + this.#cast.random(3) }];
    const isOnCredit = user.role === 'insurance_employee' && this.#cast.random(2) === 0;
    const body = orderBody(email, { details, prescriptions, payment_method: isOnCredit ? 2 : 1 });
    const more = wantsInvoice ? { invoicing: { ...INVOICING, zipcode } } : {};
    const { status, body: placed } = await this.#ask(user, 'POST', 'resources/', {
      ...body,
      user: { email, first_name, last_name },
      ...more,
    });
    if (status !== 201) return;
    const prescribed = product === 1 ? 0 : (details[0]?.quantity ?? 0);
    const verified = prescriptions.map(() => null);
    const state = { isInvoiced: false, isCancelling: false, prescribed, verified };
    const order: Told = { id: placed.id, patient, events: [], version: 0, ...state };
    this.orders.push(order);
    this.#tell(order, { user: user.id }, 'created', ...(wantsInvoice ? (['invoice_requested'] as const) : []));
    // Nobody is told that the invoice of a new order was refused, so that an operator sees to it.
    if (wantsInvoice)
      this.#tellIssued(order, { user: user.id }, placed.cfdi === '' ? 'invoice_not_issued' : 'invoice_issued');
  }

  #tellIssued(order: Told, by: By, what: 'invoice_issued' | 'invoice_not_issued' | 'invoice_refused'): void {
    this.#tell(order, by, what);
    if (what === 'invoice_issued') this.#tell(order, by, 'invoice_mailed');
  }

  async #change(order: Told): Promise<void> {
    const user = this.#pick(this.#cast.users) as User;
    const quantity = 1 + this.#cast.random(3);
    const product = this.#cast.random(4) === 0 ? NEEDS_PRESCRIPTION : 1;
    const { status } = await this.#ask(user, 'PATCH', `${order.id}/`, { details: [{ product, quantity }] });
    if (status !== 200) return;
    order.prescribed = product === 1 ? 0 : quantity;
    this.#tell(order, { user: user.id }, 'changed');
  }

  async #cancel(order: Told): Promise<void> {
    const user = this.#pick(this.#cast.users) as User;
    const { status } = await this.#ask(user, 'PATCH', `${order.id}/`, { order_status: 'cancelled' });
    // Cancelling again changes nothing.
    const isAgain = order.events.some(({ what }) => what === 'cancelled');
    if (status === 200 && !isAgain) this.#tellCancelled(order, { user: user.id });
  }

  #tellCancelled(order: Told, by: By): void {
    this.#tell(order, by, 'cancelled', ...(order.isInvoiced ? (['invoice_cancelling'] as const) : []));
  }

  async #askForInvoice(order: Told): Promise<void> {
    const user = this.#pick(this.#cast.users) as User;
    const zipcode = this.#pick(['06700', UNUSED_ZIPCODE]) ?? '';
    const { status } = await this.#ask(user, 'PATCH', `${order.id}/request-invoice/`, { ...INVOICING, zipcode });
    // The refusal of the provider (400) comes after the order has recorded that it was asked.
    if (status !== 200 && status !== 400) return;
    this.#tell(order, { user: user.id }, 'invoice_requested');
    this.#tellIssued(order, { user: user.id }, status === 200 ? 'invoice_issued' : 'invoice_refused');
  }

  async #operate(...words: readonly string[]) {
    const operator = this.#cast.random(OPERATORS.length);
    vi.stubEnv('AWS_ENDPOINT_URL_STS', this.#cast.stsUrls[operator]);
    const { code, err } = await operate('pipe', ...words);
    return { isDone: code === 0, by: { operator: OPERATORS[operator] ?? '' }, err };
  }

  async #move(order: Told): Promise<void> {
    // The first patient is erased in the end, for which orders have to be over.
    const to = order.patient === 0 ? 'cancelled' : (this.#pick(ORDER_STATUSES) ?? '');
    // An operator who has read another version is refused.
    const isOther = this.#cast.random(6) === 0;
    const isDone = await this.#moveTo(order, to, isOther ? order.version + 1 : order.version);
    if (isDone && isOther) throw new Error(`order ${order.id} was moved from another version`);
  }

  async #moveTo(order: Told, to: string, seen: number): Promise<boolean> {
    const words = ['--to', to, '--version', String(seen)];
    const { isDone, by } = await this.#operate('orders', 'move', String(order.id), ...words);
    if (isDone && to === 'cancelled') this.#tellCancelled(order, by);
    else if (isDone) this.#tell(order, by, 'moved');
    return isDone;
  }

  async #pay(order: Told): Promise<void> {
    // A payment complement follows, which other proofs cover.
    if ((await getStoredOrder(order.id)).invoice?.paymentMethod === 'PPD') return;
    const to = this.#pick(PAYMENT_STATUSES) ?? '';
    const words = ['--status', to, ...(to === 'paid' ? ['--form', '04'] : [])];
    const { isDone, by } = await this.#operate('orders', 'pay', String(order.id), ...words);
    if (isDone) this.#tell(order, by, PAYMENT_EVENTS[to] ?? 'payment_moved');
  }

  async #attach(order: Told): Promise<void> {
    const issueDate = this.#pick(['2026-11-01', '2030-01-01']) ?? '';
    const words = ['--file', this.#cast.documentPath, '--issue-date', issueDate];
    const { isDone, by } = await this.#operate('orders', 'attach-prescription', String(order.id), ...words);
    if (!isDone) return;
    order.verified.push(null);
    this.#tell(order, by, 'prescription_attached');
  }

  async #verify(order: Told): Promise<void> {
    const { isDone, by } = await this.#operate('orders', 'verify-prescription', String(order.id), '--accept-copy');
    // A prescription that was verified for the same lines stays as it is.
    if (!isDone || order.verified.every((boxes) => boxes === order.prescribed)) return;
    order.verified = order.verified.map(() => order.prescribed);
    this.#tell(order, by, 'prescription_verified');
  }

  async #lookAfterInvoice(order: Told): Promise<void> {
    const command = this.#pick(['resend', 'handled']) ?? '';
    const room = command === 'resend' ? 'invoices' : 'orders';
    const { isDone, by } = await this.#operate(room, command, String(order.id));
    if (!isDone) return;
    // The mail is claimed first, which is no event.
    if (command === 'resend') this.#tell(order, by);
    this.#tell(order, by, command === 'resend' ? 'invoice_mailed' : 'invoice_handled');
  }

  /** Gives back what was paid for a cancelled order, without which its patient is still needed. */
  async #refund(order: Told): Promise<void> {
    const { paymentStatus, totalCents } = await getStoredOrder(order.id);
    if (paymentStatus !== 'paid') return;
    const words = ['--amount', formatCents(totalCents), '--form', '04'];
    const { isDone, by } = await this.#operate('orders', 'refund', String(order.id), ...words);
    expect(isDone).toBe(true);
    this.#tell(order, by, 'refunded');
  }

  /** Lets the jobs run, or an operator in their place: the invoices of cancelled orders are cancelled. */
  async settle(): Promise<void> {
    const by =
      this.#cast.random(2) === 0 ? await this.#settleByJob() : (await this.#operate('jobs', 'run', 'run-due-tasks')).by;
    for (const order of this.orders.filter(({ isCancelling }) => isCancelling)) {
      order.isCancelling = false;
      this.#tell(order, by, 'invoice_cancelled');
      this.#tell(order, by, 'invoice_mailed');
    }
  }

  async #settleByJob(): Promise<By> {
    await runDueTasks();
    return 'system';
  }

  /** Cancels the orders of the first patient, gives back what was paid, erases them, and returns how many texts of theirs are in their history. */
  async erase(): Promise<number> {
    const own = this.orders.filter(({ patient }) => patient === 0);
    for (const order of own) await this.#moveTo(order, 'cancelled', order.version);
    await this.settle();
    for (const order of own) await this.#refund(order);
    const { email, firstName, lastName } = PATIENTS[0];
    const whom = ['--client', String(this.#cast.client.id), '--email', email];
    const erased = await this.#operate('patients', 'erase', ...whom, '--yes');
    expect(erased).toMatchObject({ isDone: true, err: '' });
    for (const order of own) this.#tell(order, erased.by, 'erased');
    const texts = await Promise.all(own.map(async ({ id }) => JSON.stringify(await getStoredEvents(id))));
    return texts.filter((text) => [email, firstName, lastName].some((one) => text.includes(one))).length;
  }

  /**
   * Returns the number of faults in the feed of the client: orders of which it does not tell what their answers have told,
   * each once and in order, and numbers that are missing or wrong.
   */
  async feedFaults(): Promise<number> {
    const feed = await this.readFeed();
    const wrong = feed.filter(({ sequence }, index) => sequence !== index + 1).length;
    const differing = this.orders.filter(({ id, events }) => {
      const own = feed.filter(({ event }) => event.order.id === id).map(({ event }) => event);
      const told = own.map(({ type, time, order }) => `${type} ${time} ${order.version}`);
      const expected = events.flatMap(({ what, at, version }) => {
        const type = TOLD_AS[what];
        return type === undefined ? [] : `${type} ${at} ${version}`;
      });
      return told.join('\n') !== expected.join('\n') || new Set(own.map((event) => event.id)).size !== own.length;
    });
    return wrong + differing.length;
  }

  /** Returns all events of the client. */
  async readFeed(): Promise<FeedEvent[]> {
    const feed: FeedEvent[] = [];
    let page: FeedEvent[];
    do {
      page = await readFeed(table(), { clientId: this.#cast.client.id, after: feed.length, limit: 100 });
      feed.push(...page);
    } while (page.length > 0);
    return feed;
  }

  /** Returns how many names and addresses of the patients are in the feed. */
  async personalInFeed(): Promise<number> {
    const text = JSON.stringify(await this.readFeed()).toLowerCase();
    return PATIENTS.flatMap((person) => Object.values(person)).filter((one) => text.includes(one.toLowerCase())).length;
  }

  /** Returns the number of orders whose history or version is not what their answers have told. */
  async differences(): Promise<number> {
    let count = 0;
    for (const { id, events, version } of this.orders) {
      const order = await getStoredOrder(id);
      const kept = (await getStoredEvents(id)).map(({ what, at, version: made, by }) => ({
        what,
        at,
        version: made,
        by,
      }));
      const isSame = JSON.stringify(kept) === JSON.stringify(events) && order.version === version;
      if (!isSame) console.error(id, { kept, events, version, stored: order.version });
      count += isSame ? 0 : 1;
    }
    return count;
  }
}
