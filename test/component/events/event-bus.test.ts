import { beforeEach, describe, expect, it, vi } from 'vitest';
import { forwardEvents } from '../../../shared/events/event-bus.ts';
import { type OrderEvent, toEventItem } from '../../../shared/order/order-events.ts';
import { openEventBus } from '../../../shared/runtime/job-clients.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { captureOutput } from '../../support/operators/output.ts';
import { table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

const now = new Date('2026-11-23T18:05:00.000Z');

beforeEach(() => {
  // The log would keep a level from the environment for the other files of this thread.
  captureOutput();
  vi.stubEnv('AWS_REGION', 'mx-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('EVENT_BUS', 'pharmacy');
  return () => vi.restoreAllMocks();
});

/** Returns the event that made this version of order 42 of client 3. */
const event = (version: number): OrderEvent => ({
  clientId: 3,
  orderId: 42,
  version,
  place: 0,
  what: 'moved',
  from: 'approved',
  to: 'in_process',
  at: '2026-11-23T18:00:00.500Z',
  by: 'system',
  orderStatus: 'in_process',
  paymentStatus: 'unpaid',
});
const events = (count: number) => Array.from({ length: count }, (_, index) => event(index + 1));

/** Returns an answer of PutEvents: an id for each event, or the code of its error. */
const answer = (...codes: readonly (string | null)[]): Scripted => ({
  status: 200,
  body: {
    FailedEntryCount: codes.filter((code) => code !== null).length,
    Entries: codes.map((code, index) => (code === null ? { EventId: `id-${index}` } : { ErrorCode: code })),
  },
});
const taken = (count: number): Scripted => answer(...Array.from({ length: count }, () => null));

async function openBus(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', api.url);
  const bus = openEventBus();
  if (!bus) throw new Error('no bus is configured');
  return { api, bus };
}
/** Returns the ids of the events of each request. */
const sentIds = ({ heard }: ScriptedApi): string[][] =>
  heard.map(({ body }) => JSON.parse(body).Entries.map(({ Detail }: { Detail: string }) => JSON.parse(Detail).id));

describe('events for an event bus', () => {
  it('are put there as JSON with the id of their client, signed', async () => {
    const { api, bus } = await openBus(taken(1));
    expect(await forwardEvents(events(1), { bus, table, now })).toBe(0);
    const [request] = api.heard;
    expect(request?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
      authorization: expect.stringMatching(/Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/events\/aws4_request/),
    });
    const { Entries } = JSON.parse(request?.body ?? '');
    expect(Entries).toEqual([
      {
        EventBusName: 'pharmacy',
        Source: 'botica',
        DetailType: 'order.moved',
        Time: 1_795_456_800.5,
        Detail: expect.any(String),
      },
    ]);
    expect(JSON.parse(Entries[0].Detail)).toEqual({
      id: 'evt_42_1_0',
      type: 'order.moved',
      time: '2026-11-23T18:00:00.500Z',
      order: {
        id: 42,
        folio: 'RX-00000042',
        order_status: 'in_process',
        payment_status: 'unpaid',
        version: 1,
      },
      move: { status: 'order_status', from: 'approved', to: 'in_process' },
      shipment: null,
      refunded: null,
      prescriptions: [],
      reason: null,
      client_id: 3,
    });
  });

  it('are signed for the region of the ARN of the bus', async () => {
    const arn = 'arn:aws:events:us-east-1:111122223333:event-bus/pharmacy';
    vi.stubEnv('EVENT_BUS', arn);
    const { api, bus } = await openBus(taken(1));
    await forwardEvents(events(1), { bus, table, now });
    expect(api.heard[0]?.headers.authorization).toContain('/us-east-1/events/aws4_request');
    expect(JSON.parse(api.heard[0]?.body ?? '').Entries[0].EventBusName).toBe(arn);
  });

  it('are put there ten at a time, in order', async () => {
    const { api, bus } = await openBus(taken(10), taken(10), taken(3));
    expect(await forwardEvents(events(23), { bus, table, now })).toBe(0);
    expect(sentIds(api).map((ids) => ids.length)).toEqual([10, 10, 3]);
    expect(sentIds(api).flat()).toEqual(events(23).map((_, index) => `evt_42_${index + 1}_0`));
  });

  it('are put there again alone if the bus did not take them, before any later one', async () => {
    const some = [null, 'ThrottlingException', null, 'InternalFailure', ...Array.from({ length: 6 }, () => null)];
    const { api, bus } = await openBus(answer(...some), answer(null, 'InternalFailure'), taken(1), taken(1));
    expect(await forwardEvents(events(11), { bus, table, now })).toBe(0);
    expect(sentIds(api).slice(1)).toEqual([['evt_42_2_0', 'evt_42_4_0'], ['evt_42_4_0'], ['evt_42_11_0']]);
  });

  const failures = (count: number) => answer(...Array.from({ length: count }, () => 'InternalFailure'));

  it('are stored if the bus does not take them, and put there with the next events', async () => {
    await table.putAll(events(13).map(toEventItem));
    const third = [null, null, 'InternalFailure', ...Array.from({ length: 7 }, () => null)];
    const refused = Array.from({ length: 3 }, () => failures(1));
    const { api, bus } = await openBus(answer(...third), ...refused, taken(2), taken(1), taken(1));
    expect(await forwardEvents(events(12), { bus, table, now })).toBe(1);
    expect(sentIds(api).slice(1)).toEqual([
      ...[['evt_42_3_0'], ['evt_42_3_0'], ['evt_42_3_0']],
      ...[['evt_42_11_0', 'evt_42_12_0'], ['evt_42_3_0']],
    ]);
    expect(await forwardEvents([event(13)], { bus, table, now })).toBe(0);
    expect(sentIds(api).slice(6)).toEqual([['evt_42_13_0']]);
  });

  it('are stored with those behind if the bus takes none of ten', async () => {
    await table.putAll(events(13).map(toEventItem));
    const refused = Array.from({ length: 4 }, () => failures(10));
    const { api, bus } = await openBus(...refused, taken(1), taken(10), taken(2));
    expect(await forwardEvents(events(12), { bus, table, now })).toBe(12);
    expect(await forwardEvents([event(13)], { bus, table, now })).toBe(0);
    expect(
      sentIds(api)
        .slice(4)
        .map((ids) => ids.length),
    ).toEqual([1, 10, 2]);
  });

  it('hold up no others if the bus never takes them', async () => {
    await table.putAll(events(14).map(toEventItem));
    const never = (count: number) => Array.from({ length: count }, () => 'MalformedDetail');
    const refused = Array.from({ length: 4 }, () => answer(...never(10)));
    const next = [answer(null, null, ...never(8)), ...Array.from({ length: 3 }, () => answer(...never(8)))];
    const last = Array.from({ length: 4 }, () => answer(...never(2)));
    const { api, bus } = await openBus(...refused, taken(1), ...refused, taken(1), ...next, ...last);
    expect(await forwardEvents(events(12), { bus, table, now })).toBe(12);
    expect(await forwardEvents([event(13)], { bus, table, now })).toBe(0);
    expect(await forwardEvents([event(14)], { bus, table, now })).toBe(0);
    expect(sentIds(api)[10]?.slice(0, 3)).toEqual(['evt_42_11_0', 'evt_42_12_0', 'evt_42_1_0']);
    expect(await table.all({ pk: 'UNPUBLISHED#BUS' })).toHaveLength(10);
  });

  it.each<[string, Scripted]>([
    ['is down', { status: 503 }],
    ['hangs up', 'hangs up'],
    ['refuses it', { status: 400, body: { __type: 'com.amazon.coral#AccessDeniedException' } }],
    ['answers nothing about them', { status: 200, body: { FailedEntryCount: 0, Entries: [] } }],
  ])('are stored if the bus %s', async (_, refused) => {
    const { bus } = await openBus(refused);
    expect(await forwardEvents(events(2), { bus, table, now })).toBe(2);
  });

  it('name the code of a refusal', async () => {
    const { bus } = await openBus({
      status: 400,
      body: { __type: 'AccessDeniedException', message: 'of 111122223333' },
    });
    await expect(bus([{ type: 'a', time: '2026-11-23T18:00:00.000Z', detail: {} }])).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});
