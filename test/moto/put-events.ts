import { isDeepStrictEqual } from 'node:util';
import { configuredAccess, signedFetch } from '../../shared/runtime/aws.ts';
import { openEventBus } from '../../shared/runtime/job-clients.ts';

/*
 * Puts an event on a bus of moto and receives it from a queue behind a rule of the bus: that requests are what EventBridge
 * takes, which no local engine shows.
 */

const TIMEOUT_MS = 5_000;
const BUS = 'pharmacy';

/** Calls an operation of a JSON API: `AWSEvents.PutRule`. */
async function call(service: string, url: string, target: string, asked: object): Promise<Record<string, unknown>> {
  const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': target };
  const send = signedFetch(service, configuredAccess());
  const answer = await send(url, TIMEOUT_MS, { method: 'POST', headers, body: JSON.stringify(asked) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${target} was answered ${answer.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

const DETAIL = { id: 'evt_42_1_0', type: 'order.created', time: '2026-11-23T18:00:00.500Z', client_id: 3 };
const EXPECTED = [['botica', 'order.created', '2026-11-23T18:00:00Z', DETAIL]];

/** Throws unless the event arrives as it should. */
export async function checkPutEvents(address: string): Promise<void> {
  Object.assign(process.env, {
    AWS_REGION: 'mx-central-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_EVENTBRIDGE: address,
    EVENT_BUS: BUS,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  const events = (operation: string, asked: object) => call('events', address, `AWSEvents.${operation}`, asked);
  const queues = (operation: string, asked: object) => call('sqs', address, `AmazonSQS.${operation}`, asked);
  const { QueueUrl } = await queues('CreateQueue', { QueueName: 'events' });
  const { Attributes } = await queues('GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] });
  await events('CreateEventBus', { Name: BUS });
  const EventPattern = JSON.stringify({
    source: ['botica'],
    'detail-type': ['order.created'],
    detail: { client_id: [3] },
  });
  await events('PutRule', { Name: 'created', EventBusName: BUS, EventPattern });
  const Targets = [{ Id: 'queue', Arn: (Attributes as { QueueArn: string }).QueueArn }];
  await events('PutTargets', { Rule: 'created', EventBusName: BUS, Targets });
  const refused = await openEventBus()?.([{ type: DETAIL.type, time: DETAIL.time, detail: DETAIL }]);
  const { Messages = [] } = await queues('ReceiveMessage', { QueueUrl });
  const arrived = (Messages as { Body: string }[]).map(({ Body }) => JSON.parse(Body));
  const told = arrived.map((event) => [event.source, event['detail-type'], event.time, event.detail]);
  if (refused?.length !== 0 || !isDeepStrictEqual(told, EXPECTED)) {
    throw new Error(`moto's bus passed on ${JSON.stringify(arrived)}, refused: ${JSON.stringify(refused)}`);
  }
}
