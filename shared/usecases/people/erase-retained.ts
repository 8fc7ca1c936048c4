import type { Documents } from '../../documents/documents.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { getOrder } from '../../store/orders/orders.ts';
import { unlessPaused } from '../../store/orders/pause.ts';
import { dueRetainedRows, type RetainedRow } from '../../store/people/retained-rows.ts';
import type { Table } from '../../store/table.ts';
import { type Outcomes, processInBatches } from '../invoices/process-in-batches.ts';
import { eraseOrder, planOrderErasure } from './erase-order.ts';
import { toErasureDay } from './erase-patient-copies.ts';

type Deps = { readonly table: Table; readonly business: Business; readonly documents: Documents };

// A run ends long before the next one starts, which begins with the orders that are left.
const RUN_MS = 10 * 60 * 1_000;
const ORDERS_PER_RUN = 1_000;

/**
 * Removes the records of erased patients that were kept until a day that is over: documents of prescriptions, receivers of
 * invoices. An order that keeps another record for longer is due again then. Safe to run twice and concurrently.
 */
export async function eraseRetained(act: Act, deps: Deps): Promise<Outcomes> {
  const today = localDate(act.now, deps.business.timeZone);
  const due = await dueRetainedRows(deps.table, { today, limit: ORDERS_PER_RUN });
  return processInBatches(
    due,
    RUN_MS,
    unlessPaused(deps.table, (row) => eraseDueRecords(row, act, deps)),
  );
}

async function eraseDueRecords({ clientId, orderId }: RetainedRow, act: Act, deps: Deps): Promise<string> {
  const order = await getOrder(deps.table, { clientId, id: orderId });
  if (!order) throw new Error('a row of an erased order is of no order');
  const erasure = planOrderErasure(order, toErasureDay(act.now, deps.business.timeZone));
  if (!erasure) return 'done';
  return (await eraseOrder(erasure, act, deps)) ? 'erased' : 'later';
}
