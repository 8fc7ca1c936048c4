import { createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { openTable } from '../../../shared/store/table.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

// Usage: write-orders.ts <client> <orders a second>. Stores orders of a client at a steady pace until it is ended, in a
// process of its own, as other functions would.
const [clientId = 0, perSecond = 1] = process.argv.slice(2).map(Number);
const PATIENTS = 1_000;
const table = openTable();
let id = Date.now();

async function write(): Promise<void> {
  id += 1;
  const createdAt = new Date().toISOString();
  await table.transact(createOrderWrites(syntheticOrder({ id, clientId, createdAt, patient: { id: id % PATIENTS } })));
}

await write();
// The reader of the lists counts what was written.
setInterval(() => write().catch(() => undefined), 1_000 / perSecond);
console.log('ready');
process.on('SIGINT', () => process.exit(0));
