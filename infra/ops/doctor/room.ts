import { listClientIds } from '../../../shared/store/access/clients.ts';
import { countOrders } from '../../../shared/store/order-lists/order-counters.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import type { Check, Finding } from './check.ts';

// The rows of a client's list are one item collection, which may have 10 GB (DynamoDB, local indexes). An order has some
// 3.1 kB there: its row of 939 bytes and two index copies, with the 100 that DynamoDB counts for each. Past that the
// client can place none.
const MOST_ORDERS = 3_400_000;
const NOTICE_AT_PERCENT = 70;

export function roomChecks(): Check[] {
  return [
    {
      name: 'room for orders',
      needs: ['TABLE_NAME'],
      remedy: 'Register another client for that shop before there is none: it could place no order.',
      look: () => roomOf(openTable()),
    },
  ];
}

async function roomOf(table: Table): Promise<Finding> {
  const clients = await listClientIds(table);
  const sizes = await Promise.all(clients.map(async (id) => ({ id, orders: await countOrders(table, id, 'client') })));
  const largest = sizes.reduce((most, one) => (one.orders > most.orders ? one : most), { id: 0, orders: 0 });
  if (largest.orders === 0) return { ok: 'no orders yet' };
  const percent = Math.round((largest.orders / MOST_ORDERS) * 100);
  const finding = `client ${largest.id} has ${largest.orders} orders, ${percent} % of what it may have`;
  return percent < NOTICE_AT_PERCENT ? { ok: finding } : { failed: `${finding}.` };
}
