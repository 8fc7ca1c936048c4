import { describe, expect, it } from 'vitest';
import type { UserCaller } from '../../../shared/access/authenticate.ts';
import type { Refusal } from '../../../shared/domain/refusal.ts';
import { deriveItems } from '../../../shared/order/order-writes.ts';
import { invoiceLimitRefusal, placingLimitRefusal } from '../../../shared/order/user-limits.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import type { Table } from '../../../shared/store/table.ts';
import { clientId, newOrder, table, useOrderTable, withReads } from '../../support/orders/order-table.ts';

useOrderTable();

const NOW = new Date('2026-11-27T18:00:00.000Z');
const LIMITS = { ordersPerHour: 60, invoicesPerDay: 10 };
const DOCTOR = 5;
const PATIENT = 10;
const EMPLOYEE = 6;

const counting = (id: number, role: Role) => ({
  caller: { client: { id: clientId }, user: { id, role } } as UserCaller,
  limits: LIMITS,
  now: NOW,
});
const minutesAgo = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

type Placed = { readonly id: number; readonly at: string; readonly by?: number; readonly askedAt?: string };

/** Writes what lists and limits read of orders of one patient, which the doctor or the patient placed. */
async function write(orders: readonly Placed[]): Promise<void> {
  const rows = orders.flatMap(({ id, at, by = DOCTOR, askedAt }) => {
    const order = newOrder({ id, doctor: DOCTOR, patient: { id: PATIENT }, createdAt: at });
    const invoiceRequests = askedAt ? [{ userId: by, at: askedAt }] : [];
    const role = by === DOCTOR ? 'doctor' : by === PATIENT ? 'patient' : 'insurance_employee';
    return deriveItems({ ...order, generatedBy: { ...order.generatedBy, id: by, role }, invoiceRequests }).rows;
  });
  await table.putAll(rows.filter(({ pk }) => /^(CREATED|INVOICES)#/.test(String(pk))));
}

const many = (count: number, toOrder: (index: number) => Omit<Placed, 'id'>): Placed[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1 + index, ...toOrder(index) }));

async function readsOf(ask: (from: Table) => Promise<Refusal | null>) {
  const { table: told, reads } = withReads();
  return { refusal: await ask(told), reads };
}

describe('the orders of an hour', () => {
  it.each([
    [59, undefined],
    // The 60th newest is 29.5 minutes old, and leaves the hour in 30.5.
    [60, 1_830],
    [100, 1_830],
  ])('are too many if %i stand in it, one every half a minute', async (count, retryAfterSeconds) => {
    await write(many(count, (index) => ({ at: minutesAgo(index / 2) })));
    const asked = { ...counting(DOCTOR, 'doctor'), isInvoiced: false };
    const { refusal, reads } = await readsOf((from) => placingLimitRefusal(from, asked));
    expect(refusal?.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(reads.items).toBeLessThanOrEqual(120);
    // Those that others placed for the patient do not count.
    const own = { ...counting(PATIENT, 'patient'), isInvoiced: false };
    expect(await placingLimitRefusal(table, own)).toBeNull();
  });
});

describe('the invoices of a day', () => {
  const ask = (id: number, role: Role, orderId: number | null = null) =>
    readsOf((from) => invoiceLimitRefusal(from, { ...counting(id, role), orderId }));

  it('are counted by eleven rows at most, and by no order, whatever is stored', async () => {
    await write(many(100, (index) => ({ at: minutesAgo(4 * index), askedAt: minutesAgo(index) })));
    const { refusal, reads } = await ask(DOCTOR, 'doctor');
    // The tenth latest request is nine minutes old.
    expect(refusal).toMatchObject({ code: 'too_many_invoices', retryAfterSeconds: 24 * 3_600 - 9 * 60 });
    expect(reads).toEqual({ pages: 1, items: 11, batches: 0, keys: 0 });
    // The order of the latest one does not count when its invoice is asked for again.
    expect((await ask(DOCTOR, 'doctor', 1)).refusal?.retryAfterSeconds).toBe(24 * 3_600 - 10 * 60);
    expect((await ask(PATIENT, 'patient')).refusal).toBeNull();
    expect((await ask(EMPLOYEE, 'insurance_employee')).reads.pages).toBe(0);
  });

  it('are those that the user has asked for within 24 hours, whoever placed the order', async () => {
    const day = 24 * 60;
    await write(many(10, (index) => ({ at: minutesAgo(3 * day), by: PATIENT, askedAt: minutesAgo(day - index) })));
    expect((await ask(PATIENT, 'patient')).refusal).toBeNull();
    await write([{ id: 11, at: minutesAgo(5), by: PATIENT, askedAt: minutesAgo(1) }]);
    // The tenth latest is then the one that is a minute short of a day.
    expect((await ask(PATIENT, 'patient')).refusal?.retryAfterSeconds).toBe(60);
    expect((await ask(PATIENT, 'patient', 11)).refusal).toBeNull();
  });
});
