import { listClientIds } from '../../../shared/store/access/clients.ts';
import { countOrders } from '../../../shared/store/order-lists/order-counters.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import type { Check, Finding } from './check.ts';

// DynamoDB limits an item collection with local indexes to 10 GB, and a client's rows are one. An order takes some 3.1 kB
// of it: a row of 939 bytes and its two index copies, with the 100 bytes that DynamoDB adds to each.
const MOST_ORDERS = 3_400_000;
const NOTICE_AT_PERCENT = 70;

export const roomChecks = (): Check[] => [
  {
    name: 'room for orders',
    needs: ['TABLE_NAME'],
    remedy: 'Register another client for that shop in time: without room, this one cannot place orders.',
    look: () => checkLargestClient(openTable()),
  },
];

async function checkLargestClient(table: Table): Promise<Finding> {
  const clients = await listClientIds(table);
  const sizes = await Promise.all(clients.map(async (id) => ({ id, orders: await countOrders(table, id, 'client') })));
  const largest = sizes.reduce((most, one) => (one.orders > most.orders ? one : most), { id: 0, orders: 0 });
  if (largest.orders === 0) return { ok: 'no orders yet' };
  const percent = Math.round((largest.orders / MOST_ORDERS) * 100);
  const finding = `client ${largest.id} has ${largest.orders} orders, ${percent} % of what it may have`;
  return percent < NOTICE_AT_PERCENT ? { ok: finding } : { failed: `${finding}.` };
}
