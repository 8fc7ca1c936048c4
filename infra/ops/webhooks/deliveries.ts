import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { judgeAnswer, type WebhookAnswer } from '../../../shared/events/webhooks/outcome.ts';
import { sendWebhook } from '../../../shared/events/webhooks/send.ts';
import { webhookConfig } from '../../../shared/runtime/config.ts';
import { forgetUntold, listUntold } from '../../../shared/store/events/stream-records.ts';
import type { Table } from '../../../shared/store/table.ts';
import { DELIVERY_STATUSES, type Delivery, listDeliveries } from '../../../shared/store/webhooks/deliveries.ts';
import { type Endpoint, listEndpoints } from '../../../shared/store/webhooks/endpoints.ts';
import { getSecrets, signingSecrets } from '../../../shared/store/webhooks/secrets.ts';
import { republishOrder } from '../../../shared/usecases/events/publish-events.ts';
import { type Replay, replayEvents } from '../../../shared/usecases/webhooks/replay-events.ts';
import { type Command, command } from '../command.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { listLimit, recordId } from '../input.ts';
import { countText, printable, textTable } from '../output.ts';

export const endpointId = recordId.describe('the id of a webhook');

/** Returns an endpoint of any client. Throws a CommandRefusal if it does not exist. */
export async function existingEndpoint(id: number, table: Table): Promise<Endpoint> {
  const found = (await listEndpoints(table)).find((endpoint) => endpoint.id === id);
  if (!found) throw new CommandRefusal(`There is no webhook ${id}.`);
  return found;
}

/** The addresses to which events are sent from here. */
export const webhookReach = () => webhookConfig().WEBHOOK_REACH;

/** A remark on the local server, which sends where a deployed stage does not. */
export const reachRemark = (): string | undefined =>
  webhookReach() === 'loopback'
    ? 'The local server also sends to this machine, by http too; a deployed stage only to public addresses, by https.'
    : undefined;

const RANDOM_BYTES = 9;

const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a signed event of the type webhook.test from this machine, and show the answer',
  example: '1',
  positional: ['webhook'],
  input: z.object({ webhook: endpointId }),
  async run({ webhook }, { table, now: sentAt }) {
    const endpoint = await existingEndpoint(webhook, table);
    const id = `evt_test_${randomBytes(RANDOM_BYTES).toString('hex')}`;
    const body = JSON.stringify({ id, type: 'webhook.test', time: sentAt.toISOString() });
    const target = { url: endpoint.url, secrets: signingSecrets(await getSecrets(table, webhook), sentAt) };
    const answer = await sendWebhook(target, { id, sentAt, body }, { reach: webhookReach() });
    const isDelivered = judgeAnswer(answer) === 'delivered';
    const { status, code, durationMs, body: answered } = answer;
    return {
      document: { id: webhook, event: id, status, failure: code, duration_ms: durationMs, body: answered },
      text: answerText(answer),
      remark: reachRemark(),
      failure: isDelivered ? undefined : 'The test event was not taken: any answer but 2xx is a failure.',
    };
  },
});

const answerText = ({ status, code, durationMs, body }: WebhookAnswer): string => {
  const outcome = status === null ? `No answer: ${code}` : `Answered ${status}`;
  return `${outcome} after ${durationMs} ms\n${body === '' ? '' : `${printable(body)}\n`}`;
};

const COLUMNS = ['number', 'event', 'type', 'status', 'tries', 'answer', 'duration_ms', 'last_tried_at'] as const;

const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  summary: 'List what became of the events of a webhook in the last 30 days, the latest first',
  example: '1 --status given_up',
  positional: ['webhook'],
  input: z.object({
    webhook: endpointId,
    status: z.enum(DELIVERY_STATUSES).optional(),
    before: recordId.optional().describe('the number of the last event of a page, for the next page'),
    limit: listLimit,
  }),
  async run({ webhook, ...page }, context) {
    const { id } = await existingEndpoint(webhook, context.table);
    const deliveries = (await listDeliveries(context.table, id, page)).map(representDelivery);
    const last = deliveries.length === page.limit ? deliveries.at(-1)?.number : undefined;
    return {
      document: { deliveries },
      text: textTable(COLUMNS, deliveries, context),
      remark: last === undefined ? undefined : `There may be more: --before ${last}`,
    };
  },
});

const representDelivery = (delivery: Delivery) => ({
  number: delivery.sequence,
  event: delivery.eventId,
  type: delivery.type,
  order: delivery.orderId,
  status: delivery.status,
  tries: delivery.tries,
  answer: delivery.answerStatus ?? delivery.answerCode,
  duration_ms: delivery.durationMs,
  last_tried_at: delivery.lastTriedAt,
});

const instant = z.iso
  .datetime({ offset: true })
  .transform((written) => new Date(written))
  .meta({ title: '2026-11-23T18:00:00Z' });

const webhooksReplay = command({
  name: 'webhooks replay',
  summary: 'Send events to a webhook once more: one, those of a span of time, or all that were given up',
  example: '1 --from 2026-11-23T18:00:00Z --to 2026-11-23T19:00:00Z',
  details: 'Events are kept for 30 days. --to is now, if it is not given.\n\n',
  positional: ['webhook'],
  input: z.object({
    webhook: endpointId,
    event: z.string().max(64).meta({ title: 'evt_…' }).optional(),
    from: instant.optional(),
    givenUp: z.literal(true).optional(),
    to: instant.optional(),
  }),
  oneOf: { names: ['event', 'from', 'givenUp'], isRequired: true },
  check({ from, to }) {
    if (to && !from) throw new UsageError('--to needs --from.');
  },
  async run({ webhook, event, from, to }, { table, now }) {
    const endpoint = await existingEndpoint(webhook, table);
    const span: Replay = from ? { from, to: to ?? now } : { givenUp: true };
    const events = await replayEvents(table, endpoint, event === undefined ? span : { event }, now);
    if (events === 0) throw new CommandRefusal('There is no such event for this webhook.');
    return {
      document: { id: webhook, events },
      text: `${events} events are sent to webhook ${webhook} once more, within a minute.\n`,
      remark: endpoint.disabled ? 'It is disabled: they wait until it is enabled.' : undefined,
    };
  },
});

const eventsUntold = command({
  name: 'events untold',
  summary:
    'List the orders with a version that could not be read from the table’s stream, so that its events are not told',
  async run(_, context) {
    const untold = await listUntold(context.table);
    const rows = untold.map((row) => ({ order: row.orderId, client: row.clientId, written: row.writtenAt, ...row }));
    return {
      document: { orders: untold },
      text: textTable(['order', 'client', 'written', 'code'], rows, context),
      remark: untold.length === 0 ? 'Every event is told.' : 'Tell them with `events republish --order`.',
    };
  },
});

const eventsRepublish = command({
  name: 'events republish',
  summary:
    'Tell the events of an order that its client was not told; what was told is not told again. Webhooks send them within a minute',
  example: '--order 42',
  input: z.object({ order: recordId }),
  async run({ order }, { table, now }) {
    const told = await republishOrder(order, { table, now });
    await forgetUntold(table, order);
    return { document: { order, told }, text: `Told ${countText(told, 'event')} of order ${order}.\n` };
  },
});

export const deliveryCommands: readonly Command[] = [
  webhooksTest,
  webhooksDeliveries,
  webhooksReplay,
  eventsUntold,
  eventsRepublish,
];
