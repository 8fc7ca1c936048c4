import { describe, expect, it, vi } from 'vitest';
import { documents, ids, table } from '../../../shared/deps.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { closePatient, erasePatient, ordersOfPatient, reopenPatient } from '../../../shared/erasure/erase-patient.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { movePayment } from '../../../shared/payments/move-payment.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { attachPrescription } from '../../../shared/prescriptions/add-prescriptions.ts';
import { sweepDocuments } from '../../../shared/prescriptions/sweep-documents.ts';
import { business } from '../../../shared/runtime/config.ts';
import { findTraces, INVOICING, ORDER, PERSON, prescription, TRACES } from '../../support/hostile/planted.ts';
import { prove, seed, tries } from '../../support/proofs/proof.ts';
import { randomNumbers } from '../../support/proofs/random.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

/*
 * Orders of a patient are placed, changed and cancelled, an invoice is requested and a prescription attached, while the
 * patient is erased. Their transactions are held back, so that they arrive when the erasure has read everything, or is over.
 */

const AT_ONCE = tries(12, 16);
// A request of an invoice, a change, a cancellation, a move and a prescription; the other requests place orders.
const CHANGES_AT_ONCE = 5;
const LONGEST_DELAY_MS = 300;
const SWEPT_AFTER_MS = 7 * 60 * 60 * 1_000;
// The fields of a receiver that tax law keeps are not planted.
const RECEIVER = { full_name: 'ANA PAZ LUNA', rfc: 'PALA800101AB1', zipcode: '06700' };
const LEFT = new RegExp(`${TRACES.source}|sandbox-invoices`, 'i');

const server = useServer({ faults: true });
const tokens = useDemoTokens(server);

const place = (token: string, { user = PERSON, prescriptions = [prescription()] }: Placing = {}) =>
  server.request('POST', '/api/orders/resources/', {
    token,
    body: { user, order: { ...ORDER.order, prescriptions } },
  });
type Placing = { readonly user?: object; readonly prescriptions?: readonly object[] };

/** Places orders as each of these does in turn; some of them give the patient another name. */
const placeMany = (placing: readonly string[]) =>
  Array.from({ length: AT_ONCE - CHANGES_AT_ONCE }, (_, index) =>
    place(
      placing[index % placing.length] ?? '',
      index % 5 === 3 ? { user: { ...PERSON, first_name: `Plantaotro${'abcdefghijklmno'[index]}` } } : {},
    ),
  );

/** Registers a doctor, who may place no more than some orders an hour, and logs them in. */
async function loginDoctor(round: number): Promise<string> {
  const email = `doctora-${round}@demo.example`;
  await server.addUser(server.client, 'doctor', email);
  return server.login(email);
}

/**
 * Holds back the transactions of the requests, which are the first ones; those of the erasure come later. Returns what waits
 * for them, and what lets them go.
 */
function holdBackRequests(chooseMs: () => number | undefined) {
  const tokens = new Set<string>();
  const over = Promise.withResolvers<void>();
  let isOver = false;
  server.faults.set(({ operation, token }) => {
    if (operation !== 'TransactWriteItems' || token === undefined || isOver) return undefined;
    const isFirst = !tokens.has(token) && tokens.size < AT_ONCE;
    if (isFirst) tokens.add(token);
    const delayMs = chooseMs();
    // Without a delay its connection is lost when the erasure is over, and the SDK sends it again.
    if (delayMs === undefined) return tokens.has(token) ? { kill: () => over.promise, moment: 'before' } : undefined;
    return isFirst ? { delayMs } : undefined;
  });
  return {
    areHeld: () => vi.waitUntil(() => tokens.size === AT_ONCE, { timeout: 20_000 }),
    letGo() {
      isOver = true;
      over.resolve();
    },
  };
}

const operation = () => ({ operator: 'ana', now: new Date() });

/** Returns the status that a user would be answered for an operation. */
async function answerOperator(operated: Promise<unknown>): Promise<{ status: number }> {
  try {
    await operated;
    return { status: 200 };
  } catch (error) {
    if (error instanceof Refusal) return { status: 409 };
    throw error;
  }
}

/** Changes four open orders, each in another way. */
function changeOrders([changed, cancelled, moved, attached]: readonly number[]) {
  const change = (id: number | undefined, body: object) =>
    server.request('PATCH', `/api/orders/${id}/`, { token: tokens.employee, body });
  const deps = { table: table(), ids: ids(), documents: documents(), business: business() };
  const document = { bytes: Buffer.from('%PDF-1.4\nPlantadocumento\n%%EOF\n'), fileName: 'Plantareceta.pdf' };
  const dates = { issueDate: '2026-01-19', expiringDate: null };
  return [
    change(changed, { details: [{ product: 1, quantity: 3 }] }),
    change(cancelled, { order_status: 'cancelled' }),
    answerOperator(moveOrder({ id: moved ?? 0, to: 'shortage', ...operation() }, deps)),
    answerOperator(attachPrescription({ id: attached ?? 0, ...document, ...dates, ...operation() }, deps)),
  ];
}

async function eraseOnce(patientId: number): Promise<'erased' | 'refused'> {
  const deps = { table: table(), documents: documents(), business: business() };
  try {
    await erasePatient({ clientId: server.client.id, patientId, ...operation() }, deps);
    return 'erased';
  } catch (error) {
    if (error instanceof Refusal) return 'refused';
    throw error;
  }
}

/** Closes the patient's open orders, as an operator does whom the erasure has told of them. */
async function closeOrders(patientId: number): Promise<void> {
  for (const { id, orderStatus } of await ordersOfPatient(table(), server.client.id, patientId)) {
    if (orderStatus !== 'approved' && orderStatus !== 'shortage') continue;
    await answerOperator(moveOrder({ id, to: 'cancelled', ...operation() }, { table: table(), business: business() }));
  }
}

async function eraseWholly(patientId: number): Promise<void> {
  while ((await eraseOnce(patientId)) === 'refused') await closeOrders(patientId);
}

const patientId = async () => (await userByEmail(table(), server.client.id, PERSON.email))?.id;

/** Registers the patient with an order that has been delivered and paid, and so may be invoiced, but keeps no document. */
async function deliverOrder(): Promise<{ order: number; patient: number }> {
  await server.addUser(server.client, 'patient', PERSON.email);
  const { body } = await place(tokens.employee, { prescriptions: [] });
  const deps = { table: table(), business: business() };
  for (const to of ['in_process', 'ready', 'shipped', 'delivered'] as const) {
    await moveOrder({ id: body.id, to, ...operation() }, deps);
  }
  await movePayment({ id: body.id, to: 'paid', ...operation() }, deps);
  return { order: body.id, patient: body.patient.id };
}

describe('a patient who is erased while others place orders for them', () => {
  it('leaves nothing behind, whichever order was in flight', async () => {
    const random = randomNumbers(seed());
    const rounds = tries(1, 20);
    const left: string[] = [];
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const { order, patient } = await deliverOrder();
      const open = await Promise.all(Array.from({ length: 4 }, () => place(tokens.employee)));
      const placers = [tokens.employee, await loginDoctor(round), await server.login(PERSON.email)];
      // In every second round the requests arrive when the erasure is over, and in the others while it runs.
      const { areHeld, letGo } = holdBackRequests(() => (round % 2 === 0 ? undefined : random() * LONGEST_DELAY_MS));
      const asking = server.request('PATCH', `/api/orders/${order}/request-invoice/`, {
        token: tokens.employee,
        body: { ...INVOICING, ...RECEIVER },
      });
      const changing = changeOrders(open.map(({ body }) => body.id));
      const placing = placeMany(placers);
      await areHeld();
      await eraseWholly(patient);
      letGo();
      const answers = await Promise.all([...placing, ...changing, asking]);
      server.faults.set();
      refused += answers.filter(({ status }) => status > 201).length;
      expect(answers.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
      // An order that came after the erasure registered the same person anew, who is erased in peace.
      const again = await patientId();
      if (again !== undefined) await eraseWholly(again);
      // The documents of a request that was answered 503 belong to no order, and go with the sweep.
      await sweepDocuments(new Date(Date.now() + SWEPT_AFTER_MS), { documents: documents(), table: table() });
      left.push(...(await findTraces(LEFT)));
      expect((await getOrderOfAnyClient(table(), order))?.totalCents).toBeGreaterThan(0);
    }
    expect(left).toEqual([]);
    prove({
      check: 'attack 12: orders placed and changed for a patient who is being erased',
      tries: rounds * AT_ONCE,
      lost: left.length,
      figure: `${refused} refused`,
    });
  });
});

async function countDocuments(): Promise<number> {
  return (await Array.fromAsync(documents().stored())).flat().length;
}

describe('a patient who is being erased', () => {
  it('gets no order, and no document of one is stored', async () => {
    const email = 'cerrada@demo.example';
    const patient = await server.addUser(server.client, 'patient', email);
    const placers = [tokens.employee, tokens.doctor, await server.login(email)];
    const order = { user: { ...PERSON, email, phone: undefined } };
    await closePatient(table(), patient, new Date());
    const before = await countDocuments();
    let tried = 0;
    for (const token of placers) {
      server.faults.set();
      const { status, body } = await place(token, order);
      expect([status, body.code]).toEqual([503, 'unavailable']);
      tried += server.faults.calls().TransactWriteItems ?? 0;
    }
    const stored = (await countDocuments()) - before;
    await reopenPatient(table(), patient);
    expect((await place(tokens.employee, order)).status).toBe(201);
    const check = 'attack 12: documents of orders for a patient who is being erased';
    prove({ check, tries: placers.length, lost: stored + tried });
  });
});
