import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { EVENT_TYPES } from '../../../shared/api/events/events.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { republishOrder } from '../../../shared/events/publish-events.ts';
import { forgetUnpublished, listUnpublished } from '../../../shared/events/stream-records.ts';
import { DELIVERY_STATUSES, listDeliveries } from '../../../shared/events/webhooks/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  getSecrets,
  listEndpoints,
  replaceSecret,
  signingSecrets,
} from '../../../shared/events/webhooks/endpoints.ts';
import { type Replay, replayEvents } from '../../../shared/events/webhooks/order-queues.ts';
import { judgeAnswer } from '../../../shared/events/webhooks/outcome.ts';
import { createSecret, findEndpointFault, sendWebhook } from '../../../shared/events/webhooks/send.ts';
import { webhookConfig } from '../../../shared/runtime/config.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Table } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, listLimit, recordId, upTo } from '../input.ts';
import { countText, printable, recordTable, textTable } from '../output.ts';

const eventTypes = z
  .string()
  .transform((list) => [...new Set(list.split(','))])
  .pipe(z.array(z.enum(EVENT_TYPES)))
  .meta({ title: 'type,type' });

const FAULTS: Readonly<Record<NonNullable<Awaited<ReturnType<typeof findEndpointFault>>>, string>> = {
  not_a_url: 'It is not a URL.',
  url_too_long: 'It is too long.',
  not_https: 'Events are sent by https only.',
  url_with_credentials: 'A user name or a password may not stand in it.',
  address_not_public: 'It names an address that is not of the public internet.',
  name_unknown: 'Its name cannot be resolved.',
};

const secretText = (secret: string): string => `Its secret, which is not shown again:\n${secret}\n`;

const webhooksCreate = command({
  name: 'webhooks create',
  summary: "Send a client's events to a URL from now on, and show the secret that signs them this once",
  example: '--client 2 --url https://clinica.example/botica --email dev@clinica.example --types order.moved,order.paid',
  input: z.object({
    client: recordId,
    url: requiredText(2_048).meta({ title: 'https://…' }),
    email: emailAddress.describe('the owner, who is told when the webhook is disabled because it fails'),
    types: eventTypes.optional().describe(`${EVENT_TYPES.join(', ')}; without it all of them`),
    description: optionalText(255).meta({ title: 'text' }).optional(),
  }),
  async run({ client, url, email, types = null, description = '' }, { table, now }) {
    await existingClient(client, table);
    const reach = webhookConfig().WEBHOOK_REACH;
    const fault = await findEndpointFault(url, { reach });
    if (fault) throw new CommandRefusal(`Events cannot be sent to this URL. ${FAULTS[fault]}`);
    const secret = createSecret();
    const wanted = { clientId: client, url, ownerEmail: email, eventTypes: types, description, secret };
    const endpoint = await createEndpoint(table, new Ids(table), wanted, now);
    return {
      document: { ...representEndpoint(endpoint), secret },
      text: `Webhook ${endpoint.id} gets the events of client ${client} from now on.\n${secretText(secret)}`,
      remark:
        reach === 'loopback'
          ? 'The local server also sends to this machine, by http too; a deployed stage only to public addresses, by https.'
          : undefined,
    };
  },
});

const COLUMNS = ['id', 'client', 'url', 'types', 'email', 'state', 'failing_since', 'given_up'] as const;

const webhooksList = command({
  name: 'webhooks list',
  summary: 'List the webhooks of all clients, or of one',
  example: '--client 2',
  input: z.object({ client: recordId.optional() }),
  async run({ client }, context) {
    const webhooks = (await listEndpoints(context.table, client)).map(representEndpoint);
    const rows = webhooks.map((webhook) => ({
      ...webhook,
      types: webhook.event_types?.join(',') ?? 'all',
      state: webhook.disabled_by ? `disabled (${webhook.disabled_by})` : webhook.state,
    }));
    return { document: { webhooks }, text: textTable(COLUMNS, rows, context) };
  },
});

/** An endpoint as commands show it, without its secrets. */
const representEndpoint = (endpoint: Endpoint) => ({
  id: endpoint.id,
  client: endpoint.clientId,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
  description: endpoint.description,
  email: endpoint.ownerEmail,
  state: endpoint.disabled ? 'disabled' : 'enabled',
  disabled_by: endpoint.disabled?.by ?? null,
  disabled_at: endpoint.disabled?.at ?? null,
  failing_since: endpoint.failingSince,
  paused_until: endpoint.pausedUntil,
  next_retry_at: endpoint.dueAt,
  given_up: endpoint.givenUpCount,
  position: endpoint.position,
  former_secret_until: endpoint.formerSecretUntil,
  created_at: endpoint.createdAt,
});

const webhook = recordId.describe('the id of a webhook');
/** The commands on one webhook have these parts in common. */
const ofWebhook = { example: '1', positional: ['webhook'], input: z.object({ webhook }) } as const;

/** Returns an endpoint of any client. Throws a CommandRefusal if it does not exist. */
async function existingEndpoint(id: number, table: Table): Promise<Endpoint> {
  const found = (await listEndpoints(table)).find((endpoint) => endpoint.id === id);
  if (!found) throw new CommandRefusal(`There is no webhook ${id}.`);
  return found;
}

const HOUR_MS = 60 * 60 * 1_000;

const webhooksRotate = command({
  name: 'webhooks rotate',
  summary: 'Give a webhook a new secret, shown this once; the former one signs as well for a time',
  example: '1 --keep-hours 48',
  positional: ['webhook'],
  input: z.object({ webhook, keepHours: upTo(30 * 24, '24').meta({ title: 'hours' }) }),
  async run({ webhook: id, keepHours }, { table, now }) {
    const endpoint = await existingEndpoint(id, table);
    const secret = createSecret();
    const until = new Date(now.getTime() + keepHours * HOUR_MS).toISOString();
    await replaceSecret(table, endpoint, await getSecrets(table, id), { secret, until, now });
    return {
      document: { id, secret, former_secret_until: until },
      text: `Webhook ${id} has a new secret; the former one signs as well until ${until}.\n${secretText(secret)}`,
    };
  },
});

const stateCommand = (verb: string, state: 'enabled' | 'disabled', summary: string) =>
  command({
    name: `webhooks ${verb}`,
    summary,
    ...ofWebhook,
    async run({ webhook: id }, { table, now }) {
      const at = now.toISOString();
      const fresh = { disabled: null, failingSince: null, pausedUntil: null, isNoticeDue: false, dueAt: at };
      const change = state === 'enabled' ? fresh : { disabled: { by: 'operator', at } as const };
      await changeEndpoint(table, await existingEndpoint(id, table), change);
      const effect = state === 'enabled' ? ' It gets what it missed within a minute.' : '';
      return { document: { id, state }, text: `Webhook ${id} is ${state}.${effect}\n` };
    },
  });

const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a signed event of the type webhook.test from this machine, and show the answer',
  ...ofWebhook,
  async run({ webhook: id }, { table, now: sentAt }) {
    const { url } = await existingEndpoint(id, table);
    const event = `evt_test_${randomUUID()}`;
    const body = JSON.stringify({ id: event, type: 'webhook.test', time: sentAt.toISOString() });
    const target = { url, secrets: signingSecrets(await getSecrets(table, id), sentAt) };
    const reach = webhookConfig().WEBHOOK_REACH;
    const answer = await sendWebhook(target, { id: event, sentAt, body }, { reach });
    const { status, code: failure, durationMs: duration_ms, body: answered } = answer;
    const outcome = status === null ? `No answer: ${failure}` : `Answered ${status}`;
    const isTaken = judgeAnswer(answer) === 'delivered';
    return {
      document: { id, event, status, failure, duration_ms, body: answered },
      text: `${outcome} after ${duration_ms} ms\n${answered === '' ? '' : `${printable(answered)}\n`}`,
      failure: isTaken ? undefined : 'The test event was not taken: any answer but 2xx is a failure.',
    };
  },
});

const DELIVERY_COLUMNS = [
  'number',
  'event',
  'type',
  'status',
  'tries',
  'answer',
  'duration_ms',
  'last_tried_at',
] as const;

const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  summary: 'List what became of the events of a webhook in the last 30 days, the latest first',
  example: '1 --status given_up',
  positional: ['webhook'],
  input: z.object({
    webhook,
    status: z.enum(DELIVERY_STATUSES).optional(),
    before: recordId.optional().describe('the number of the last event of a page, for the next page'),
    limit: listLimit,
  }),
  async run({ webhook: id, ...page }, context) {
    await existingEndpoint(id, context.table);
    const deliveries = (await listDeliveries(context.table, id, page)).map((delivery) => ({
      number: delivery.sequence,
      event: delivery.eventId,
      type: delivery.type,
      order: delivery.orderId,
      status: delivery.status,
      tries: delivery.tries,
      answer: delivery.answerStatus ?? delivery.answerCode,
      duration_ms: delivery.durationMs,
      last_tried_at: delivery.lastTriedAt,
    }));
    const last = deliveries.length === page.limit ? deliveries.at(-1)?.number : undefined;
    return {
      document: { deliveries },
      text: textTable(DELIVERY_COLUMNS, deliveries, context),
      remark: last === undefined ? undefined : `There may be more: --before ${last}`,
    };
  },
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
    webhook,
    event: z.string().max(64).meta({ title: 'evt_…' }).optional(),
    from: instant.optional(),
    givenUp: z.literal(true).optional(),
    to: instant.optional(),
  }),
  oneOf: { names: ['event', 'from', 'givenUp'], isRequired: true },
  check({ from, to }) {
    if (to && !from) throw new UsageError('--to needs --from.');
  },
  async run({ webhook: id, event, from, to }, { table, now }) {
    const endpoint = await existingEndpoint(id, table);
    const span: Replay = from ? { from, to: to ?? now } : { givenUp: true };
    const events = await replayEvents(table, endpoint, event === undefined ? span : { event }, now);
    if (events === 0) throw new CommandRefusal('There is no such event for this webhook.');
    return {
      document: { id, events },
      text: `${events} events are sent to webhook ${id} once more, within a minute.\n`,
      remark: endpoint.disabled ? 'It is disabled: they wait until it is enabled.' : undefined,
    };
  },
});

const eventsUnpublished = command({
  name: 'events unpublished',
  summary: 'List the orders with an event that could not be read from the table’s stream, so that it is not published',
  async run(_, context) {
    const orders = await listUnpublished(context.table);
    const rows = orders.map(({ orderId, writtenAt, code }) => ({ order: orderId, written: writtenAt, code }));
    return {
      document: { orders },
      text: recordTable(rows, context),
      remark: orders.length === 0 ? 'Every event is published.' : 'Publish them with `events republish --order`.',
    };
  },
});

const eventsRepublish = command({
  name: 'events republish',
  summary: 'Publish the events of an order that its client did not get, each once. Webhooks send them within a minute',
  example: '--order 42',
  input: z.object({ order: recordId }),
  async run({ order }, { table, now }) {
    const published = await republishOrder(order, { table, now });
    await forgetUnpublished(table, order);
    const text = `Published ${countText(published, 'event')} of order ${order}.\n`;
    return { document: { order, published }, text };
  },
});

export const webhookCommands: readonly Command[] = [
  webhooksCreate,
  webhooksList,
  webhooksRotate,
  stateCommand('disable', 'disabled', 'Send no more events to a webhook; they wait until it is enabled'),
  stateCommand(
    'enable',
    'enabled',
    'Send events to a disabled webhook again, those that it missed (30 days at most) first',
  ),
  webhooksTest,
  webhooksDeliveries,
  webhooksReplay,
  eventsUnpublished,
  eventsRepublish,
];
