import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../../../shared/api/events/events.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { createSecret, findEndpointFault } from '../../../shared/events/webhooks/send.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Table } from '../../../shared/store/table.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  listEndpoints,
  replaceSecret,
} from '../../../shared/store/webhooks/endpoints.ts';
import { getSecrets } from '../../../shared/store/webhooks/secrets.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { CommandRefusal } from '../errors.ts';
import { emailAddress, recordId, upTo } from '../input.ts';
import { textTable } from '../output.ts';
import { deliveryCommands, endpointId, existingEndpoint, reachRemark, webhookReach } from './deliveries.ts';

const LONGEST_URL = 2_048;

const eventTypes = z
  .string()
  .transform((list) => [...new Set(list.split(','))])
  .pipe(z.array(z.enum(EVENT_TYPES)))
  .transform((types): readonly EventType[] => types)
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
    url: requiredText(LONGEST_URL).meta({ title: 'https://…' }),
    email: emailAddress.describe('the owner, who is told when the webhook is disabled because it fails'),
    types: eventTypes.optional().describe(`${EVENT_TYPES.join(', ')}; without it all of them`),
    description: optionalText(255).meta({ title: 'text' }).optional(),
  }),
  async run({ client, url, email, types = null, description = '' }, { table, now }) {
    await existingClient(client, table);
    const fault = await findEndpointFault(url, { reach: webhookReach() });
    if (fault) throw new CommandRefusal(`Events cannot be sent to this URL. ${FAULTS[fault]}`);
    const secret = createSecret();
    const wanted = { clientId: client, url, ownerEmail: email, eventTypes: types, description, secret };
    const endpoint = await createEndpoint(table, new Ids(table), wanted, now);
    return {
      document: { ...representEndpoint(endpoint), secret },
      text: `Webhook ${endpoint.id} gets the events of client ${client} from now on.\n${secretText(secret)}`,
      remark: reachRemark(),
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

const HOUR_MS = 60 * 60 * 1_000;
const CHANGED_MEANWHILE = 'Somebody else has changed the webhook meanwhile. Nothing was changed.';

const webhooksRotate = command({
  name: 'webhooks rotate',
  summary: 'Give a webhook a new secret, shown this once; the former one signs as well for a time',
  example: '1 --keep-hours 48',
  positional: ['webhook'],
  input: z.object({ webhook: endpointId, keepHours: upTo(30 * 24, '24').meta({ title: 'hours' }) }),
  async run({ webhook, keepHours }, { table, now }) {
    const endpoint = await existingEndpoint(webhook, table);
    const secret = createSecret();
    const until = new Date(now.getTime() + keepHours * HOUR_MS).toISOString();
    await replaceSecret(table, endpoint, await getSecrets(table, webhook), { secret, until, now }).catch((error) => {
      throw error instanceof ConditionFailed ? new CommandRefusal(CHANGED_MEANWHILE) : error;
    });
    return {
      document: { id: webhook, secret, former_secret_until: until },
      text: `Webhook ${webhook} has a new secret; the former one signs as well until ${until}.\n${secretText(secret)}`,
    };
  },
});

const webhooksDisable = command({
  name: 'webhooks disable',
  summary: 'Send no more events to a webhook; they wait until it is enabled',
  example: '1',
  positional: ['webhook'],
  input: z.object({ webhook: endpointId }),
  async run({ webhook }, { table, now }) {
    await changeWebhook(table, webhook, { disabled: { by: 'operator', at: now.toISOString() } });
    return { document: { id: webhook, state: 'disabled' }, text: `Webhook ${webhook} is disabled.\n` };
  },
});

const webhooksEnable = command({
  name: 'webhooks enable',
  summary: 'Send events to a disabled webhook again, those that it missed (30 days at most) first',
  example: '1',
  positional: ['webhook'],
  input: z.object({ webhook: endpointId }),
  async run({ webhook }, { table, now }) {
    const fresh = { disabled: null, failingSince: null, pausedUntil: null, isNoticeDue: false };
    await changeWebhook(table, webhook, { ...fresh, dueAt: now.toISOString() });
    return {
      document: { id: webhook, state: 'enabled' },
      text: `Webhook ${webhook} is enabled. It gets what it missed within a minute.\n`,
    };
  },
});

const changeWebhook = async (table: Table, webhook: number, change: Parameters<typeof changeEndpoint>[2]) =>
  changeEndpoint(table, await existingEndpoint(webhook, table), change);

export const webhookCommands: readonly Command[] = [
  webhooksCreate,
  webhooksList,
  webhooksRotate,
  webhooksDisable,
  webhooksEnable,
  ...deliveryCommands,
];
