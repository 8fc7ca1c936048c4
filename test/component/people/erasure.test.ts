import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../../infra/ops/cli.ts';
import { payments } from '../../../shared/deps.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import type { Refund } from '../../../shared/order/order-parts.ts';
import { changeOrderWrites } from '../../../shared/order/order-writes.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { reconcilePayment } from '../../../shared/payments/reconcile-payment.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { handleExceptions } from '../../../shared/payments/rules/payment-exceptions.ts';
import { invoicingWrite } from '../../../shared/people/patients.ts';
import { storedInvoicing } from '../../../shared/people/person.ts';
import { storedUser, userByEmail, userItem } from '../../../shared/people/users.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import type { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { findTraces } from '../../support/hostile/personal-traces.ts';
import { ADDRESS, INVOICING, PERSON, prescription, TRACES } from '../../support/hostile/planted.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { operate } from '../../support/operators/operator.ts';
import { BY_JOB, forceVersion } from '../../support/orders/forced-order.ts';
import { plant, plantOrder } from '../../support/orders/planted-item.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const AFTER_THE_TERM = new Date('2032-05-01T18:00:00.000Z');
const DONE = { orderStatus: 'delivered', paymentStatus: 'paid' } as const;

const { email: EMAIL } = PERSON;

/** Makes an order of a person who appears nowhere else, so that any trace of them was left by the erasure. */
const body = (order: object = {}) => ({
  user: PERSON,
  order: {
    details: [{ product: 1, quantity: 2 }],
    payment_method: 1,
    shipping: ADDRESS,
    comments: 'Plantacomentario',
    ...order,
  },
});
const PRESCRIPTION = prescription();

let server: TestServer;
let table: Table;
let proxy: FaultProxy;
let tokens: Record<'doctor' | 'employee', string>;

beforeAll(async () => {
  setClock(NOON);
  const opened = await openServer({ faults: true });
  server = opened;
  proxy = opened.faults;
  table = openTable();
  tokens = {
    doctor: await server.login('doctora@demo.example'),
    employee: await server.login('aseguradora@demo.example'),
  };
});
afterAll(async () => {
  setClock();
  await server.close();
});
afterEach(() => {
  setClock(NOON);
  proxy.set();
});

async function run(argv: readonly string[], typed = '', place: 'terminal' | 'pipe' = 'pipe') {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(['patients', 'erase', '--client', String(server.client.id), ...argv], {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: Object.assign(Readable.from([Buffer.from(typed)]), { isTTY: place === 'terminal' }),
    isTerminal: place === 'terminal',
  });
  return { code, out: out.join(''), err: err.join('') };
}
const erase = (...more: string[]) => run(['--email', EMAIL, '--yes', '--json', ...more]);

async function placed(order: object = {}, who: 'doctor' | 'employee' = 'employee'): Promise<number> {
  const answer = await server.request('POST', '/api/orders/resources/', { token: tokens[who], body: body(order) });
  expect([answer.status, JSON.stringify(answer.body).slice(0, 200)]).toEqual([201, expect.any(String)]);
  return Number(answer.body.id);
}

async function stored(id: number): Promise<Order> {
  const order = await getOrderOfAnyClient(table, id);
  if (!order) throw new Error(`no order ${id}`);
  return order;
}

/** Writes an order in a state, whatever its moves allow. */
async function force(id: number, state: Partial<Order>): Promise<void> {
  const before = await stored(id);
  const after = forceVersion(before, state);
  await table.transact(changeOrderWrites(before, after, BY_JOB));
}

const issuedInvoice = taxDocument({
  status: 'issued',
  key: 'k-1',
  issuedAt: '2026-11-23T18:00:01.000Z',
  mail: 'sent',
});

/** Returns how an order is collected once nothing more is expected of it. */
function settled({ payment }: Order): NonNullable<Order['payment']> {
  if (!payment) throw new Error('it is not collected');
  const attempts = payment.attempts.map((attempt) => ({ ...attempt, status: 'cancelled' as const }));
  return { ...payment, attempts, isAccountWatched: false };
}

/** Gives an order an invoice of that person. */
async function invoiced(id: number, invoice: Partial<TaxDocument> = {}): Promise<void> {
  const order = await stored(id);
  const times = { created_at: order.createdAt, updated_at: order.updatedAt, updated_by: order.patient.id };
  const record = { id: 9_000_000 + id, ...INVOICING, ...times };
  const { clientId } = order;
  await table.transact([
    { Put: { Item: { pk: `USER#${clientId}#${order.patient.id}`, sk: `INVOICING#${record.id}`, ...record } } },
  ]);
  await force(id, {
    ...DONE,
    invoicing: record,
    cfdi: '58e93bd8e86eb318b0197456',
    invoice: { ...issuedInvoice, ...invoice },
  });
}

const leftovers = () => findTraces(TRACES);

const list = async (token: string, query: string) =>
  (await server.request('GET', `/api/orders/?${query}`, { token })).body;
const patientId = async () => (await userByEmail(table, server.client.id, EMAIL))?.id ?? 0;

describe('patients erase', () => {
  /** Erases the person after each test, so that the next one begins without them. */
  afterEach(async () => {
    const id = await patientId();
    if (id === 0) return;
    for (const order of (await list(tokens.employee, `patient=${id}&limit=100`)).results) {
      await force(order.id, {
        orderStatus: 'cancelled',
        paymentStatus: 'unpaid',
        invoice: null,
        documents: [],
        cfdi: '',
      });
    }
    expect((await erase()).code).toBe(0);
  });

  it('leaves none of their data in the table or the bucket, and keeps the amounts of their orders', async () => {
    const prescriptions = [PRESCRIPTION, PRESCRIPTION];
    const ids = [await placed(), await placed({}, 'doctor'), await placed({ prescriptions, comments: 'Plantamás' })];
    await force(ids[0] ?? 0, DONE);
    await force(ids[1] ?? 0, DONE);
    await force(ids[2] ?? 0, { orderStatus: 'cancelled' });
    expect((await leftovers()).length).toBeGreaterThan(10);
    const id = await patientId();
    const keptValues = (order: Order) => [order.totalCents, order.ivaCents, order.lines];
    const before = await Promise.all(ids.map(stored));

    const { code, out, err } = await erase();
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual({
      client: server.client.id,
      patient: id,
      dry_run: false,
      orders: ids,
      documents: 2,
      invoicing_records: 0,
      patient_record: true,
      kept: [],
      kept_documents: [],
    });
    expect(await leftovers()).toEqual([]);
    expect((await Promise.all(ids.map(stored))).map(keptValues)).toEqual(before.map(keptValues));
  });

  it('leaves none with what was asked for to pay an order, also if that is found later', async () => {
    const ids = [await placed({ payment_method: 4 }), await placed({ payment_method: 4 })];
    for (const id of ids) await force(id, { orderStatus: 'cancelled', payment: settled(await stored(id)) });
    const payment = settled(await stored(ids[1] ?? 0));
    // The job gave up one whose outcome was not known, and the provider has it all the same.
    const attempts = payment.attempts.map((attempt) => ({ ...attempt, providerId: null, reference: null }));
    await force(ids[1] ?? 0, { payment: { ...payment, attempts } });
    expect(await erase()).toMatchObject({ code: 0, err: '' });
    expect(await leftovers()).toEqual([]);
    setClock(new Date(NOON.getTime() + 3_600_000));
    const act = { by: 'system', now: now() } as const;
    for (const id of ids) {
      await reconcilePayment({ order: await stored(id), timeoutMs: 5_000, attempts: 1 }, act, { table, payments });
    }
    const references = await Promise.all(ids.map(stored));
    expect(references.map((order) => order.payment?.attempts)).toMatchObject([
      [{ providerId: `sandbox-${ids[0]}-1`, reference: null }],
      [{ providerId: `sandbox-${ids[1]}-1`, reference: null }],
    ]);
  });

  it('waits for an operator who has yet to see to money beside the total of an order', async () => {
    const id = await placed({ payment_method: 5 });
    const payment = settled(await stored(id));
    await force(id, { orderStatus: 'cancelled', payment: { ...payment, unmatchedCents: 1_000 } });
    const { code, err } = await erase();
    expect(code).toBe(1);
    expect(err).toContain(`The payment of order ${id} waits for somebody (mismatch).`);
    await force(id, { payment: { ...payment, unmatchedCents: 1_000, handledCents: 1_000 } });
    expect((await erase()).code).toBe(0);
  });

  const cancelled = async (payment_method: number) => {
    const id = await placed({ payment_method });
    const path = `/api/orders/${id}/`;
    const body = { order_status: 'cancelled' };
    expect((await server.request('PATCH', path, { token: tokens.employee, body })).status).toBe(200);
    return id;
  };
  /** Lets the payments be settled so many days after the order was placed. */
  async function runAfter(days: number): Promise<void> {
    setClock(new Date(NOON.getTime() + days * 86_400_000));
    await reconcilePayments({ by: 'system', now: now() }, { table, payments }, 'all');
  }

  it('waits until the voucher of a cancelled order, which could still be paid, is over', async () => {
    const id = await cancelled(4);
    const needed = `The patient is still needed:\nOrder ${id} may still be paid: one of its payment attempts is not over.\n`;
    expect(await erase()).toEqual({ code: 1, out: '', err: needed });
    await runAfter(3);
    expect(await erase()).toEqual({ code: 1, out: '', err: needed });
    expect((await leftovers()).length).toBeGreaterThan(0);
    await runAfter(5);
    expect((await stored(id)).payment?.attempts).toMatchObject([{ status: 'expired' }]);
    expect(await erase()).toMatchObject({ code: 0, err: '' });
    expect(await leftovers()).toEqual([]);
  });

  it('waits until the CLABE of a cancelled order is not watched any more', async () => {
    const id = await cancelled(5);
    expect((await stored(id)).payment?.attempts).toMatchObject([{ status: 'cancelled' }]);
    const needed = `Money may still come to the CLABE of order ${id}: it is watched for 30 days after its last payment attempt.`;
    await runAfter(30);
    expect(await erase()).toEqual({ code: 1, out: '', err: `The patient is still needed:\n${needed}\n` });
    await runAfter(30.1);
    expect((await erase()).code).toBe(0);
  });

  it.each(['requested', 'pending'] as const)('waits for a refund of the provider that is %s', async (status) => {
    const id = await cancelled(3);
    const { totalCents: cents, payment } = await stored(id);
    expect(payment?.attempts).toMatchObject([{ status: 'cancelled' }]);
    const refund = { cents, form: '04', at: NOON.toISOString(), parts: [] };
    const giveBack = (provided: NonNullable<Refund['provided']>) =>
      force(id, { paymentStatus: 'paid', refunds: [{ ...refund, provided }] });
    await giveBack({ number: 1, status });
    const err = `The patient is still needed:\nA refund of order ${id} is under way.\n`;
    expect(await erase()).toEqual({ code: 1, out: '', err });
    await giveBack({ number: 1, status: 'succeeded' });
    expect((await erase()).code).toBe(0);
  });

  it('leaves no data in any field of an order, a user or a receiver', async () => {
    const id = await placed({ prescriptions: [PRESCRIPTION] });
    await invoiced(id);
    const order = await stored(id);
    // No store has planted pieces.
    const { stock: _, ...planted } = plantOrder(order);
    const prescriptions = [...order.prescriptions, ...planted.prescriptions];
    // Neither a job nor an operator waits for a document that is not planted whole.
    const idle = { status: 'cancelled', tasks: {}, handled: ['mail_given_up'] } as const;
    const documents = planted.documents.map((document) => ({ ...document, ...idle }));
    const invoice = planted.invoice && { ...planted.invoice, ...idle };
    // Nobody waits for money either.
    const payment = planted.payment && {
      ...handleExceptions({ ...planted, payment: planted.payment }),
      isAccountWatched: false,
    };
    const refunds = (planted.refunds ?? []).map(({ isSurplus, ...refund }) => refund);
    await force(id, {
      ...planted,
      ...(payment && { payment }),
      refunds,
      prescriptions,
      invoice,
      documents,
      orderStatus: 'cancelled',
      cfdi: '',
      retained: null,
    });
    const user = await userByEmail(table, server.client.id, EMAIL);
    if (!user) throw new Error('nobody was registered');
    const { clientId, role, email, phone, version } = user;
    const own = { id: user.id, clientId, role, email, phone, version };
    const receiver = { ...plant(storedInvoicing, 'all', order.invoicing), id: 7 };
    await table.transact([
      { Put: { Item: userItem({ ...plant(storedUser, 'all', user), ...own }) } },
      invoicingWrite(user, receiver),
    ]);
    expect((await leftovers()).length).toBeGreaterThan(5);

    expect(await erase()).toMatchObject({ code: 0, err: '' });
    expect(await leftovers()).toEqual([]);
    expect((await stored(id)).lines).toEqual(order.lines);
  });

  it('leaves lists that agree with their counts and still show the orders, without a name', async () => {
    const one = await placed({}, 'doctor');
    await force(one, DONE);
    const id = await patientId();
    const before = await list(tokens.employee, 'order_status__in=delivered');
    expect((await list(tokens.employee, 'search=plantanombre')).count).toBe(1);
    expect((await erase()).code).toBe(0);
    const after = await list(tokens.employee, 'order_status__in=delivered');
    expect(after.count).toBe(before.count);
    const ofClient = ['--client', String(server.client.id), '--dry-run', '--json'];
    const { code, out } = await operate('pipe', 'orders', 'rebuild', ...ofClient);
    expect([code, JSON.parse(out)]).toMatchObject([0, { lists: [], counters: [], names: [], delays: [] }]);
    expect(after.results.find((order: { id: number }) => order.id === one)).toMatchObject({
      patient: '',
      shipping: null,
      order_status: 'delivered',
      total: '136.00',
    });
    for (const token of [tokens.employee, tokens.doctor]) {
      expect((await list(token, 'search=plantanombre')).count).toBe(0);
      expect(await list(token, `patient=${id}`)).toMatchObject({ count: 1, results: [{ id: one, patient: '' }] });
      const { body } = await server.request('GET', `/api/orders/${one}/`, { token });
      const user = { first_name: '', email: '', deleted_at: NOON.toISOString() };
      expect(body).toMatchObject({ patient: { id, user }, shipping: null, prescriptions: [] });
    }
  });

  it('frees e-mail and phone: who registers with them is a new user', async () => {
    await force(await placed(), DONE);
    const first = await patientId();
    expect((await erase()).code).toBe(0);
    expect(await patientId()).toBe(0);
    const again = await placed();
    const second = await patientId();
    expect(second).toBeGreaterThan(0);
    expect(second).not.toBe(first);
    expect((await list(tokens.employee, `patient=${second}`)).results).toMatchObject([{ id: again }]);
  });

  it('keeps the receiver of an invoiced order as SAT has it until the legal term ends, and then nothing', async () => {
    const id = await placed();
    await invoiced(id);
    const patient = await patientId();
    const { code, out } = await erase();
    expect(code).toBe(0);
    const kept = [{ order: id, cfdi: '58e93bd8e86eb318b0197456', until: '2032-04-30' }];
    expect(JSON.parse(out)).toMatchObject({ orders: [id], invoicing_records: 1, kept });
    expect((await stored(id)).invoicing).toMatchObject({
      full_name: 'PLANTARAZON SOCIAL',
      rfc: 'PLAN710319AB1',
      zipcode: '06722',
      cfdi_use: 'G03',
      fiscal_regime: '612',
      street: '',
      city: '',
      email: '',
      latitude: null,
    });
    expect(await leftovers()).toHaveLength(1);

    const again = await run(['--id', String(patient), '--yes', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ orders: [], patient_record: false, kept });
    setClock(AFTER_THE_TERM);
    const later = await run(['--id', String(patient), '--yes', '--json']);
    expect(JSON.parse(later.out)).toMatchObject({ orders: [id], patient_record: false, kept: [] });
    expect(await leftovers()).toEqual([]);
  });

  const DUE = '2026-11-23T18:10:00.000Z';
  it.each<[string, Partial<Order>, Partial<TaxDocument> | null]>([
    ['Order … is shipped.', { orderStatus: 'shipped', paymentStatus: 'paid' }, null],
    ['Order … is not paid but credit.', { orderStatus: 'delivered', paymentStatus: 'credit' }, null],
    ['Order … is cancelled and paid, and not refunded.', { orderStatus: 'cancelled', paymentStatus: 'paid' }, null],
    [
      'The invoice of order … is being worked on (cancelling).',
      DONE,
      { status: 'cancelling', tasks: { cancel: { tries: 0, dueAt: DUE } } },
    ],
    ['The invoice of order … waits for somebody (mail_given_up).', DONE, { mail: 'given_up' }],
  ])('is refused, and removes nothing, because: %s', async (reason, state, invoice) => {
    const [done, open] = [await placed(), await placed()];
    await force(done, DONE);
    if (invoice) await invoiced(open, invoice);
    await force(open, state);
    const before = await leftovers();
    const err = `The patient is still needed:\n${reason.replace('…', String(open))}\n`;
    expect(await erase()).toEqual({ code: 1, out: '', err });
    expect(await leftovers()).toEqual(before);
  });

  it('lists in a dry run what it would remove, and removes nothing', async () => {
    const id = await placed({ prescriptions: [PRESCRIPTION] });
    await force(id, { orderStatus: 'cancelled' });
    const before = await leftovers();
    const patient = await patientId();
    const said = await run(['--email', EMAIL, '--dry-run']);
    expect(said).toEqual({
      code: 0,
      out:
        `To be removed of patient ${patient}:\n- the record with e-mail, phone and default address\n` +
        `- 0 invoicing records\n- names, addresses and comments in 1 orders: ${id}\n` +
        '- 1 prescriptions with their documents\nNothing was removed.\n',
      err: '',
    });
    const json = JSON.parse((await run(['--email', EMAIL, '--dry-run', '--json'])).out);
    expect(json).toMatchObject({ dry_run: true, orders: [id], patient_record: true });
    expect(await leftovers()).toEqual(before);
  });

  it('needs --yes, or the id of the patient typed at a terminal', async () => {
    await force(await placed(), DONE);
    const id = await patientId();
    expect(await run(['--email', EMAIL])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('say --yes'),
    });
    const wrong = await run(['--email', EMAIL], `${id + 1}\n`, 'terminal');
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('nothing was removed') });
    expect(await patientId()).toBe(id);
    const right = await run(['--email', EMAIL], `${id}\n`, 'terminal');
    expect([right.code, right.err.includes(`type the id of the patient, ${id}: `)]).toEqual([0, true]);
    expect(right.out).toMatch(new RegExp(`^Removed of patient ${id}:\n`));
    expect(`${wrong.err}${right.out}${right.err}`).not.toMatch(TRACES);
    expect(await leftovers()).toEqual([]);
    const again = await run(['--id', String(id), '--yes']);
    expect(again).toEqual({ code: 0, out: `Nothing is left of patient ${id}.\n`, err: '' });
  });

  it.each([
    ['neither', [], 'one of --email and --id'],
    ['both', ['--email', EMAIL, '--id', '1'], 'one of --email and --id'],
    ['no id', ['--id', 'x'], '--id: It must be an integer.'],
  ])('called with %s shows its usage', async (_, argv, complaint) => {
    expect(await run([...argv, '--yes'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining(complaint) });
  });

  it('refuses an unknown patient and a user of another role', async () => {
    expect(await erase()).toEqual({
      code: 1,
      out: '',
      err: `Client ${server.client.id} has nobody with this e-mail.\n`,
    });
    expect(await run(['--id', '999999', '--yes'])).toEqual({
      code: 1,
      out: '',
      err: `Client ${server.client.id} has no patient 999999.\n`,
    });
    const doctor = await userByEmail(table, server.client.id, 'doctora@demo.example');
    expect(await run(['--email', 'doctora@demo.example', '--yes'])).toEqual({
      code: 1,
      out: '',
      err: `User ${doctor?.id} is no patient but doctor: disable them instead.\n`,
    });
  });
});

describe('an interrupted erasure', () => {
  const ORDERS = 2;
  // Each order is a transaction, and so is the record.
  const TRANSACTIONS = [1, 2, 3];
  let ids: number[];
  beforeEach(async () => {
    ids = [];
    for (let each = 0; each < ORDERS; each++) {
      const id = await placed();
      await force(id, DONE);
      ids.push(id);
    }
  });

  it.each(TRANSACTIONS)('before write %i is completed by the next run', async (nth) => {
    proxy.set(({ operation, nth: call }) =>
      operation === 'TransactWriteItems' && call >= nth ? 'failure' : undefined,
    );
    expect((await erase()).code).toBe(1);
    proxy.set();
    expect((await leftovers()).length).toBeGreaterThan(0);
    expect((await erase()).code).toBe(0);
    expect(await leftovers()).toEqual([]);
    for (const id of ids) expect((await stored(id)).totalCents).toBe(13_600);
  });

  it.each(TRANSACTIONS)('whose write %i got no answer ends as if it had been answered', async (nth) => {
    const tokens = new Set<string>();
    proxy.set(({ operation, token }) => {
      if (operation !== 'TransactWriteItems' || token === undefined) return undefined;
      if (tokens.has(token)) return undefined;
      tokens.add(token);
      return tokens.size === nth ? 'lost reply' : undefined;
    });
    expect((await erase()).code).toBe(0);
    expect(proxy.faults()).toEqual({ 'lost reply': 1 });
    proxy.set();
    expect(await leftovers()).toEqual([]);
  });

  it('is refused by an order placed just before it, and the patient may order again', async () => {
    const { promise: orderPlaced, resolve: goOn } = Promise.withResolvers<void>();
    let first: string | undefined;
    proxy.set(({ operation, invocation }) => {
      if (operation !== 'UpdateItem') return undefined;
      first ??= invocation;
      return invocation === first ? { until: orderPlaced } : undefined;
    });
    const erasing = erase();
    await vi.waitUntil(() => first, { timeout: 10_000 });
    const late = await placed();
    goOn();
    expect(await erasing).toMatchObject({ code: 1, err: `The patient is still needed:\nOrder ${late} is approved.\n` });
    await force(late, DONE);
    await force(await placed(), DONE);
    expect((await erase()).code).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it('that died after it had closed the patient around an order opens them again when it is repeated', async () => {
    let late = 0;
    proxy.set(({ operation, nth }) => {
      if (operation === 'UpdateItem' && nth === 1) {
        const placeLate = async () => {
          late = await placed();
        };
        return { kill: placeLate, moment: 'before' };
      }
      return late > 0 && operation === 'Query' ? 'failure' : undefined;
    });
    expect((await erase()).code).toBe(1);
    proxy.set();
    const place = () => server.request('POST', '/api/orders/resources/', { token: tokens.employee, body: body({}) });
    const stillNeeded = { code: 1, err: `The patient is still needed:\nOrder ${late} is approved.\n` };
    expect(await erase('--dry-run')).toMatchObject(stillNeeded);
    expect((await place()).status).toBe(503);
    expect(await erase()).toMatchObject(stillNeeded);
    for (const id of [late, await placed()]) await force(id, DONE);
    expect((await erase()).code).toBe(0);
    expect(await leftovers()).toEqual([]);
  });
});
