import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type ClientRecord, CREDIT_USERS, createClient, setClientState } from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { type Command, CommandRefusal, command, setting } from '../command.ts';
import { clientKeyCommands, EFFECT, issueKey, keyText } from './client-keys.ts';
import { clientsText, listedClients } from './client-list.ts';
import { clientId, existingClient } from './existing-client.ts';
import { GatewayKeys } from './gateway-keys.ts';

const methodIds = z
  .string()
  .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'not_integers' satisfies MessageCode)
  .transform((list) => [...new Set(list.split(',').map(Number))]);

const clientsCreate = command({
  name: 'clients create',
  summary: 'Register a client and give it an API key, which is shown this once',
  example: "--name 'Clínica Norte' --origin clinica --payment-methods 1,2",
  options: {
    name: requiredText(100).meta({ title: 'name' }),
    origin: requiredText(20).meta({ title: 'origin' }),
    paymentMethods: methodIds.meta({ title: 'id,id' }),
    credit: z.enum(CREDIT_USERS).default('employees'),
    carrier: requiredText(100).meta({ title: 'name of the insurance carrier it is' }).optional(),
  },
  async run({ name, origin, paymentMethods, credit, carrier: carrierName = null }) {
    const usagePlanId = setting('USAGE_PLAN_ID');
    await refuseUnknownMethods(paymentMethods);
    const table = openTable();
    const terms = { name, origin, paymentMethods, credit, carrierName };
    const { id } = await createClient(table, new Ids(table), terms, now());
    const key = await issueKey({ id, name }, table, usagePlanId);
    return {
      document: { id, name, origin, payment_methods: paymentMethods, credit, api_key_id: key.id, api_key: key.value },
      text: `Client ${id}, ${name}, is registered.\n${keyText(key)}`,
    };
  },
});

async function refuseUnknownMethods(ids: readonly number[]): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !catalog.paymentMethod(id)));
  if (unknown.length === 0) return;
  throw new CommandRefusal(`The published catalog has no payment method ${unknown.join(', ')}.`);
}

const clientsList = command({
  name: 'clients list',
  summary: 'List the clients with the ids of their API keys',
  async run(_, call) {
    const clients = await listedClients(openTable(), new GatewayKeys());
    return { document: { clients }, text: clientsText(clients, call) };
  },
});

const clientsDisable = command({
  name: 'clients disable',
  summary: 'Close the service to a client, at the gateway and in the functions',
  example: '2',
  arguments: { client: clientId },
  async run({ client: id }) {
    const table = openTable();
    const client = await existingClient(id, table);
    await setClientState(table, id, { state: 'disabled', now: now() });
    await setKeys(client, 'disabled');
    return { document: { id, state: 'disabled' }, text: `Client ${id} is disabled. ${EFFECT}\n` };
  },
});

const clientsEnable = command({
  name: 'clients enable',
  summary: 'Open the service to a disabled client again, with the keys that it has',
  example: '2',
  arguments: { client: clientId },
  async run({ client: id }) {
    const table = openTable();
    await setKeys(await existingClient(id, table), 'enabled');
    await setClientState(table, id, { state: 'enabled', now: now() });
    return { document: { id, state: 'enabled' }, text: `Client ${id} is enabled. ${EFFECT}\n` };
  },
});

async function setKeys({ gatewayKeyIds }: ClientRecord, state: 'enabled' | 'disabled'): Promise<void> {
  const gateway = new GatewayKeys();
  for (const keyId of gatewayKeyIds) await gateway.setState(keyId, state);
}

export const clientCommands: readonly Command[] = [
  clientsCreate,
  clientsList,
  ...clientKeyCommands,
  clientsDisable,
  clientsEnable,
];
