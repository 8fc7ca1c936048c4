import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../../../shared/api/events/events.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { createSecret, findEndpointFault } from '../../../shared/events/webhooks/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { createEndpoint } from '../../../shared/store/webhooks/endpoints.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Call, CommandRefusal, command } from '../command.ts';
import { emailAddress, recordId } from '../input.ts';
import { toCommandLine } from '../target/command-line.ts';
import { holdInterrupts } from '../terminal/interrupt.ts';
import { showEndpoint } from './endpoint-list.ts';
import { reachRemark, webhookReach } from './existing-endpoint.ts';

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

/** Returns what to do about a secret that nobody has read. */
export const secretAdvice = (webhook: number, call: Call): string =>
  `The secret is lost. Make another:\n  ${toCommandLine(`webhooks rotate ${webhook}`, call)}`;
export const secretText = (secret: string): string => `Its secret, which is not shown again:\n${secret}\n`;

export const webhooksCreate = command({
  name: 'webhooks create',
  summary: "Send a client's events to a URL from now on, and show the secret that signs them this once",
  example: '--client 2 --url https://clinica.example/botica --email dev@clinica.example --types order.moved,order.paid',
  details: `Types: ${EVENT_TYPES.join(', ')}; all without --types.\nThe owner's e-mail is told when the webhook is disabled because it fails.\n\n`,
  options: {
    client: recordId,
    url: requiredText(LONGEST_URL).meta({ title: 'https://…' }),
    email: emailAddress,
    types: eventTypes.optional(),
    description: optionalText(255).meta({ title: 'text' }).optional(),
  },
  async run({ client, url, email, types = null, description = '' }, call) {
    const table = openTable();
    await existingClient(client, table);
    const fault = await findEndpointFault(url, { reach: webhookReach() });
    if (fault) throw new CommandRefusal(`Events cannot be sent to this URL. ${FAULTS[fault]}`);
    holdInterrupts();
    const secret = createSecret();
    const input = { clientId: client, url, ownerEmail: email, eventTypes: types, description, secret };
    const endpoint = await createEndpoint(table, new Ids(table), input, now());
    return {
      document: { ...showEndpoint(endpoint), secret },
      text: `Webhook ${endpoint.id} gets the events of client ${client} from now on.\n${secretText(secret)}`,
      unprinted: secretAdvice(endpoint.id, call),
      remark: reachRemark(),
    };
  },
});
