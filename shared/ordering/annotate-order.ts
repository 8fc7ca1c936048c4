import { refusedToOperator } from '../domain/operator-refusal.ts';
import { CLAIM_STATUS_TEXTS } from '../messages/status-texts.ts';
import {
  commitOperation,
  describeMove,
  type Operation,
  refuseErased,
  type Seen,
  seenOrder,
} from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { INSURANCE_REFUND_STATUSES } from '../order/rules/status.ts';
import type { Table } from '../store/table.ts';

// Each KB of an order costs 2 write units on every change.
const MOST_NOTES = 30;

type Noting = Operation & Seen & { readonly text: string };

/** Adds an internal note to an order. Throws `move_not_allowed` if it has too many, or its patient was erased. */
export async function addNote({ text, ...operation }: Noting, table: Table): Promise<Order> {
  const before = await seenOrder(table, operation);
  refuseErased(before);
  if (before.notes.length >= MOST_NOTES) throw refusedToOperator('notes_full', { order: before.id, most: MOST_NOTES });
  const note = { at: operation.now.toISOString(), by: operation.operator, text };
  return commitOperation(table, before, { ...before, notes: [...before.notes, note] }, operation, { what: 'noted' });
}

type Updating = Operation &
  Seen & {
    readonly tags?: readonly string[] | undefined;
    readonly claim?: Order['insuranceRefundStatus'] | undefined;
  };

/** Replaces an order's tags and moves its claim forward. Throws `move_not_allowed`; writes nothing if nothing differs. */
export async function updateOrder({ tags, claim, ...operation }: Updating, table: Table): Promise<Order> {
  const before = await seenOrder(table, operation);
  refuseErased(before);
  const { tags: from, insuranceRefundStatus } = before;
  const isTagged = tags !== undefined && tags.join() !== from.join();
  if (claim !== undefined) refuseClaim(before, claim);
  if (!isTagged && claim === undefined) return before;
  const after = { ...before, tags: tags ?? from, insuranceRefundStatus: claim ?? insuranceRefundStatus };
  const events = [
    ...(isTagged ? [{ what: 'tagged' } as const] : []),
    ...(claim === undefined ? [] : [{ what: 'claim_moved', from: insuranceRefundStatus, to: claim } as const]),
  ];
  return commitOperation(table, before, after, operation, ...events);
}

function refuseClaim({ id, insuranceRefundStatus: from }: Order, to: Order['insuranceRefundStatus']): void {
  const allowed = INSURANCE_REFUND_STATUSES.slice(INSURANCE_REFUND_STATUSES.indexOf(from) + 1);
  if (allowed.includes(to)) return;
  const move = describeMove({ from, to, allowed }, CLAIM_STATUS_TEXTS);
  throw refusedToOperator('claim_moves_elsewhere', { order: id, ...move });
}
