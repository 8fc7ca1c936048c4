import { marshall } from '@aws-sdk/util-dynamodb';
import { feedWrites } from '../../shared/events/feed.ts';
import { toPublicEvent } from '../../shared/events/public-event.ts';
import type { Order } from '../../shared/order/order.ts';
import { type Act, type Happening, parseEvent, publishedWrite } from '../../shared/order/order-events.ts';
import { changeOrderWrites, createOrderWrites } from '../../shared/order/order-writes.ts';
import { nextVersion } from '../../shared/order/orders.ts';
import { keyName } from '../../shared/store/keys.ts';
import type { Item, Write } from '../../shared/store/table.ts';
import { syntheticOrder } from '../support/orders/synthetic-orders.ts';
import { type Item as Measured, measureMap, toKind } from './meter.ts';

/*
 * Prints what the orders of a chain write, for infra/cloud/scale.md: the hottest partitions and the items that stay, by the writes
 * of the real code for a sample of orders that are placed, paid, filled, shipped and delivered. `npx node test/bench/scale.ts`.
 */

const ORDERS = 200;
// 10 million orders a year are 0.3 a second; of 2,000 requests a second, 2 % place an order.
const ORDERS_PER_SECOND = 40;
const ORDERS_PER_YEAR = 10_000_000;
const PRODUCTS = 50;
const START = Date.parse('2026-11-23T15:00:00.000Z');
const HOUR_MS = 3_600_000;

const units = new Map<string, number>();
const stored = new Map<string, { readonly kind: string; readonly bytes: number }>();
let sequence = 0;

const add = (sums: Map<string, number>, name: string, more: number) => sums.set(name, (sums.get(name) ?? 0) + more);
const measure = (item: Item): number =>
  measureMap(marshall(item, { removeUndefinedValues: true }) as unknown as Measured);

// The most that a level, counter or pair of statuses takes is 1 KB.
const CHANGED_BYTES = 150;

function count(writes: readonly Write[]): void {
  for (const write of writes) {
    const item = 'Put' in write ? (write.Put.Item as Item) : undefined;
    const key = item ?? ('Update' in write ? write.Update.Key : 'Delete' in write ? write.Delete.Key : undefined);
    if (!key) continue;
    const bytes = item ? measure(item) : CHANGED_BYTES;
    add(units, String(key.pk), 2 * Math.ceil(bytes / 1_024));
    if ('Delete' in write) stored.delete(keyName(key));
    else if (item || !stored.has(keyName(key))) stored.set(keyName(key), { kind: toKind(String(key.pk)), bytes });
  }
}

/** Publishes the events among the writes, as the stream's job does for each alone. */
function publish(writes: readonly Write[]): void {
  for (const write of writes) {
    const item = 'Put' in write ? (write.Put.Item as Item) : {};
    if (!String(item.sk).startsWith('EVENT#')) continue;
    const event = parseEvent(item);
    const shown = toPublicEvent(event);
    if (!shown) continue;
    const feed = feedWrites({ clientId: 1, last: sequence, events: [shown] }, new Date(event.at));
    sequence += 1;
    count([...feed, publishedWrite(event, sequence)]);
  }
}

function live(id: number): void {
  const createdAt = new Date(START + id * 1_000).toISOString();
  const products = [0, 1, 2].map((line) => ({ product: 1 + ((id + line) % PRODUCTS), quantity: 1 }));
  const stock = { store: 1, products };
  const times = { createdAt, updatedAt: createdAt };
  let order: Order = syntheticOrder({ id, patient: { id: 1_000 + id }, quantities: [1, 2, 1, 1, 1], stock, ...times });
  const created = createOrderWrites(order);
  count(created);
  publish(created);
  const steps: readonly (readonly [Partial<Order>, Happening])[] = [
    [
      { paymentStatus: 'paid', paymentDate: createdAt },
      { what: 'paid', from: 'unpaid', to: 'paid' },
    ],
    [{ orderStatus: 'in_process', dispensed: { at: createdAt, under: [] } }, moved('approved', 'in_process')],
    [{ orderStatus: 'ready' }, moved('in_process', 'ready')],
    [{ orderStatus: 'shipped', shippingDate: createdAt }, moved('ready', 'shipped')],
    [{ orderStatus: 'delivered', receivingDate: createdAt }, moved('shipped', 'delivered')],
  ];
  for (const [at, [changes, event]] of steps.entries()) {
    const now = new Date(START + id * 1_000 + (at + 1) * HOUR_MS);
    const act: Act = { by: { operator: 'arn:aws:sts::111122223333:assumed-role/Pharmacist/ana' }, now };
    const after = nextVersion(order, { ...order, ...changes, updatedAt: now.toISOString() });
    const writes = changeOrderWrites(order, after, act, event);
    count(writes);
    publish(writes);
    order = after;
  }
}

const moved = (from: string, to: string): Happening => ({ what: 'moved', from, to });

for (let id = 1; id <= ORDERS; id++) live(id);

const total = [...units.values()].reduce((sum, each) => sum + each, 0) / ORDERS;
console.log(`Write units of an order, from placing to delivery: ${total.toFixed(0)}`);
console.log('\n| Partition | Write units an order | A second at 40 orders |\n|---|---|---|');
const hottest = [...units].sort((a, b) => b[1] - a[1]).slice(0, 14);
for (const [pk, sum] of hottest)
  console.log(`| \`${pk}\` | ${(sum / ORDERS).toFixed(2)} | ${Math.round((sum / ORDERS) * ORDERS_PER_SECOND)} |`);

console.log('\n| Items that stay | An order | KB an order | GB of 10 million |\n|---|---|---|---|');
const kinds = Map.groupBy(stored.values(), ({ kind }) => kind);
const rows = [...kinds].map(([kind, items]) => {
  const bytes = items.reduce((sum, item) => sum + item.bytes + 100, 0) / ORDERS;
  return { kind, items: items.length / ORDERS, bytes };
});
for (const { kind, items, bytes } of rows.sort((a, b) => b.bytes - a.bytes)) {
  const gigabytes = (bytes * ORDERS_PER_YEAR) / 1e9;
  console.log(`| ${kind} | ${items.toFixed(2)} | ${(bytes / 1_024).toFixed(2)} | ${gigabytes.toFixed(1)} |`);
}
const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
console.log(
  `| all | ${(stored.size / ORDERS).toFixed(1)} | ${(all / 1_024).toFixed(1)} | ${((all * ORDERS_PER_YEAR) / 1e9).toFixed(0)} |`,
);
