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

const toIds = (...versions: readonly number[]) => versions.map((version) => `evt_42_${version}_0`);

describe('events for an event bus', () => {
  it('are put there as JSON with the id of their client, signed for the region of the ARN of the bus', async () => {
    const { api, bus } = await openBus(taken(1), taken(1));
    expect(await forwardEvents(events(1), { bus, table, now })).toBe(0);
    const [request] = api.heard;
    expect(request?.headers).toMatchObject({
      'x-amz-target': 'AWSEvents.PutEvents',
      authorization: expect.stringMatching(/Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/events\/aws4_request/),
    });
    const { Entries } = JSON.parse(request?.body ?? '');
    const entry = { EventBusName: 'pharmacy', Source: 'botica', DetailType: 'order.moved', Time: 1_795_456_800.5 };
    expect(Entries).toEqual([{ ...entry, Detail: expect.any(String) }]);
    expect(JSON.parse(Entries[0].Detail)).toMatchObject({
      id: 'evt_42_1_0',
      type: 'order.moved',
      order: { id: 42, version: 1 },
      move: { status: 'order_status', from: 'approved', to: 'in_process' },
      client_id: 3,
    });
    const arn = 'arn:aws:events:us-east-1:111122223333:event-bus/pharmacy';
    vi.stubEnv('EVENT_BUS', arn);
    await forwardEvents(events(1), { bus: openEventBus() ?? bus, table, now });
    expect(api.heard[1]?.headers.authorization).toContain('/us-east-1/events/aws4_request');
    expect(JSON.parse(api.heard[1]?.body ?? '').Entries[0].EventBusName).toBe(arn);
  });

  it('are put there ten at a time, and again alone if the bus did not take them, before any later one', async () => {
    const some = [null, 'ThrottlingException', null, 'InternalFailure', ...Array.from({ length: 6 }, () => null)];
    const { api, bus } = await openBus(answer(...some), answer(null, 'InternalFailure'), taken(1), taken(1));
    expect(await forwardEvents(events(11), { bus, table, now })).toBe(0);
    expect(sentIds(api)).toEqual([toIds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), toIds(2, 4), toIds(4), toIds(11)]);
  });

  const failures = (count: number) => answer(...Array.from({ length: count }, () => 'InternalFailure'));

  it('are stored if the bus does not take them, and put there with the next events', async () => {
    await table.putAll(events(13).map(toEventItem));
    const third = [null, null, 'InternalFailure', ...Array.from({ length: 7 }, () => null)];
    const refused = Array.from({ length: 3 }, () => failures(1));
    const { api, bus } = await openBus(answer(...third), ...refused, taken(2), taken(1), taken(1));
    expect(await forwardEvents(events(12), { bus, table, now })).toBe(1);
    expect(sentIds(api).slice(1)).toEqual([toIds(3), toIds(3), toIds(3), toIds(11, 12), toIds(3)]);
    expect(await forwardEvents([event(13)], { bus, table, now })).toBe(0);
    expect(sentIds(api).slice(6)).toEqual([toIds(13)]);
  });

  it('are stored with those behind if the bus takes none of ten, and hold up no others if it never does', async () => {
    await table.putAll(events(14).map(toEventItem));
    const never = (count: number) => Array.from({ length: count }, () => 'MalformedDetail');
    const refused = Array.from({ length: 4 }, () => answer(...never(10)));
    const next = [answer(null, null, ...never(8)), ...Array.from({ length: 3 }, () => answer(...never(8)))];
    const last = Array.from({ length: 4 }, () => answer(...never(2)));
    const { api, bus } = await openBus(...refused, taken(1), ...refused, taken(1), ...next, ...last);
    expect(await forwardEvents(events(12), { bus, table, now })).toBe(12);
    expect(await forwardEvents([event(13)], { bus, table, now })).toBe(0);
    expect(await forwardEvents([event(14)], { bus, table, now })).toBe(0);
    expect(sentIds(api)[10]?.slice(0, 3)).toEqual(toIds(11, 12, 1));
    expect(await table.all({ pk: 'UNPUBLISHED#BUS' })).toHaveLength(10);
  });

  it.each<[string, Scripted]>([
    ['hangs up', 'hangs up'],
    ['refuses it', { status: 400, body: { __type: 'com.amazon.coral#AccessDeniedException' } }],
    ['answers nothing about them', { status: 200, body: { FailedEntryCount: 0, Entries: [] } }],
  ])('are stored if the bus %s', async (_, refused) => {
    const { bus } = await openBus(refused);
    expect(await forwardEvents(events(2), { bus, table, now })).toBe(2);
  });
});
