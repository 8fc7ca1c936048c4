import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payments } from '../../../shared/deps.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import type { Refund } from '../../../shared/order/order-parts.ts';
import { compareOrders } from '../../../shared/ordering/rebuild-orders.ts';
import { reconcilePayment } from '../../../shared/payments/reconcile-payment.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { ADDRESS, findTraces, INVOICING, PERSON, prescription, TRACES } from '../../support/hostile/planted.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { operateTyping } from '../../support/operators/operator.ts';
import { forceStored as force, getStoredOrder as stored } from '../../support/orders/forced-order.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
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

beforeAll(() => setClock(NOON));
const server = useServer({ faults: true });
let table: Table;
const tokens = useDemoTokens(server);

beforeAll(async () => {
  table = openTable();
});
afterEach(() => {
  setClock(NOON);
  server.faults.set();
});

const run = (argv: readonly string[], typed = '', place: 'terminal' | 'pipe' = 'pipe') =>
  operateTyping(typed, place, 'patients', 'erase', '--client', String(server.client.id), ...argv);
const erase = (...more: string[]) => run(['--email', EMAIL, '--yes', '--json', ...more]);

async function placed(order: object = {}, who: 'doctor' | 'employee' = 'employee'): Promise<number> {
  const answer = await server.request('POST', '/api/orders/resources/', { token: tokens[who], body: body(order) });
  expect([answer.status, JSON.stringify(answer.body).slice(0, 200)]).toEqual([201, expect.any(String)]);
  return Number(answer.body.id);
}

const issuedInvoice = taxDocument({ status: 'issued', key: 'k-1', issuedAt: '2026-11-23T18:00:01.000Z', mail: 'sent' });

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
      const over = { orderStatus: 'cancelled', paymentStatus: 'unpaid', invoice: null } as const;
      await force(order.id, { ...over, documents: [], cfdi: '' });
    }
    expect((await erase()).code).toBe(0);
  });

  it('leaves none of their data in the table or the bucket, and keeps the amounts of their orders', async () => {
    const prescriptions = [PRESCRIPTION, PRESCRIPTION];
    const ids = [await placed(), await placed({}, 'doctor'), await placed({ prescriptions, comments: 'Plantamás' })];
    for (const id of ids.slice(0, 2)) await force(id, DONE);
    await force(ids[2] ?? 0, { orderStatus: 'cancelled' });
    const leftBefore = await leftovers();
    expect(leftBefore.length).toBeGreaterThan(10);
    const patient = await patientId();
    const kept = async () =>
      (await Promise.all(ids.map(stored))).map(({ totalCents, ivaCents, lines }) => [totalCents, ivaCents, lines]);
    const before = await kept();
    const removed = { orders: ids, documents: 2, invoicing_records: 0, patient_record: true };
    const said = { client: server.client.id, patient, ...removed, kept: [], kept_documents: [] };
    const dry = await erase('--dry-run');
    expect([dry.code, JSON.parse(dry.out)]).toEqual([0, { ...said, dry_run: true }]);
    expect(await leftovers()).toEqual(leftBefore);
    const { code, out, err } = await erase();
    expect([code, err, JSON.parse(out)]).toEqual([0, '', { ...said, dry_run: false }]);
    expect(await leftovers()).toEqual([]);
    expect(await kept()).toEqual(before);
    // E-mail and phone are free: who registers with them is a new user.
    const again = await placed();
    expect(await patientId()).toBeGreaterThan(patient);
    expect((await list(tokens.employee, `patient=${await patientId()}`)).results).toMatchObject([{ id: again }]);
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

  const cancelled = async (payment_method: number) => {
    const id = await placed({ payment_method });
    await force(id, { orderStatus: 'cancelled', payment: settled(await stored(id)) });
    return id;
  };
  const needed = (reason: string, id: number) => ({
    code: 1,
    out: '',
    err: expect.stringContaining(reason.replace('#', String(id))),
  });

  it('waits until the voucher or the CLABE of a cancelled order can bring no money any more', async () => {
    const ids = [await placed({ payment_method: 4 }), await placed({ payment_method: 5 })];
    for (const id of ids) {
      const call = { token: tokens.employee, body: { order_status: 'cancelled' } };
      expect((await server.request('PATCH', `/api/orders/${id}/`, call)).status).toBe(200);
    }
    /** Lets the payments be settled so many days after the order was placed. */
    const runAfter = async (days: number) => {
      setClock(new Date(NOON.getTime() + days * 86_400_000));
      await reconcilePayments({ by: 'system', now: now() }, { table, payments }, 'all');
      return (await erase()).err.split('\n').slice(1, -1);
    };
    const voucher = expect.stringContaining(`Order ${ids[0]} may still be paid`);
    const account = expect.stringContaining(`CLABE of order ${ids[1]}`);
    expect(await runAfter(3)).toEqual([voucher, account]);
    expect((await leftovers()).length).toBeGreaterThan(0);
    expect(await runAfter(5)).toEqual([account]);
    expect((await stored(ids[0] ?? 0)).payment?.attempts).toMatchObject([{ status: 'expired' }]);
    expect(await runAfter(30)).toEqual([account]);
    expect(await runAfter(30.1)).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  it('waits for a refund of the provider that is pending', async () => {
    const id = await cancelled(3);
    const refund = { cents: (await stored(id)).totalCents, form: '04', at: NOON.toISOString(), parts: [] };
    const giveBack = (provided: NonNullable<Refund['provided']>) =>
      force(id, { paymentStatus: 'paid', refunds: [{ ...refund, provided }] });
    await giveBack({ number: 1, status: 'pending' });
    expect(await erase()).toEqual(needed('A refund of order # is under way.', id));
    await giveBack({ number: 1, status: 'succeeded' });
    expect((await erase()).code).toBe(0);
  });

  it('waits for an operator who has yet to see to money beside the total of an order', async () => {
    const id = await cancelled(5);
    const payment = settled(await stored(id));
    await force(id, { payment: { ...payment, unmatchedCents: 1_000 } });
    expect(await erase()).toEqual(needed('The payment of order # waits for somebody (mismatch).', id));
    await force(id, { payment: { ...payment, unmatchedCents: 1_000, handledCents: 1_000 } });
    expect((await erase()).code).toBe(0);
  });

  const cancel = { tries: 0, dueAt: '2026-11-23T18:10:00.000Z' };
  it.each<[string, Partial<Order>, Partial<TaxDocument> | null]>([
    ['Order # is shipped.', { orderStatus: 'shipped', paymentStatus: 'paid' }, null],
    ['Order # is not paid but credit.', { orderStatus: 'delivered', paymentStatus: 'credit' }, null],
    ['Order # is cancelled and paid, and not refunded.', { orderStatus: 'cancelled', paymentStatus: 'paid' }, null],
    ['The invoice of order # is being worked on', DONE, { status: 'cancelling', tasks: { cancel } }],
    ['The invoice of order # waits for somebody (mail_given_up).', DONE, { mail: 'given_up' }],
  ])('is refused, and removes nothing, because: %s', async (reason, state, invoice) => {
    const [done, open] = [await placed(), await placed()];
    await force(done, DONE);
    if (invoice) await invoiced(open, invoice);
    await force(open, state);
    const before = await leftovers();
    expect(await erase()).toEqual(needed(reason, open));
    expect(await leftovers()).toEqual(before);
  });

  it('leaves lists that agree with their counts and still show the orders, without a name', async () => {
    const one = await placed({}, 'doctor');
    await force(one, DONE);
    const id = await patientId();
    const delivered = () => list(tokens.employee, 'order_status__in=delivered');
    const before = await delivered();
    expect((await list(tokens.employee, 'search=plantanombre')).count).toBe(1);
    expect((await erase()).code).toBe(0);
    const after = await delivered();
    expect(after.count).toBe(before.count);
    const shown = after.results.find((order: { id: number }) => order.id === one);
    expect(shown).toMatchObject({ patient: '', shipping: null, order_status: 'delivered', total: '136.00' });
    const { counters, names, rows } = await compareOrders({ clientId: server.client.id }, table);
    expect([counters, names, rows]).toEqual([[], [], []]);
    for (const token of [tokens.employee, tokens.doctor]) {
      expect((await list(token, 'search=plantanombre')).count).toBe(0);
      expect(await list(token, `patient=${id}`)).toMatchObject({ count: 1, results: [{ id: one, patient: '' }] });
      const { body } = await server.request('GET', `/api/orders/${one}/`, { token });
      const user = { first_name: '', email: '', deleted_at: NOON.toISOString() };
      expect(body).toMatchObject({ patient: { id, user }, shipping: null, prescriptions: [] });
    }
  });

  it('needs --yes, or the id of the patient typed at a terminal', async () => {
    await force(await placed(), DONE);
    const id = await patientId();
    expect(await run(['--email', EMAIL])).toMatchObject({ code: 2, out: '' });
    const wrong = await run(['--email', EMAIL], `${id + 1}\n`, 'terminal');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(await patientId()).toBe(id);
    const right = await run(['--email', EMAIL], `${id}\n`, 'terminal');
    expect([right.code, right.err.includes(`type the id of the patient, ${id}: `)]).toEqual([0, true]);
    expect(`${wrong.err}${right.out}${right.err}`).not.toMatch(TRACES);
    expect(await leftovers()).toEqual([]);
    const again = await run(['--id', String(id), '--yes']);
    expect(again).toMatchObject({ code: 0, err: 'Nothing is left of the patient but what is kept.\n' });
  });

  it('shows its usage without a patient or with two, and refuses an unknown one and a user of another role', async () => {
    for (const argv of [[], ['--email', EMAIL, '--id', '1'], ['--id', 'x']]) {
      expect(await run([...argv, '--yes'])).toMatchObject({ code: 2, out: '' });
    }
    const doctor = 'doctora@demo.example';
    for (const email of [EMAIL, doctor]) {
      expect(await run(['--email', email, '--yes'])).toMatchObject({ code: 1, out: '' });
    }
    expect((await userByEmail(table, server.client.id, doctor))?.firstName).not.toBe('');
  });
});

describe('an interrupted erasure', () => {
  beforeEach(async () => {
    for (const id of [await placed(), await placed()]) await force(id, DONE);
  });

  // Each order is a transaction, and so is the record; the parts of the names are deleted first, and then the records of them.
  it.each([
    ['TransactWriteItems', 1],
    ['TransactWriteItems', 2],
    ['TransactWriteItems', 3],
    ['BatchWriteItem', 1],
    ['BatchWriteItem', 2],
  ])('before %s %i is completed by the next run', async (kind, nth) => {
    server.faults.set(({ operation, nth: call }) => (operation === kind && call >= nth ? 'failure' : undefined));
    expect((await erase()).code).toBe(1);
    server.faults.set();
    expect((await leftovers()).length).toBeGreaterThan(0);
    expect((await erase()).code).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it('of which the first write got no answer ends as if it had been answered', async () => {
    server.faults.set(({ operation, nth }) =>
      operation === 'TransactWriteItems' && nth === 1 ? 'lost reply' : undefined,
    );
    expect((await erase()).code).toBe(0);
    expect(server.faults.faults()).toEqual({ 'lost reply': 1 });
    expect(await leftovers()).toEqual([]);
  });

  it('that died after it had closed the patient around an order opens them again when it is repeated', async () => {
    let late = 0;
    server.faults.set(({ operation, nth }) => {
      if (operation === 'UpdateItem' && nth === 1) {
        const placeLate = async () => {
          late = await placed();
        };
        return { kill: placeLate, moment: 'before' };
      }
      return late > 0 && operation === 'Query' ? 'failure' : undefined;
    });
    expect((await erase()).code).toBe(1);
    server.faults.set();
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

it('an order that is turned away, as the table has no throughput, leaves nothing of its patient', async () => {
  const reason = JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    CancellationReasons: [{ Code: 'ThrottlingError' }],
  });
  const answer = { status: 400, type: 'application/x-amz-json-1.0', body: reason };
  server.faults.set(({ operation }) => (operation === 'TransactWriteItems' ? { answer } : undefined));
  const sent = await server.request('POST', '/api/orders/resources/', { token: tokens.employee, body: body() });
  expect([sent.status, sent.body.code]).toEqual([503, 'unavailable']);
  expect(await leftovers()).toEqual([]);
});
