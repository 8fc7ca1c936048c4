import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryDeps, ids, table } from '../../../shared/deps.ts';
import { createSecret } from '../../../shared/events/webhooks/send.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { onMeasure } from '../../../shared/runtime/metrics.ts';
import { lanesPartition } from '../../../shared/store/keys.ts';
import { changeEndpoint, createEndpoint, type Endpoint, LeaseLost } from '../../../shared/store/webhooks/endpoints.ts';
import { closeLane, getLanes, openLanes, replaceLanes } from '../../../shared/store/webhooks/lanes.ts';
import { deliverEvents } from '../../../shared/usecases/webhooks/deliver-events.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';
import { addEvents, sampleEvent } from '../../support/webhooks/feed.ts';
import { liveFor } from '../../support/webhooks/killed-worker.ts';
import { openReceiver, type Receiver } from '../../support/webhooks/receiver.ts';

const NOON = Date.parse('2026-11-23T18:00:00.000Z');
const MINUTE = 60_000;
const TOMORROW = '2026-11-24T18:00:00.000Z';

let server: TestServer;
let receiver: Receiver;
let clientId = 0;
let endpoint: Endpoint;
const spent = { roundTrips: 0, readUnits: 0 };

beforeAll(async () => {
  server = await openTestServer();
  onMeasure(({ roundTrips = 0, readUnits = 0 }) => {
    spent.roundTrips += roundTrips;
    spent.readUnits += readUnits;
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  setClock(new Date(NOON));
  receiver = await openReceiver();
  clientId = (await server.addClient('Webhooks')).client.id;
  const terms = { clientId, eventTypes: null, description: '', ownerEmail: 'dev@example.mx', secret: createSecret() };
  endpoint = await createEndpoint(table(), ids(), { ...terms, url: receiver.url }, new Date(NOON));
});
afterEach(async () => {
  setClock();
  await receiver.close();
});

const tell = (...events: readonly Parameters<typeof sampleEvent>[]) =>
  addEvents(
    table(),
    clientId,
    events.map((event) => sampleEvent(...event)),
  );
const deliver = (afterMs = 0, from = table()) => {
  setClock(new Date(NOON + afterMs));
  const untilDone = { endsAt: Number.POSITIVE_INFINITY, patienceMs: 0 };
  return deliverEvents(endpoint, { ...deliveryDeps(), table: from }, untilDone);
};
async function measureDelivery(afterMs = 0) {
  Object.assign(spent, { roundTrips: 0, readUnits: 0 });
  const counts = await deliver(afterMs);
  return { ...counts, ...spent };
}
const lane = (order: number, sequences: number[] = [order]) => ({ name: `ORDER#${order}`, sequences, tries: 1 });
const failOrder = (failing: number) =>
  receiver.answer(({ order }, response) => response.writeHead(order === failing ? 500 : 204).end());
const fromTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const rows = () => table().all({ pk: lanesPartition(endpoint.id) });

/** Lets orders wait for a retry tomorrow. */
async function letWait(orders: number) {
  const lanes = fromTo(10_001, 10_000 + orders).map((order) => lane(order));
  await openLanes(table(), endpoint.id, lanes, TOMORROW);
  await changeEndpoint(table(), endpoint, { dueAt: TOMORROW });
}

describe('while 10 or 1,000 orders wait for a retry', () => {
  it.each([10, 1_000])('%i: a new event costs 13 requests, the retry of an order 16', async (orders) => {
    await letWait(orders);
    await tell([1, 1]);
    const fresh = await measureDelivery();
    expect(fresh.delivered).toBe(1);
    expect(fresh.roundTrips).toBeLessThanOrEqual(13);
    expect(fresh.readUnits).toBeLessThanOrEqual(9);
    await tell([2, 1]);
    failOrder(2);
    await deliver();
    receiver.answer();
    const retried = await measureDelivery(MINUTE);
    expect(retried.delivered).toBe(1);
    expect(retried.roundTrips).toBeLessThanOrEqual(16);
    expect(retried.readUnits).toBeLessThanOrEqual(12);
  });
});

describe('a lane', () => {
  it('costs as much when events of many other orders were delivered since its first', async () => {
    await tell([1, 1], ...fromTo(2, 199).map((order): [number, number] => [order, 1]), [1, 2]);
    failOrder(1);
    expect(await deliver()).toEqual({ delivered: 198, failed: 1, givenUp: 0 });
    receiver.answer();
    const { delivered, roundTrips, readUnits } = await measureDelivery(MINUTE);
    expect(delivered).toBe(2);
    expect(roundTrips).toBeLessThanOrEqual(17);
    expect(readUnits).toBeLessThanOrEqual(13);
  });

  it('of more events than are read at once is sent in its order and leaves nothing behind', async () => {
    await tell(...fromTo(1, 120).map((version): [number, number] => [1, version]));
    failOrder(1);
    await deliver();
    receiver.answer();
    expect(await deliver(MINUTE)).toEqual({ delivered: 120, failed: 0, givenUp: 0 });
    expect(receiver.taken()).toEqual(fromTo(1, 120).map((version) => `evt_1_${version}_0`));
    expect(await rows()).toEqual([]);
  });

  it('is gone on with where a worker was killed, without what it delivered', async () => {
    await tell([1, 1], [1, 2], [1, 3], [1, 4]);
    failOrder(1);
    await deliver();
    receiver.answer();
    // The eighth and the ninth call write that the first two events were delivered.
    await expect(deliver(MINUTE, liveFor(9, table()).table)).rejects.toThrow('the answer does not arrive');
    expect(receiver.taken()).toEqual(['evt_1_1_0', 'evt_1_2_0']);
    expect(await deliver(2 * MINUTE)).toEqual({ delivered: 2, failed: 0, givenUp: 0 });
    expect(receiver.taken()).toEqual(['evt_1_1_0', 'evt_1_2_0', 'evt_1_3_0', 'evt_1_4_0']);
    expect(await rows()).toEqual([]);
  });

  it('that fails again is due later, with the events that are left', async () => {
    await tell([1, 1], [1, 2], [1, 3]);
    failOrder(1);
    await deliver();
    receiver.answer(({ id }, response) => response.writeHead(id === 'evt_1_1_0' ? 204 : 500).end());
    expect(await deliver(MINUTE)).toEqual({ delivered: 1, failed: 1, givenUp: 0 });
    expect(await getLanes(table(), endpoint.id, ['ORDER#1'])).toEqual(
      new Map([['ORDER#1', { name: 'ORDER#1', sequences: [2, 3], tries: 1 }]]),
    );
    receiver.answer();
    expect(await deliver(MINUTE + 4_999)).toEqual({ delivered: 0, failed: 0, givenUp: 0 });
    expect(await deliver(MINUTE + 6_000)).toEqual({ delivered: 2, failed: 0, givenUp: 0 });
    expect(await rows()).toEqual([]);
  });

  it('is opened once, and changed while it is there, by a worker that still has the lease', async () => {
    await openLanes(table(), endpoint.id, [lane(1)], TOMORROW);
    await expect(openLanes(table(), endpoint.id, [lane(1, [9])], TOMORROW)).rejects.toThrow(LeaseLost);
    await replaceLanes(table(), endpoint.id, [lane(1, [1, 2])]);
    expect((await getLanes(table(), endpoint.id, ['ORDER#1'])).get('ORDER#1')).toMatchObject({ sequences: [1, 2] });
    await closeLane(table(), endpoint.id, 'ORDER#1', [{ name: 'ORDER#1', dueAt: TOMORROW }]);
    await expect(replaceLanes(table(), endpoint.id, [lane(1, [1, 2])])).rejects.toThrow(LeaseLost);
    expect(await rows()).toEqual([]);
  });

  it('that is gone takes nothing from a new one of its order, although a worker without the lease left its time', async () => {
    await openLanes(table(), endpoint.id, [lane(1)], '2026-11-23T17:59:00.000Z');
    await closeLane(table(), endpoint.id, 'ORDER#1', []);
    await changeEndpoint(table(), endpoint, { dueAt: '2026-11-23T17:59:00.000Z' });
    await tell([1, 1]);
    failOrder(1);
    await deliver();
    receiver.answer();
    expect(await deliver(MINUTE)).toEqual({ delivered: 1, failed: 0, givenUp: 0 });
    expect(await rows()).toEqual([]);
  });
});
