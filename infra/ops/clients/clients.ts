import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { type ClientRecord, CREDIT_USERS, createClient, setClientState } from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Command, command, setting } from '../command.ts';
import { flag } from '../input.ts';
import { clientKeyCommands, EFFECT, issueKey, keyAdvice, keyText } from './client-keys.ts';
import { clientsText, listedClients } from './client-list.ts';
import {
  carrierName,
  clientName,
  clientOrigin,
  clientTermsCommands,
  methodIds,
  refuseUnknownMethods,
} from './client-terms.ts';
import { clientId, existingClient } from './existing-client.ts';
import { GatewayKeys } from './gateway-keys.ts';
import { refuseNamesake } from './namesake.ts';

const clientsCreate = command({
  name: 'clients create',
  summary: 'Register a client and give it an API key, which is shown this once; --again: although another has its name',
  example: "--name 'Clínica Norte' --origin clinica --payment-methods 1,2",
  options: {
    name: clientName,
    origin: clientOrigin,
    paymentMethods: methodIds.meta({ title: 'id,id' }),
    credit: z.enum(CREDIT_USERS).default('employees'),
    carrier: carrierName.optional(),
    again: flag,
  },
  async run({ name, origin, paymentMethods, credit, again, carrier: carrierName = null }, call) {
    const usagePlanId = setting('USAGE_PLAN_ID');
    await refuseUnknownMethods(paymentMethods);
    const table = openTable();
    if (!again) await refuseNamesake({ name }, table, call);
    const terms = { name, origin, paymentMethods, credit, carrierName };
    const { id } = await createClient(table, new Ids(table), terms, now());
    const key = await issueKey({ id, name }, { table, usagePlanId, call });
    return {
      document: { id, name, origin, payment_methods: paymentMethods, credit, api_key_id: key.id, api_key: key.value },
      text: `Client ${id}, ${name}, is registered.\n${keyText(key)}`,
      unprinted: keyAdvice(id, key, call),
    };
  },
});

const clientsList = command({
  name: 'clients list',
  effect: 'reads',
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
  ...clientTermsCommands,
  ...clientKeyCommands,
  clientsDisable,
  clientsEnable,
];
