import { expect, it } from 'vitest';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { creditInvoice, replaceInvoice } from '../../../shared/invoices/correct-invoice.ts';
import { handleInvoice } from '../../../shared/invoices/open-actions.ts';
import type { Order } from '../../../shared/order/order.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { listNextActions } from '../../../shared/ordering/next-actions.ts';
import { movePayment } from '../../../shared/payments/move-payment.ts';
import { refundOrder } from '../../../shared/payments/refund-order.ts';
import { rejectPrescription, verifyPrescription } from '../../../shared/prescriptions/judge-prescription.ts';
import { business } from '../../../shared/runtime/config.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import { changed, newOrder, placed, storePatient, table, useOrderTable } from '../../support/orders/order-table.ts';
import { unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';
import { tries } from '../../support/proofs/proof.ts';
import { randomOf } from '../../support/proofs/random.ts';

useOrderTable();

const now = new Date('2026-01-05T18:00:00.000Z');
const maximumAgeDays = 180;
const SEED = Number(process.env.SEED);
const random = randomOf(SEED);
const choose = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

let lastId = 1_000;

// Of what a refund and a credit note are.
const PART = [{ line: 1, quantity: 0, cents: 5_000 }];

function randomInvoice(totalCents: number): Partial<Order> {
  const status = choose(['none', 'issued', 'issued', 'cancellation_rejected', 'requested', 'not_issued'] as const);
  if (status === 'none') return {};
  if (status === 'requested' || status === 'not_issued') return { invoice: taxDocument({ status }) };
  const { stamp, id: providerId } = ISSUED;
  const invoice = taxDocument({ status, stamp, providerId, amountCents: totalCents, key: 'own' });
  const related = { relatedUuid: stamp.uuid, providerId: 'other', parts: PART };
  const credit = taxDocument({ kind: 'credit', status: 'issued', amountCents: 5_000, key: 'credit', ...related });
  const replacement = taxDocument({ key: 'next', relatedUuid: stamp.uuid });
  return { invoice, cfdi: providerId, documents: choose([[], [], [credit], [replacement]]) };
}

/** Returns an order in a state drawn from those that commands and jobs make, and some that they do not. */
function randomOrder(): Order {
  const id = ++lastId;
  const order = newOrder({ id, orderStatus: choose(ORDER_STATUSES), paymentStatus: choose(PAYMENT_STATUSES) });
  const lines = order.lines.map((line) => ({ ...line, requiresPrescription: random(3) === 0 }));
  const verified = { at: now.toISOString(), by: 'ana', lines: [{ productId: 1, quantity: choose([1, 2, 4]) }] };
  const prescriptions = Array.from({ length: random(3) }, (_, index) => ({
    ...unverifiedPrescription(id * 10 + index, `key ${id} ${index}`),
    issueDate: choose(['2026-01-01', '2025-07-08']),
    expiringDate: choose([null, '2026-01-04', '2026-01-05']),
    verification: choose([null, verified]),
  }));
  const dispensed = choose([null, { at: now.toISOString(), under: prescriptions.map((each) => each.id).slice(0, 1) }]);
  const refunds = choose([[], [{ cents: 5_000, form: '03', at: '2026-01-01T18:00:00.000Z', parts: PART }]]);
  const form = choose(['04', '99']);
  const paymentMethod = { ...order.paymentMethod, sat_payment_form: form };
  return { ...order, lines, prescriptions, dispensed, refunds, paymentMethod, ...randomInvoice(order.totalCents) };
}

/** Stores a copy of an order under another id. */
async function storeCopy(order: Order): Promise<number> {
  const plain = await placed({ id: ++lastId });
  const { id, version } = plain;
  // A document is of one order.
  const prescriptions = order.prescriptions.map((each) => ({ ...each, documentKey: `${each.id} of ${id}` }));
  await changed(plain, { ...order, id, version, prescriptions });
  return id;
}

async function isDone(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'move_not_allowed') return false;
    throw error;
  }
}

const toCents = (amount: string | null): number => Math.round(Number(amount ?? 0) * 100);
const by = { operator: 'ana', now };

/** Expects of every action that it is accepted if it is listed, and else refused. */
async function expectAgreement(order: Order): Promise<void> {
  const next = listNextActions(order, { now, business: business(), maximumAgeDays, copies: [] });
  const deps = { table, business: business(), maximumAgeDays };
  const expected: Record<string, boolean> = {};
  const found: Record<string, boolean> = {};
  // Serves until an action has changed it.
  let copy: number | undefined;
  const attempt = async (name: string, isListed: boolean, act: (id: number) => Promise<unknown>) => {
    const id = copy ?? (await storeCopy(order));
    expected[name] = isListed;
    found[name] = await isDone(() => act(id));
    copy = found[name] ? undefined : id;
  };
  for (const to of ORDER_STATUSES) {
    await attempt(`move to ${to}`, next.moves.includes(to), (id) => moveOrder({ id, to, ...by }, deps));
  }
  for (const to of PAYMENT_STATUSES) {
    const isListed = next.payment_moves.includes(to);
    await attempt(`pay ${to} in a form`, isListed, (id) => movePayment({ id, to, form: '01', ...by }, deps));
    const isPlain = isListed && !(to === 'paid' && next.is_form_required);
    await attempt(`pay ${to}`, isPlain, (id) => movePayment({ id, to, ...by }, deps));
  }
  const refund = toCents(next.refund);
  const back = (amountCents: number) => (id: number) => refundOrder({ id, amountCents, form: '01', ...by }, table);
  await attempt('refund what is left', refund > 0, back(refund || 1));
  await attempt('refund a cent more', false, back(refund + 1));
  const credit = toCents(next.credit);
  const note = (amountCents: number) => (id: number) => creditInvoice({ id, amountCents, ...by }, table);
  await attempt('credit what is left', credit > 0, note(credit || 1));
  await attempt('credit a cent more', false, note(credit + 1));
  for (const { id: prescription } of order.prescriptions) {
    const verifiable = next.verify.find((one) => one.prescription === prescription);
    const verify = (age: 'checked' | 'accepted') => (id: number) =>
      verifyPrescription({ id, prescription, age, copy: 'accepted', ...by }, deps);
    await attempt(`verify ${prescription}`, verifiable?.is_age_to_accept === false, verify('checked'));
    await attempt(`verify ${prescription} of any age`, verifiable !== undefined, verify('accepted'));
    await attempt(`reject ${prescription}`, next.reject.includes(prescription), (id) =>
      rejectPrescription({ id, prescription, reason: 'Sin firma', ...by }, table),
    );
  }
  await attempt('replace', next.invoice.includes('replace'), (id) =>
    replaceInvoice({ id, receiver: {}, ...by }, { table, business: business() }),
  );
  await attempt('handled', next.invoice.includes('handled'), (id) =>
    handleInvoice({ id }, { by: { operator: 'ana' }, now }, table),
  );
  expect(found, JSON.stringify(order)).toEqual(expected);
}

it(`are those that the use cases accept, whatever the order (seed ${SEED})`, async () => {
  await storePatient(newOrder({ id: 1 }));
  for (let count = tries(5, 200); count > 0; count--) await expectAgreement(randomOrder());
}, 600_000);
