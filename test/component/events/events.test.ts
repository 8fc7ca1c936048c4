import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/jobs/publish-events.ts';
import { openStream, type StreamHandler, type TableStream } from '../../../infra/local/table-stream.ts';
import { type FeedEvent, readFeed } from '../../../shared/events/feed.ts';
import { listUnpublished } from '../../../shared/events/publish-events.ts';
import { operate } from '../../support/operators/operator.ts';
import { changed, clientId, placed, table, useOrderTable } from '../../support/orders/order-table.ts';
import { publishEvents } from '../../support/webhooks/feed.ts';

useOrderTable('streamed');

let stream: TableStream;
beforeAll(() => {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  stream = openStream();
});

// Ids are unique over all clients.
const createdAt = new Date().toISOString();
const read = async (): Promise<FeedEvent[]> => readFeed(table, { clientId, after: 0, limit: 100 });
const ids = async () => (await read()).map(({ event }) => event.id);

describe('the events of orders', () => {
  it('are told once and in order, from the table’s own stream', async () => {
    const first = await placed({ id: 7, createdAt });
    await placed({ id: 8, createdAt });
    const second = await changed(first, { orderStatus: 'in_process' });
    await changed(second, { paymentStatus: 'paid' });
    await publishEvents(stream);
    expect((await read()).map(({ sequence, event }) => [sequence, event.id, event.type])).toEqual([
      [1, 'evt_7_1_0', 'order.created'],
      [2, 'evt_8_1_0', 'order.created'],
      [3, 'evt_7_2_0', 'order.moved'],
      [4, 'evt_7_3_0', 'order.paid'],
    ]);
  });

  it('are told once by two publishers at the same time, without gaps', async () => {
    const orders = await Promise.all([27, 28, 29, 30].map((id) => placed({ id, createdAt })));
    for (const order of orders) await changed(order, { orderStatus: 'in_process' });
    await Promise.all([publishEvents(openStream()), publishEvents(openStream())]);
    const told = await read();
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { id } of orders) {
      const own = told.filter(({ event }) => event.order.id === id).map(({ event }) => event.id);
      expect(own).toEqual([`evt_${id}_1_0`, `evt_${id}_2_0`]);
    }
  });

  it('are told with a later version, or when asked, if one could not be read, which holds up nobody', async () => {
    const first = await placed({ id: 10_001, createdAt });
    await placed({ id: 10_002, createdAt });
    await publishEvents(stream, withPoison(10_001));
    expect(await ids()).toEqual(['evt_10002_1_0']);
    const unpublished = (await listUnpublished(table)).filter(({ orderId }) => orderId > 10_000);
    expect(unpublished).toMatchObject([{ orderId: 10_001, code: expect.stringMatching(/^order event: /) }]);
    await changed(first, { orderStatus: 'in_process' });
    await publishEvents(stream);
    expect(await ids()).toEqual(['evt_10002_1_0', 'evt_10001_1_0', 'evt_10001_2_0']);
  });

  it('are told when an operator asks, once', async () => {
    await placed({ id: 10_007, createdAt });
    await publishEvents(stream, withPoison(10_007));
    const republish = () => operate('pipe', 'events', 'repair', '10007');
    expect(await republish()).toMatchObject({ code: 0, out: '10007\t1\n' });
    expect(await republish()).toMatchObject({ code: 0, out: '10007\t0\n' });
    expect(await ids()).toEqual(['evt_10007_1_0']);
    expect((await listUnpublished(table)).filter(({ orderId }) => orderId === 10_007)).toEqual([]);
  });

  it('go on where they were when a publisher ends before it has answered', async () => {
    const order = await placed({ id: 37, createdAt });
    const killed: StreamHandler = async (event) => {
      await handler(event);
      throw new Error('the function ended');
    };
    await expect(publishEvents(stream, killed)).rejects.toThrow('the function ended');
    await changed(order, { orderStatus: 'in_process' });
    await publishEvents(stream);
    expect(await ids()).toEqual(['evt_37_1_0', 'evt_37_2_0']);
  });

  it('of more orders than a transaction takes are told in several', async () => {
    const orders = Array.from({ length: 60 }, (_, index) => index + 101);
    for (const id of orders) await placed({ id, createdAt });
    const records: DynamoDBRecord[] = [];
    await publishEvents(stream, async ({ Records }) => {
      records.push(...Records);
      return { batchItemFailures: [] };
    });
    expect(await handler({ Records: records })).toEqual({ batchItemFailures: [] });
    expect((await read()).map(({ sequence, event }) => [sequence, event.order.id])).toEqual(
      orders.map((id, index) => [index + 1, id]),
    );
  });
});

/** Returns a publisher that gets the events of an order as nobody can read them. */
const withPoison =
  (order: number): StreamHandler =>
  ({ Records }) =>
    handler({
      Records: Records.map((record) =>
        record.dynamodb?.Keys?.pk?.S === `ORDER#${order}`
          ? { ...record, dynamodb: { ...record.dynamodb, NewImage: { version: { S: 'first' } } } }
          : record,
      ),
    });
