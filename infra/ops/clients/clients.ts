import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { foldText } from '../../../shared/domain/text.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import {
  type ClientRecord,
  CREDIT_USERS,
  changeClient,
  createClient,
  listClients,
  setClientState,
} from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { refuseUnknown } from '../catalog/published-catalog.ts';
import { type Command, command } from '../command.ts';
import type { CommandIo, Context } from '../context.ts';
import { CommandRefusal, setting } from '../errors.ts';
import { clientId, flag, refuseNoChange } from '../input.ts';
import { factLines, recordTable, textTable } from '../output.ts';
import { ask } from '../prompt.ts';
import { existingClient } from './existing-client.ts';
import { GatewayKeys, type ListedKey } from './gateway-keys.ts';
import { clientKeyCommands, EFFECT, issueKey, keyText } from './keys.ts';

const terms = {
  name: requiredText(100).meta({ title: 'name' }),
  origin: requiredText(20).meta({ title: 'origin' }),
  paymentMethods: z
    .string()
    .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'not_integers' satisfies MessageCode)
    .transform((list) => [...new Set(list.split(',').map(Number))])
    .meta({ title: 'id,id' }),
  credit: z.enum(CREDIT_USERS),
  carrier: requiredText(100).meta({ title: 'name of the insurance carrier it is' }),
};
const again = flag.describe('although another client has this name');

const clientsCreate = command({
  name: 'clients create',
  summary: 'Register a client and give it an API key, which is shown this once',
  example: "--name 'Clínica Norte' --origin clinica --payment-methods 1,2",
  input: z.object({ ...terms, credit: terms.credit.default('employees'), carrier: terms.carrier.optional(), again }),
  async run({ again, carrier: carrierName = null, ...others }, context) {
    const usagePlanId = setting('USAGE_PLAN_ID');
    const { table, now } = context;
    await refuseUnknownMethods(others.paymentMethods);
    if (!again) await refuseNamesake(others, context);
    const { id } = await createClient(table, new Ids(table), { ...others, carrierName }, now);
    const key = await issueKey({ id, name: others.name }, usagePlanId, context);
    const { name, origin, paymentMethods, credit } = others;
    return {
      document: { id, name, origin, payment_methods: paymentMethods, credit, api_key_id: key.id, api_key: key.value },
      text: `Client ${id}, ${name}, is registered.\n${keyText(key)}`,
    };
  },
});

const refuseUnknownMethods = (ids: readonly number[]): Promise<void> =>
  refuseUnknown('payment method', ids, (catalog, id) => catalog.paymentMethod(id));

type Named = { readonly name: string; readonly id?: number };

/** Throws a CommandRefusal if another client has this name already and nobody wants two of it. */
async function refuseNamesake({ name, id }: Named, context: Context): Promise<void> {
  const others = (await listClients(context.table)).filter((client) => client.id !== id);
  const namesake = others.find((client) => foldText(client.name) === foldText(name));
  if (!namesake) return;
  const exists = `Client ${namesake.id} has this name already`;
  if (!context.isTerminal) throw new CommandRefusal(`${exists}: --again gives it to another.`);
  const [answer] = await ask([`${exists}. Give it to another? Type yes: `], context, 'shown');
  if (answer !== 'yes') throw new CommandRefusal('Nothing was changed.');
}

const clientsList = command({
  name: 'clients list',
  summary: 'List the clients with the ids of their API keys',
  async run(_, context) {
    const [listed, keys] = await Promise.all([listClients(context.table), new GatewayKeys().all()]);
    const clients = listed.map((client) => representClient(client, keys));
    return { document: { clients }, text: clientsText(clients, context) };
  },
});

const clientsShow = command({
  name: 'clients show',
  summary: 'Show everything of a client, with the state of its API keys',
  example: '2',
  positional: ['client'],
  input: z.object({ client: clientId }),
  run: async ({ client }, context) => showClient(await existingClient(client, context.table), context),
});

const clientsUpdate = command({
  name: 'clients update',
  summary: 'Change the name, origin, payment methods, credit or carrier of a client, whose orders stay as they are',
  example: '2 --payment-methods 1,2,3 --credit everyone',
  positional: ['client'],
  input: z.object({ client: clientId, ...z.object(terms).partial().shape, noCarrier: flag, again }),
  oneOf: { names: ['carrier', 'noCarrier'], isRequired: false },
  check: ({ client: _, again: __, ...changes }) => refuseNoChange(changes),
  async run({ client: id, carrier, noCarrier, again, ...others }, context) {
    const { table, now } = context;
    await existingClient(id, table);
    await refuseUnknownMethods(others.paymentMethods ?? []);
    if (others.name !== undefined && !again) await refuseNamesake({ name: others.name, id }, context);
    const changed = await changeClient(table, id, { ...others, carrierName: noCarrier ? null : carrier }, now);
    return { ...(await showClient(changed, context)), remark: 'The functions see it within 30 seconds.' };
  },
});

const stateCommand = (verb: string, state: 'enabled' | 'disabled', summary: string) =>
  command({
    name: `clients ${verb}`,
    summary,
    example: '2',
    positional: ['client'],
    input: z.object({ client: clientId }),
    async run({ client: id }, { table, now }) {
      const { gatewayKeyIds } = await existingClient(id, table);
      const gateway = new GatewayKeys();
      // A client is closed in the functions before its keys, and opened after them.
      if (state === 'disabled') await setClientState(table, id, { state, now });
      for (const keyId of gatewayKeyIds) await gateway.setState(keyId, state);
      if (state === 'enabled') await setClientState(table, id, { state, now });
      return { document: { id, state }, text: `Client ${id} is ${state}. ${EFFECT}\n` };
    },
  });

const clientsDisable = stateCommand(
  'disable',
  'disabled',
  'Close the service to a client, at the gateway and in the functions',
);
const clientsEnable = stateCommand(
  'enable',
  'enabled',
  'Open the service to a disabled client again, with the keys that it has',
);

const representClient = (client: ClientRecord, keys: ReadonlyMap<string, ListedKey>) => ({
  id: client.id,
  name: client.name,
  origin: client.origin,
  payment_methods: client.paymentMethods,
  credit: client.credit,
  carrier: client.carrier?.name ?? null,
  state: client.disabledAt === null ? 'enabled' : 'disabled',
  created_at: client.createdAt,
  keys: client.gatewayKeyIds.map((id) => representKey(id, keys.get(id))),
});

type ShownClient = ReturnType<typeof representClient>;

const representKey = (id: string, key: ListedKey | undefined) => ({
  id,
  state: key ? (key.isEnabled ? 'enabled' : 'disabled') : 'missing at the gateway',
  created_at: key?.createdAt ?? null,
});

async function showClient(client: ClientRecord, io: CommandIo) {
  const document = representClient(client, await new GatewayKeys().all());
  const { keys, ...facts } = document;
  const text = factLines({ ...facts, payment_methods: facts.payment_methods.join(',') });
  return { document, text: [text, recordTable(keys, io)].filter(Boolean).join('\n') };
}

/** Returns a line for each client; its keys with the day on which each was made. */
function clientsText(clients: readonly ShownClient[], io: CommandIo): string {
  const rows = clients.map((client) => ({
    ...client,
    methods: client.payment_methods.join(','),
    keys: client.keys.map(keyCell).join(', '),
  }));
  return textTable(['id', 'name', 'origin', 'methods', 'credit', 'carrier', 'state', 'keys'], rows, io);
}

const keyCell = ({ id, state, created_at: createdAt }: ShownClient['keys'][number]): string =>
  `${id} (${[createdAt?.slice(0, 10), state === 'enabled' ? '' : state].filter(Boolean).join(', ')})`;

export const clientCommands: readonly Command[] = [
  clientsCreate,
  clientsList,
  clientsShow,
  clientsUpdate,
  ...clientKeyCommands,
  clientsDisable,
  clientsEnable,
];
