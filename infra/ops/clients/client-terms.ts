import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { CREDIT_USERS, changeClient } from '../../../shared/store/access/clients.ts';
import { openTable } from '../../../shared/store/table.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { type Command, CommandRefusal, command } from '../command.ts';
import { flag, UsageError } from '../input.ts';
import { clientText, showClient } from './client-list.ts';
import { clientId, existingClient } from './existing-client.ts';
import { GatewayKeys } from './gateway-keys.ts';
import { refuseNamesake } from './namesake.ts';

export const methodIds = z
  .string()
  .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'not_integers' satisfies MessageCode)
  .transform((list) => [...new Set(list.split(',').map(Number))]);
export const clientName = requiredText(100).meta({ title: 'name' });
export const clientOrigin = requiredText(20).meta({ title: 'origin' });
export const carrierName = requiredText(100).meta({ title: 'name of the insurance carrier it is' });

/** Throws a CommandRefusal that names the payment methods that the published catalog does not have. */
export async function refuseUnknownMethods(ids: readonly number[]): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !catalog.paymentMethod(id)));
  if (unknown.length === 0) return;
  throw new CommandRefusal(`The published catalog has no payment method ${unknown.join(', ')}.`);
}

const clientsShow = command({
  name: 'clients show',
  effect: 'reads',
  summary: 'Show everything of a client, with the state of its API keys',
  example: '2',
  arguments: { client: clientId },
  async run({ client: id }, call) {
    const document = await showClient(await existingClient(id, openTable()), new GatewayKeys());
    return { document, text: clientText(document, call) };
  },
});

const clientsUpdate = command({
  name: 'clients update',
  summary:
    'Change the name, origin, payment methods, credit or carrier of a client, whose orders stay as they are; --again: although another has its name',
  example: '2 --payment-methods 1,2,3 --credit everyone',
  arguments: { client: clientId },
  options: {
    name: clientName.optional(),
    origin: clientOrigin.optional(),
    paymentMethods: methodIds.meta({ title: 'id,id' }).optional(),
    credit: z.enum(CREDIT_USERS).optional(),
    carrier: carrierName.optional(),
    noCarrier: flag,
    again: flag,
  },
  oneOf: { names: ['carrier', 'noCarrier'], isRequired: false },
  async run({ client: id, carrier, noCarrier, again, ...others }, call) {
    const terms = { ...others, carrierName: noCarrier ? null : carrier };
    if (Object.values(terms).every((term) => term === undefined)) throw new UsageError('Give what is to be changed.');
    const table = openTable();
    await existingClient(id, table);
    await refuseUnknownMethods(terms.paymentMethods ?? []);
    if (terms.name !== undefined && !again) await refuseNamesake({ name: terms.name, id }, table, call);
    const document = await showClient(await changeClient(table, id, terms, now()), new GatewayKeys());
    return { document, text: clientText(document, call), remark: 'The functions see it within 30 seconds.' };
  },
});

export const clientTermsCommands: readonly Command[] = [clientsShow, clientsUpdate];
