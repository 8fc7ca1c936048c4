import type { OrderStatus, PaymentStatus } from '../domain/order.ts';
import { counterKey, counterPartition } from './keys.ts';
import { type OrderHeader, type Viewer, viewersOf } from './orders.ts';
import type { Table, Write } from './table.ts';

/** How many orders of a view have this order_status and this payment_status. */
export type StatusCount = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly orders: number;
};

/** `changes` grows with every write to a view: two equal readings have nothing between them. */
export type ViewCounts = { readonly counts: readonly StatusCount[]; readonly changes: number };

// Transactions on one item cancel each other, and a shard takes what one item takes. A patient orders alone, but others
// order for patients too: of 50 orders at once for one, some ran out of tries at a single shard.
const SHARDS = { client: 16, doctor: 4, patient: 4 } as const;

type Statuses = Pick<OrderHeader, 'orderStatus' | 'paymentStatus'>;
const pairOf = ({ orderStatus, paymentStatus }: Statuses): string => `${orderStatus}:${paymentStatus}`;

/** The shard that counts an order in a view; always the same one, so that a change of status is one write. */
export function shardOf(viewer: Viewer, order: number): number {
  const [kind] = viewer.split('#') as [keyof typeof SHARDS];
  return order % SHARDS[kind];
}

/** The writes that count an order in each of its views, as new or, given what it was before, as changed. */
export function counterWrites(order: OrderHeader, before: Statuses | null): Write[] {
  const added = new Map([[pairOf(order), 1]]);
  if (before) added.set(pairOf(before), (added.get(pairOf(before)) ?? 0) - 1);
  return viewersOf(order).map((viewer) => addWrite(order, viewer, added));
}

function addWrite({ clientId, id }: OrderHeader, viewer: Viewer, added: ReadonlyMap<string, number>): Write {
  const pairs = [...added].map(([pair, value], index) => ({ pair, value, name: `#${index}`, amount: `:${index}` }));
  const terms = ['changes :one', ...pairs.map(({ name, amount }) => `${name} ${amount}`)];
  return {
    Update: {
      Key: counterKey(clientId, viewer, shardOf(viewer, id)),
      UpdateExpression: `ADD ${terms.join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(pairs.map(({ name, pair }) => [name, pair])),
      ExpressionAttributeValues: {
        ':one': 1,
        ...Object.fromEntries(pairs.map(({ amount, value }) => [amount, value])),
      },
    },
  };
}

/** The counts of a view, of all its shards; one query. */
export async function readCounts(table: Table, client: number, viewer: Viewer): Promise<ViewCounts> {
  const shards = await table.query(counterPartition(client, viewer));
  const totals = new Map<string, number>();
  let changes = 0;
  for (const { pk: _, sk: __, changes: own, ...pairs } of shards) {
    changes += Number(own);
    for (const [pair, orders] of Object.entries(pairs)) totals.set(pair, (totals.get(pair) ?? 0) + Number(orders));
  }
  return { changes, counts: [...totals].map(statusCount) };
}

function statusCount([pair, orders]: [string, number]): StatusCount {
  const [orderStatus, paymentStatus] = pair.split(':') as [OrderStatus, PaymentStatus];
  return { orderStatus, paymentStatus, orders };
}
