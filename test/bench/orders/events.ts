import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { table } from '../../../shared/deps.ts';
import { orderKey } from '../../../shared/store/keys.ts';
import { createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { publishRecords } from '../../../shared/usecases/events/publish-events.ts';
import { wakeDelivery } from '../../../shared/usecases/webhooks/tend-endpoints.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import type { Figure } from '../figures.ts';
import type { Bench } from './bench.ts';

// Clients of no other run, so that each feed begins anew.
const CLIENTS_FROM = 900_000 + (Date.now() % 1_000_000_000);

/** Measures what the publication of events costs: of one alone, and of ten of a client that come together. */
export async function benchEvents({ meter }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [count, clientId] of [
    [1, CLIENTS_FROM],
    [10, CLIENTS_FROM + 1],
  ] as const) {
    await publish(await placeOrders(clientId, 1));
    const records = await placeOrders(clientId, count);
    const { readUnits, writeUnits, trips } = await meter.measure(() => publish(records));
    const what = `publish ${count === 1 ? 'the event of a new order' : `the events of ${count} new orders`}`;
    figures.push({ what, value: trips, unit: 'round trips' });
    figures.push({ what, value: readUnits, unit: 'read units' }, { what, value: writeUnits, unit: 'write units' });
  }
  return figures;
}

const publish = (records: readonly DynamoDBRecord[]) =>
  publishRecords(records, {
    table: table(),
    now: new Date(),
    wakeDelivery: (clientIds) => wakeDelivery(clientIds, { table: table(), invoke: async () => undefined }),
  });

let lastId = CLIENTS_FROM * 100;

/** Stores new orders of a client, and returns their records as the stream of the table has them. */
async function placeOrders(clientId: number, count: number): Promise<DynamoDBRecord[]> {
  const records: DynamoDBRecord[] = [];
  for (let made = 0; made < count; made++) {
    lastId += 1;
    await table().transact(
      createOrderWrites(syntheticOrder({ id: lastId, clientId, createdAt: new Date().toISOString() })),
    );
    const key = orderKey(clientId, lastId);
    const images = { Keys: marshall(key), NewImage: marshall(await table().get(key)) } as DynamoDBRecord['dynamodb'];
    records.push({ eventName: 'INSERT', dynamodb: { SequenceNumber: String(lastId), ...images } });
  }
  return records;
}
