import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { now } from '../../../shared/runtime/clock.ts';
import {
  type Client,
  type ClientRecord,
  createClient,
  type NewClient,
  setClientState,
} from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { type Command, CommandRefusal, command, positionals, printJson, report, setting } from '../command.ts';
import { idArgument, validOptions } from '../options.ts';
import { clientKeyCommands, EFFECT, existingClient, issueKey, keyText } from './client-keys.ts';
import { clientsText, listedClients } from './client-list.ts';
import { GatewayKeys } from './gateway-keys.ts';

const newClientOptions = z
  .object({
    name: requiredText(100),
    origin: requiredText(20),
    'payment-methods': z
      .string()
      .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'not_integers' satisfies MessageCode)
      .transform((list) => [...new Set(list.split(',').map(Number))]),
    carrier: requiredText(100).optional(),
  })
  .transform(({ name, origin, 'payment-methods': paymentMethods, carrier }): NewClient => {
    return { name, origin, paymentMethods, carrierName: carrier ?? null };
  });

const clientsCreate = command({
  name: 'clients create',
  summary: 'Register a client and give it an API key, which is shown this once',
  usage: '--name <name> --origin <origin> --payment-methods <id,id> [--carrier <name of the insurance carrier it is>]',
  example: "--name 'Clínica Norte' --origin clinica --payment-methods 1,2",
  options: {
    name: { type: 'string' },
    origin: { type: 'string' },
    'payment-methods': { type: 'string' },
    carrier: { type: 'string' },
  },
  async run(input, io) {
    positionals(input);
    const wanted = validOptions(newClientOptions, input.values);
    const usagePlanId = setting('USAGE_PLAN_ID');
    await refuseUnknownMethods(wanted);
    const table = openTable();
    const client = await createClient(table, new Ids(table), wanted, now());
    const key = await issueKey(client, table, usagePlanId);
    if (input.isJson) return printJson(io, { ...described(client), api_key_id: key.id, api_key: key.value });
    io.stdout.write(`Client ${client.id}, ${client.name}, is registered.\n${keyText(key)}`);
    return 0;
  },
});

const described = ({ id, name, origin, paymentMethods }: Client) => ({
  id,
  name,
  origin,
  payment_methods: paymentMethods,
});

async function refuseUnknownMethods({ paymentMethods }: NewClient): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => paymentMethods.filter((id) => !catalog.paymentMethod(id)));
  if (unknown.length === 0) return;
  throw new CommandRefusal(`The published catalog has no payment method ${unknown.join(', ')}.`);
}

const clientsList = command({
  name: 'clients list',
  summary: 'List the clients with the ids of their API keys',
  usage: '',
  example: '',
  options: {},
  async run(input, io) {
    positionals(input);
    const clients = await listedClients(openTable(), new GatewayKeys());
    if (input.isJson) return printJson(io, { clients });
    io.stdout.write(clientsText(clients, io));
    return 0;
  },
});

const clientsDisable = command({
  name: 'clients disable',
  summary: 'Close the service to a client, at the gateway and in the functions',
  usage: '<client>',
  example: '2',
  options: {},
  async run(input, io) {
    const table = openTable();
    const client = await existingClient(idArgument(input, 'client'), table);
    await setClientState(table, client.id, { state: 'disabled', now: now() });
    await setKeys(client, 'disabled');
    return report({ id: client.id, state: 'disabled' }, `Client ${client.id} is disabled. ${EFFECT}`, input, io);
  },
});

const clientsEnable = command({
  name: 'clients enable',
  summary: 'Open the service to a disabled client again, with the keys that it has',
  usage: '<client>',
  example: '2',
  options: {},
  async run(input, io) {
    const table = openTable();
    const client = await existingClient(idArgument(input, 'client'), table);
    await setKeys(client, 'enabled');
    await setClientState(table, client.id, { state: 'enabled', now: now() });
    return report({ id: client.id, state: 'enabled' }, `Client ${client.id} is enabled. ${EFFECT}`, input, io);
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
