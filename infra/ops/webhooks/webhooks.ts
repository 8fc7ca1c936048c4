import * as z from 'zod';
import { existingClient } from '../../../shared/access/clients.ts';
import { EVENT_TYPES } from '../../../shared/api/events/events.ts';
import { requiredText } from '../../../shared/api/fields.ts';
import { forgetUnpublished, listUnpublished, republishOrder } from '../../../shared/events/publish-events.ts';
import {
  DELIVERY_STATUSES,
  listDeliveries,
  type Replay,
  replayEvents,
} from '../../../shared/events/webhooks/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  getSecrets,
  listEndpoints,
  replaceSecret,
  signingSecrets,
} from '../../../shared/events/webhooks/endpoints.ts';
import { createSecret, findEndpointFault, sendTestEvent } from '../../../shared/events/webhooks/send.ts';
import { webhookConfig } from '../../../shared/runtime/config.ts';
import type { Table } from '../../../shared/store/table.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, enabledState, flag, instant, listLimit, recordId, refuseNoChange } from '../input.ts';

const eventTypes = z
  .string()
  .transform((list) => [...new Set(list.split(','))])
  .pipe(z.array(z.enum(EVENT_TYPES)))
  .meta({ title: 'type,type' });

const SECRET_SHOWN = 'The secret is not shown again.';

const webhooksCreate = command({
  name: 'webhooks create',
  summary: "Send a client's events to a URL from now on, and show the secret that signs them this once",
  example: '--client 2 --url https://clinica.example/botica --email dev@clinica.example --types order.moved,order.paid',
  input: z.object({
    client: recordId,
    url: requiredText(2_048).meta({ title: 'https://…' }),
    email: emailAddress.describe('the owner, who is told when the webhook is disabled because it fails'),
    types: eventTypes.optional().describe(`${EVENT_TYPES.join(', ')}; without it all of them`),
  }),
  async run({ client, url, email, types = null }, { table, ids, now }) {
    await existingClient(client, table);
    const reach = webhookConfig().WEBHOOK_REACH;
    const fault = await findEndpointFault(url, { reach });
    if (fault) throw new CommandRefusal(`Events cannot be sent to this URL (${fault}).`);
    const secret = createSecret();
    const wanted = { clientId: client, url, ownerEmail: email, eventTypes: types, secret };
    const endpoint = await createEndpoint(table, ids, wanted, now);
    return { document: { ...representEndpoint(endpoint), secret }, remark: SECRET_SHOWN };
  },
});

const COLUMNS = ['id', 'client', 'url', 'event_types', 'email', 'state', 'disabled_by', 'failing_since', 'given_up'];

const webhooksList = command({
  name: 'webhooks list',
  summary: 'List the webhooks of all clients, or of one',
  example: '--client 2',
  input: z.object({ client: recordId.optional() }),
  async run({ client }, { table }) {
    return { document: { webhooks: (await listEndpoints(table, client)).map(representEndpoint) }, columns: COLUMNS };
  },
});

const representEndpoint = (endpoint: Endpoint) => ({
  id: endpoint.id,
  client: endpoint.clientId,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
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

async function existingEndpoint(id: number, table: Table): Promise<Endpoint> {
  const found = (await listEndpoints(table)).find((endpoint) => endpoint.id === id);
  if (!found) throw new CommandRefusal(`There is no webhook ${id}.`);
  return found;
}

/** The time that a receiver has for taking the new secret. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const RESUMED = { disabled: null, failingSince: null, pausedUntil: null, isNoticeDue: false } as const;

const webhooksUpdate = command({
  name: 'webhooks update',
  summary: 'Stop or resume the events of a webhook, or give it a new secret, shown this once',
  example: '1 --rotate-secret',
  positional: ['webhook'],
  input: z.object({
    webhook,
    enabled: enabledState.describe('whether events are sent; those that it missed, 30 days at most, come first'),
    rotateSecret: flag.describe('the former one signs as well for 24 hours'),
  }),
  check: ({ enabled, rotateSecret }) => refuseNoChange({ enabled, rotateSecret }),
  async run({ webhook: id, enabled, rotateSecret }, { table, now }) {
    const endpoint = await existingEndpoint(id, table);
    const secret = rotateSecret ? createSecret() : undefined;
    const until = new Date(now.getTime() + KEPT_MS).toISOString();
    if (secret) await replaceSecret(table, endpoint, await getSecrets(table, id), { secret, until, now });
    const at = now.toISOString();
    if (enabled === 'enabled') await changeEndpoint(table, endpoint, { ...RESUMED, dueAt: at });
    if (enabled === 'disabled') await changeEndpoint(table, endpoint, { disabled: { by: 'operator', at } });
    const effects = [
      enabled === 'enabled' && 'It gets what it missed within a minute.',
      secret && `${SECRET_SHOWN} The former one signs as well until ${until}.`,
    ];
    const document = { ...representEndpoint(await existingEndpoint(id, table)), secret };
    return { document, remark: effects.filter(Boolean).join(' ') };
  },
});

const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a signed event of the type webhook.test from this machine, and show the answer',
  example: '1',
  positional: ['webhook'],
  input: z.object({ webhook }),
  async run({ webhook: id }, { table, now: sentAt }) {
    const { url } = await existingEndpoint(id, table);
    const target = { url, secrets: signingSecrets(await getSecrets(table, id), sentAt) };
    const reach = webhookConfig().WEBHOOK_REACH;
    const { event, isTaken, ...answer } = await sendTestEvent(target, sentAt, { reach });
    const { status, code: failure, durationMs: duration_ms, body } = answer;
    return {
      document: { id, event, status, failure, duration_ms, body },
      failure: isTaken ? undefined : 'The test event was not taken: any answer but 2xx is a failure.',
    };
  },
});

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
  async run({ webhook: id, ...page }, { table }) {
    await existingEndpoint(id, table);
    const deliveries = (await listDeliveries(table, id, page)).map((delivery) => ({
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
    return { document: { deliveries }, remark: last === undefined ? undefined : `There may be more: --before ${last}` };
  },
});

const webhooksReplay = command({
  name: 'webhooks replay',
  summary: 'Send events to a webhook once more: one, those of a span of time, or all that were given up',
  example: '1 --from 2026-11-23T18:00:00Z --to 2026-11-23T19:00:00Z',
  details: 'Events are kept for 30 days. --to is now, if it is not given.',
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
    const remark = endpoint.disabled ? 'They wait until the webhook is enabled.' : 'They are sent within a minute.';
    return { document: { id, events }, remark };
  },
});

const eventsRepair = command({
  name: 'events repair',
  summary:
    'List the orders with an event that could not be read from the table’s stream, or publish what the clients of orders did not get, each event once',
  example: '42',
  details: 'Webhooks send what is published within a minute.',
  positional: ['orders'],
  input: z.object({
    orders: z.array(recordId).optional().describe('ids of orders'),
    all: flag.describe('publish those of every order that is listed'),
  }),
  oneOf: { names: ['orders', 'all'], isRequired: false },
  async run({ orders: ids, all }, { table, now }): Promise<CommandResult> {
    const unpublished = ids ? [] : await listUnpublished(table);
    const orders = unpublished.map(({ orderId, writtenAt, code }) => ({ order: orderId, written: writtenAt, code }));
    const advice = orders.length > 0 ? 'Publish them with `events repair --all`.' : undefined;
    if (!ids && !all) return { document: { orders }, remark: advice };
    const repaired = [];
    for (const order of ids ?? new Set(orders.map(({ order }) => order))) {
      repaired.push({ order, published: await republishOrder(order, { table, now }) });
      await forgetUnpublished(table, order);
    }
    return { document: { orders: repaired } };
  },
});

export const webhookCommands: readonly Command[] = [
  webhooksCreate,
  webhooksList,
  webhooksUpdate,
  webhooksTest,
  webhooksDeliveries,
  webhooksReplay,
  eventsRepair,
];
