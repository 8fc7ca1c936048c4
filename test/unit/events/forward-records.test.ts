import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { forwardRecords } from '../../../shared/events/forward-records.ts';
import { openEventBus } from '../../../shared/runtime/job-clients.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { captureOutput } from '../../support/operators/output.ts';

beforeEach(() => {
  // The log would keep a level from the environment for the other files of this thread.
  captureOutput();
  vi.stubEnv('AWS_REGION', 'mx-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('EVENT_BUS', 'pharmacy');
  return () => vi.restoreAllMocks();
});

/** Returns the record of the event that has this number in the feed of client 3. */
const record = (number: number): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: `${700 + number}`,
    NewImage: {
      pk: { S: 'FEED#3' },
      sk: { S: `EVENT#${String(number).padStart(15, '0')}` },
      ttl: { N: '1796083200' },
      event: {
        M: {
          id: { S: `evt_42_${number}_0` },
          type: { S: 'order.moved' },
          time: { S: '2026-11-23T18:00:00.500Z' },
          order: { M: { id: { N: '42' }, version: { N: String(number) } } },
          prescriptions: { L: [] },
        },
      },
    },
  },
});
const records = (count: number) => Array.from({ length: count }, (_, index) => record(index + 1));

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
  return { api, bus: openEventBus() };
}
/** Returns the ids of the events of each request. */
const sentIds = ({ heard }: ScriptedApi): string[][] =>
  heard.map(({ body }) => JSON.parse(body).Entries.map(({ Detail }: { Detail: string }) => JSON.parse(Detail).id));

describe('events for an event bus', () => {
  it('are put there as JSON with the id of their client, signed', async () => {
    const { api, bus } = await openBus(taken(1));
    expect(await forwardRecords(records(1), bus)).toEqual({ events: 1, answer: { batchItemFailures: [] } });
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
      order: { id: 42, version: 1 },
      prescriptions: [],
      client_id: 3,
    });
  });

  it('are signed for the region of the ARN of the bus', async () => {
    const arn = 'arn:aws:events:us-east-1:111122223333:event-bus/pharmacy';
    vi.stubEnv('EVENT_BUS', arn);
    const { api, bus } = await openBus(taken(1));
    await forwardRecords(records(1), bus);
    expect(api.heard[0]?.headers.authorization).toContain('/us-east-1/events/aws4_request');
    expect(JSON.parse(api.heard[0]?.body ?? '').Entries[0].EventBusName).toBe(arn);
  });

  it('are put there ten at a time, in order', async () => {
    const { api, bus } = await openBus(taken(10), taken(10), taken(3));
    expect(await forwardRecords(records(23), bus)).toEqual({ events: 23, answer: { batchItemFailures: [] } });
    expect(sentIds(api).map((ids) => ids.length)).toEqual([10, 10, 3]);
    expect(sentIds(api).flat()).toEqual(records(23).map((_, index) => `evt_42_${index + 1}_0`));
  });

  it('are put there again alone if the bus did not take them, before any later one', async () => {
    const some = [null, 'ThrottlingException', null, 'InternalFailure', ...Array.from({ length: 6 }, () => null)];
    const { api, bus } = await openBus(answer(...some), answer(null, 'InternalFailure'), taken(1), taken(1));
    expect(await forwardRecords(records(11), bus)).toEqual({ events: 11, answer: { batchItemFailures: [] } });
    expect(sentIds(api).slice(1)).toEqual([['evt_42_2_0', 'evt_42_4_0'], ['evt_42_4_0'], ['evt_42_11_0']]);
  });

  it('wait for one that the bus does not take, which Lambda sends again with those behind it', async () => {
    const third = [null, null, 'InternalFailure', ...Array.from({ length: 7 }, () => null)];
    const { api, bus } = await openBus(answer(...third), answer('InternalFailure'));
    expect(await forwardRecords(records(12), bus)).toEqual({
      events: 9,
      answer: { batchItemFailures: [{ itemIdentifier: '703' }] },
    });
    expect(sentIds(api).slice(1)).toEqual([['evt_42_3_0'], ['evt_42_3_0'], ['evt_42_3_0']]);
  });

  it.each<[string, Scripted]>([
    ['is down', { status: 503 }],
    ['hangs up', 'hangs up'],
    ['refuses it', { status: 400, body: { __type: 'com.amazon.coral#AccessDeniedException' } }],
    ['answers nothing about them', { status: 200, body: { FailedEntryCount: 0, Entries: [] } }],
  ])('wait for a bus that %s', async (_, refused) => {
    const { bus } = await openBus(refused);
    expect(await forwardRecords(records(2), bus)).toEqual({
      events: 0,
      answer: { batchItemFailures: [{ itemIdentifier: '701' }] },
    });
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
