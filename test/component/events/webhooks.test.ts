import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { deliveryDeps, ids, mail, table } from '../../../shared/deps.ts';
import { deliverToEndpoint, deliverWebhooks } from '../../../shared/events/webhooks/deliver-webhooks.ts';
import { listDeliveries, listQueues, replaceQueue } from '../../../shared/events/webhooks/deliveries.ts';
import { EndpointTurn } from '../../../shared/events/webhooks/endpoint-turn.ts';
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  getSecrets,
  listEndpoints,
  type NewEndpoint,
  replaceSecret,
} from '../../../shared/events/webhooks/endpoints.ts';
import { createSecret } from '../../../shared/events/webhooks/send.ts';
import { mailOwners, watchEndpoints } from '../../../shared/events/webhooks/watch-endpoints.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { onMeasure } from '../../../shared/runtime/metrics.ts';
import { queueKey, queuesPartition } from '../../../shared/store/keys.ts';
import { toItem } from '../../../shared/store/parse-item.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import { openSesRelay } from '../../support/engines/ses-relay.ts';
import { type HeldLimits, holdLimits } from '../../support/faults/held-limits.ts';
import { operate } from '../../support/operators/operator.ts';
import { useServer } from '../../support/servers/test-server.ts';
import { addEvents, sampleEvent } from '../../support/webhooks/feed.ts';
import { openReceiver, type Receiver, say } from '../../support/webhooks/receiver.ts';

const SECRET = createSecret();
const NOON = Date.parse('2026-11-23T18:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ses = await openSesRelay(inject('serverEnvironment').AWS_ENDPOINT_URL_SES ?? '');
afterAll(() => ses.close());
const server = useServer({ settings: { AWS_ENDPOINT_URL_SES: ses.url } });
let receiver: Receiver;
let limits: HeldLimits;
let clientId = 0;

// Each test has a client of its own, whose feed is empty.
beforeEach(async () => {
  setClock(new Date(NOON));
  limits = holdLimits();
  receiver = await openReceiver();
  clientId = (await server.addClient('Webhooks')).client.id;
});
afterEach(async () => {
  setClock();
  limits.release();
  await receiver.close();
});

const create = (more: Partial<NewEndpoint> = {}): Promise<Endpoint> => {
  const owner = { clientId, ownerEmail: 'duena@clinica.example' };
  const terms = { ...owner, url: receiver.url, eventTypes: null, secret: SECRET, ...more };
  return createEndpoint(table(), ids(), terms, new Date(NOON));
};
const tell = (...events: readonly Parameters<typeof sampleEvent>[]) =>
  addEvents(
    table(),
    clientId,
    events.map((event) => sampleEvent(...event)),
  );
const UNTIL_DONE = Number.POSITIVE_INFINITY;
const deliverNow = async (endpoint: Endpoint, from = table()) => {
  const counts = { delivered: 0, failed: 0, givenUp: 0 };
  const deps = { ...deliveryDeps(), table: from };
  await deliverToEndpoint(endpoint, { deps, endsAt: UNTIL_DONE, counts });
  return counts;
};
const deliver = (endpoint: Endpoint, afterMs = 0, from = table()) => {
  setClock(new Date(NOON + afterMs));
  return deliverNow(endpoint, from);
};
const reread = async ({ clientId, id }: Endpoint) =>
  (await listEndpoints(table(), clientId)).find((other) => other.id === id) as Endpoint;
const arrived = () => receiver.arrivals.map(({ id }) => id);
function expectSignedBy(...secrets: readonly string[]): void {
  const { body = '', headers = {} } = receiver.arrivals[0] ?? {};
  for (const known of secrets) {
    expect(new Webhook(known).verify(body, headers as Record<string, string>)).toMatchObject({ id: 'evt_1_1_0' });
  }
}
const atMost = (bound: number) => (count: number) => count <= bound;
const ofOrder = (order: number) => (id: string) => id.startsWith(`evt_${order}_`);

describe('a delivery', () => {
  it('brings the events from now on, signed, as they stand in the feed, and none again', async () => {
    await tell([1, 1, 'order.created']);
    const endpoint = await create();
    await tell([1, 2], [2, 1, 'order.created']);
    expect(await deliver(endpoint)).toEqual({ delivered: 2, failed: 0, givenUp: 0 });
    expect(arrived().toSorted()).toEqual(['evt_1_2_0', 'evt_2_1_0']);
    const moved = receiver.arrivals.find(({ id }) => id === 'evt_1_2_0');
    expect(JSON.parse(moved?.body ?? '')).toMatchObject({ type: 'order.moved', order: { id: 1, version: 2 } });
    expect(moved?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'evt_1_2_0',
      'webhook-timestamp': '1795456800',
    });
    expect(await deliver(endpoint)).toEqual({ delivered: 0, failed: 0, givenUp: 0 });
    expect(await listDeliveries(table(), endpoint.id, { limit: 9 })).toMatchObject([
      { sequence: 3, eventId: 'evt_2_1_0', orderId: 2, status: 'delivered', tries: 1, answerStatus: 204 },
      { sequence: 2, eventId: 'evt_1_2_0', orderId: 1, status: 'delivered', tries: 1, answerStatus: 204 },
    ]);
    expect(await listDeliveries(table(), endpoint.id, { limit: 1 })).toMatchObject([{ sequence: 3 }]);
    expect(await listDeliveries(table(), endpoint.id, { limit: 9, before: 3 })).toMatchObject([{ sequence: 2 }]);
  });

  it('is signed by each secret that was shown since it may have been lost, by one again after its hours, and by none of two operators at once unseen', async () => {
    setClock();
    const endpoint = await create();
    await tell([1, 1]);
    const rotate = () => operate('pipe', 'webhooks', 'update', String(endpoint.id), '--rotate-secret', '--json');
    const shown = [JSON.parse((await rotate()).out).secret];
    const both = await Promise.all([rotate(), rotate()]);
    for (const { code, out } of both) if (code === 0) shown.push(JSON.parse(out).secret);
    await deliverNow(endpoint);
    expectSignedBy(SECRET, ...shown);
    const { secret, formerSecrets } = await getSecrets(table(), endpoint.id);
    expect([secret, ...formerSecrets.map(({ value }) => value)].sort()).toEqual([SECRET, ...shown].sort());
    const next = { secret: 'late', until: '2027-01-01T00:00:00.000Z', now: new Date() };
    const replaced = replaceSecret(table(), endpoint, { secret: SECRET, formerSecrets: [] }, next);
    await expect(replaced).rejects.toBeInstanceOf(ConditionFailed);
    await tell([1, 2]);
    await deliver(endpoint, Date.now() - NOON + 24 * HOUR);
    expect(receiver.arrivals[1]?.headers['webhook-signature']).not.toContain(' ');
  });

  it('brings only the types that the endpoint wants', async () => {
    const endpoint = await create({ eventTypes: ['order.paid'] });
    await tell([1, 1, 'order.created'], [1, 2, 'order.paid'], [1, 3, 'order.moved']);
    await deliver(endpoint);
    expect(arrived()).toEqual(['evt_1_2_0']);
    expect(await reread(endpoint)).toMatchObject({ position: 3 });
  });

  it('goes on with other orders while one fails, whose later events wait behind the one that failed', async () => {
    const endpoint = await create();
    await tell([1, 1], [2, 1], [1, 2], [2, 2]);
    receiver.answer(({ order }, response) => response.writeHead(order === 1 ? 500 : 204).end());
    expect(await deliver(endpoint)).toEqual({ delivered: 2, failed: 1, givenUp: 0 });
    await tell([1, 3], [2, 3]);
    await deliver(endpoint);
    expect(arrived().filter(ofOrder(1))).toEqual(['evt_1_1_0']);
    expect(arrived().filter(ofOrder(2))).toEqual(['evt_2_1_0', 'evt_2_2_0', 'evt_2_3_0']);
    receiver.answer();
    await deliver(endpoint, 4_999);
    expect(arrived().filter(ofOrder(1))).toHaveLength(1);
    await deliver(endpoint, 6_000);
    expect(receiver.taken().filter(ofOrder(1))).toEqual(['evt_1_1_0', 'evt_1_2_0', 'evt_1_3_0']);
    expect(await table().all({ pk: queuesPartition(endpoint.id) })).toEqual([]);
    expect(await reread(endpoint)).toMatchObject({ position: 6, dueAt: null, failingSince: null });
  });

  it('is one at a time, and the lease of a worker that was killed ends after half a minute', async () => {
    const endpoint = await create();
    await tell([1, 1]);
    const hanging = Promise.withResolvers<void>();
    receiver.answer((_, response) => void hanging.promise.then(() => response.writeHead(204).end()));
    const first = deliver(endpoint);
    await expect.poll(() => arrived().length).toBe(1);
    expect(await deliver(endpoint, 29_000)).toEqual({ delivered: 0, failed: 0, givenUp: 0 });
    hanging.resolve();
    expect(await first).toEqual({ delivered: 1, failed: 0, givenUp: 0 });
    expect(arrived()).toEqual(['evt_1_1_0']);
    const killed = { deps: { ...deliveryDeps(), now: () => new Date(NOON) }, endsAt: UNTIL_DONE };
    await new EndpointTurn(endpoint, { ...killed, counts: { delivered: 0, failed: 0, givenUp: 0 } }).begin();
    await tell([1, 2]);
    expect(await deliver(endpoint, 29_999)).toMatchObject({ delivered: 0 });
    expect(await deliver(endpoint, 30_000)).toMatchObject({ delivered: 1 });
  });

  it('follows no redirect, and pauses for the time that a busy receiver names', async () => {
    const endpoint = await create();
    await tell([4, 1]);
    receiver.answer(say(307, { Location: receiver.url }));
    await deliver(endpoint);
    expect(arrived()).toEqual(['evt_4_1_0']);
    await tell([1, 1], [2, 1]);
    receiver.answer(say(429, { 'Retry-After': '120' }));
    await deliver(endpoint);
    receiver.answer();
    await tell([3, 1]);
    await deliver(endpoint, 2 * MINUTE - 1);
    expect(receiver.taken()).toEqual([]);
    await deliver(endpoint, 2 * MINUTE);
    expect(receiver.taken().toSorted()).toEqual(['evt_1_1_0', 'evt_2_1_0', 'evt_3_1_0', 'evt_4_1_0']);
  });

  it('gives an event up after its eleventh try, and goes on with the next of its order', async () => {
    const endpoint = await create();
    await tell([1, 1], [1, 2]);
    receiver.answer(({ id }, response) => response.writeHead(id === 'evt_1_1_0' ? 400 : 204).end());
    await deliver(endpoint);
    const [queue] = await listQueues(table(), endpoint.id);
    if (!queue) throw new Error('an event waits');
    const dueAt = new Date(NOON).toISOString();
    await replaceQueue(table(), endpoint.id, queue, { ...queue, tries: 10, dueAt });
    await changeEndpoint(table(), endpoint, { dueAt });
    expect(await deliver(endpoint, MINUTE)).toEqual({ delivered: 1, failed: 1, givenUp: 1 });
    expect(receiver.taken()).toEqual(['evt_1_2_0']);
    const after = await reread(endpoint);
    expect(after).toMatchObject({ givenUpCount: 1, disabled: null, dueAt: null });
    expect(await listDeliveries(table(), endpoint.id, { status: 'given_up', limit: 9 })).toMatchObject([
      { eventId: 'evt_1_1_0', tries: 11, answerStatus: 400 },
    ]);
    const watch = () => watchEndpoints(table(), new Date(after.lastGivenUpAt ?? ''));
    expect(await watch()).toMatchObject({ webhooksGivenUp: 1 });
    receiver.answer();
    const replay = (...more: string[]) =>
      operate('pipe', 'webhooks', 'replay', String(endpoint.id), '--given-up', ...more);
    expect(await replay('--to', '2026-11-23T19:00:00Z')).toMatchObject({ code: 2 });
    expect(await replay()).toMatchObject({ code: 0 });
    await deliver(endpoint, HOUR);
    expect(receiver.taken()).toEqual(['evt_1_2_0', 'evt_1_1_0']);
    expect(await watch()).toMatchObject({ webhooksGivenUp: 0 });
  });
});

describe('an endpoint', () => {
  it('that is gone is disabled at once, and its owner is told, without the path of the URL', async () => {
    const endpoint = await create();
    await tell([1, 1], [2, 1], [3, 1]);
    receiver.answer(say(410));
    await deliver(endpoint);
    expect(await reread(endpoint)).toMatchObject({ disabled: { by: 'gone' }, isNoticeDue: true });
    receiver.answer();
    await deliver(endpoint, HOUR);
    expect(receiver.taken()).toEqual([]);
    ses.scenario = 'down';
    expect(await mailOwners({ table: table(), mail })).toBe(0);
    ses.scenario = 'well';
    expect(await mailOwners({ table: table(), mail })).toBe(1);
    expect(await mailOwners({ table: table(), mail })).toBe(0);
    const raw = Buffer.from(ses.sent.at(-1)?.get('RawMessage.Data') ?? '', 'base64').toString();
    expect(raw).toContain('To: duena@clinica.example');
    expect(raw).toContain('410 (Gone)');
    expect(raw).not.toContain('planted-token');
  });

  it('that failed for a day is disabled, and gets what it missed, in order, when it is enabled', async () => {
    const endpoint = await create();
    await tell([1, 1]);
    receiver.answer((_, response) => response.destroy());
    await deliver(endpoint);
    await tell([1, 2], [2, 1]);
    await deliver(endpoint, 24 * HOUR - 1);
    expect(await reread(endpoint)).toMatchObject({ disabled: null, failingSince: '2026-11-23T18:00:00.000Z' });
    await tell([3, 1]);
    await deliver(endpoint, 24 * HOUR);
    expect(await reread(endpoint)).toMatchObject({ disabled: { by: 'failures', at: '2026-11-24T18:00:00.000Z' } });
    expect(await watchEndpoints(table(), new Date(NOON + 25 * HOUR))).toMatchObject({ webhooksDisabled: 1 });
    expect(await watchEndpoints(table(), new Date(NOON + 49 * HOUR))).toMatchObject({ webhooksDisabled: 0 });
    receiver.answer();
    setClock(new Date(NOON + 100 * HOUR));
    await operate('pipe', 'webhooks', 'update', String(endpoint.id), '--enabled', 'yes');
    await deliver(endpoint, 100 * HOUR);
    expect(receiver.taken().filter(ofOrder(1))).toEqual(['evt_1_1_0', 'evt_1_2_0']);
    expect(receiver.taken()).toHaveLength(4);
  });

  it('has a turn in a run when a retry is due or an event is new, and none while it is disabled', async () => {
    const run = async (afterMs: number) => {
      setClock(new Date(NOON + afterMs));
      receiver.arrivals.length = 0;
      await deliverWebhooks(deliveryDeps(), { endsAt: UNTIL_DONE, patienceMs: 0 });
      return arrived();
    };
    const endpoint = await create();
    expect(await run(0)).toEqual([]);
    await tell([1, 1]);
    receiver.answer(say(500));
    expect(await run(0)).toEqual(['evt_1_1_0']);
    expect(await run(4_999)).toEqual([]);
    expect(await run(6_000)).toEqual(['evt_1_1_0']);
    await operate('pipe', 'webhooks', 'update', String(endpoint.id), '--enabled', 'no');
    expect(await run(2 * MINUTE)).toEqual([]);
  });
});

describe('the queues of an endpoint', () => {
  const TOMORROW = '2026-11-24T18:00:00.000Z';
  let endpoint: Endpoint;
  beforeEach(async () => {
    endpoint = await create();
  });
  const failOrder = (failing: number) =>
    receiver.answer(({ order }, response) => response.writeHead(order === failing ? 500 : 204).end());
  const rows = () => table().all({ pk: queuesPartition(endpoint.id) });

  it('cost a new event 13 requests and the retry of an order 16, while 400 other orders wait', async () => {
    const spent = { roundTrips: 0, readUnits: 0 };
    onMeasure(({ roundTrips = 0, readUnits = 0 }) => {
      spent.roundTrips += roundTrips;
      spent.readUnits += readUnits;
    });
    const measureDelivery = async (afterMs = 0) => {
      Object.assign(spent, { roundTrips: 0, readUnits: 0 });
      expect(await deliver(endpoint, afterMs)).toMatchObject({ delivered: 1 });
      return [spent.roundTrips, spent.readUnits];
    };
    const waiting = Array.from({ length: 400 }, (_, index) => ({
      orderId: 10_001 + index,
      sequences: [index],
      tries: 1,
    }));
    const items = waiting.map((queue) => toItem(queueKey(endpoint.id, queue.orderId), { ...queue, dueAt: TOMORROW }));
    await table().putAll(items);
    await changeEndpoint(table(), endpoint, { dueAt: TOMORROW });
    await tell([1, 1]);
    expect(await measureDelivery()).toEqual([expect.toSatisfy(atMost(13)), expect.toSatisfy(atMost(9))]);
    await tell([2, 1]);
    failOrder(2);
    await deliver(endpoint);
    receiver.answer();
    expect(await measureDelivery(MINUTE)).toEqual([expect.toSatisfy(atMost(16)), expect.toSatisfy(atMost(24))]);
  });

  it('takes events of a replay while it is sent', async () => {
    await tell([1, 1], [1, 2]);
    await deliver(endpoint);
    await tell([1, 3]);
    failOrder(1);
    await deliver(endpoint);
    const replay = () => operate('pipe', 'webhooks', 'replay', String(endpoint.id), '--event', 'evt_1_1_0');
    let isReplayed = false;
    receiver.answer(async (_, response) => {
      if (!isReplayed) await replay();
      isReplayed = true;
      response.writeHead(204).end();
    });
    await deliver(endpoint, MINUTE);
    await deliver(endpoint, MINUTE);
    expect(receiver.taken()).toEqual(['evt_1_1_0', 'evt_1_2_0', 'evt_1_3_0', 'evt_1_1_0', 'evt_1_3_0']);
    expect(await rows()).toEqual([]);
  });
});

describe('the commands', () => {
  const argv = (...words: readonly string[]) => operate('pipe', 'webhooks', ...words);

  it('create an endpoint of a public address, whose secret is shown once', async () => {
    const owner = ['--client', String(clientId), '--email', 'dev@clinica.example', '--types', 'order.paid'];
    const made = await argv('create', ...owner, '--url', 'http://127.0.0.1:4000/hooks', '--json');
    expect(JSON.parse(made.out)).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      event_types: ['order.paid'],
    });
    const { out } = await argv('list', '--client', String(clientId), '--json');
    expect(JSON.parse(out)).toMatchObject({ webhooks: [{ id: JSON.parse(made.out).id, event_types: ['order.paid'] }] });
    expect(out).not.toContain('whsec_');
    for (const url of ['https://10.0.0.1/', 'https://no-such-name.invalid/'])
      expect(await argv('create', ...owner, '--url', url)).toMatchObject({ code: 1, out: '' });
  });

  it('send a test event and show the answer', async () => {
    const endpoint = await create();
    receiver.answer((_, response) => response.writeHead(200).end(`gracias${'.'.repeat(2_000)}`));
    const good = await argv('test', String(endpoint.id), '--json');
    const shown = { id: endpoint.id, status: 200, failure: null, body: `gracias${'.'.repeat(1_017)}` };
    expect([good.code, JSON.parse(good.out)]).toMatchObject([0, shown]);
    expect(receiver.arrivals[0]).toMatchObject({ type: 'webhook.test' });
    receiver.answer(say(500));
    expect(await argv('test', String(endpoint.id))).toMatchObject({ code: 1 });
  });

  it('replay one event, and a span of time in the order of each order', async () => {
    const endpoint = await create();
    await tell([1, 1], [1, 2], [2, 1]);
    await deliver(endpoint);
    await argv('replay', String(endpoint.id), '--event', 'evt_1_1_0');
    await deliver(endpoint);
    expect(arrived().slice(3)).toEqual(['evt_1_1_0']);
    await argv('replay', String(endpoint.id), '--from', '2020-01-01T00:00:00Z', '--to', '2040-01-01T00:00:00Z');
    await deliver(endpoint);
    expect(arrived().slice(4).filter(ofOrder(1))).toEqual(['evt_1_1_0', 'evt_1_2_0']);
    expect(arrived()).toHaveLength(7);
    expect((await argv('replay', String(endpoint.id), '--event', 'evt_9_9_0')).code).toBe(1);
  });
});
