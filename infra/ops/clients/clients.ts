import * as z from 'zod';
import {
  addGatewayKey,
  type ClientRecord,
  CREDIT_USERS,
  changeClient,
  createClient,
  existingClient,
  listClients,
  removeGatewayKey,
  setClientState,
} from '../../../shared/access/clients.ts';
import { requiredText } from '../../../shared/api/fields.ts';
import { foldText } from '../../../shared/domain/text.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import type { Table } from '../../../shared/store/table.ts';
import { refuseUnknown } from '../catalog/published-catalog.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult, Context } from '../context.ts';
import { CommandRefusal, explainError, setting } from '../errors.ts';
import { clientId, enabledState, flag, refuseNoChange } from '../input.ts';
import { LOOPBACK, toCommandLine } from '../target.ts';
import { type KeyState, openGatewayKeys } from './gateway-keys.ts';

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
  passwordUrl: z
    .string()
    .max(500)
    .refine((text) => URL.canParse(text) && isPageUrl(text), 'not_a_password_url' satisfies MessageCode)
    .meta({ title: 'https address' })
    .describe('the page on which its users set a new password; `token` joins its query'),
};

function isPageUrl(text: string): boolean {
  const { protocol, hostname, username } = new URL(text);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)));
}

const again = flag.describe('although another client has this name');

const clientsCreate = command({
  name: 'clients create',
  summary: 'Register a client and give it an API key, which is shown this once',
  example: "--name 'Clínica Norte' --origin clinica --payment-methods 1,2",
  input: z.object({
    ...terms,
    credit: terms.credit.default('employees'),
    carrier: terms.carrier.optional(),
    passwordUrl: terms.passwordUrl.optional(),
    costs: flag.describe('its answers show what products cost the pharmacy'),
    again,
  }),
  async run({ again, carrier: carrierName = null, passwordUrl = null, costs: seesCosts, ...others }, context) {
    const usagePlanId = setting('USAGE_PLAN_ID');
    const { table, ids, now } = context;
    await refuseUnknownMethods(others.paymentMethods);
    if (!again) await refuseNamesake(others, table);
    const { id } = await createClient(table, ids, { ...others, carrierName, passwordUrl, seesCosts }, now);
    const key = await issueKey({ id, name: others.name }, usagePlanId, context);
    const { name, origin, paymentMethods, credit } = others;
    return {
      document: { id, name, origin, payment_methods: paymentMethods, credit, api_key_id: key.id, api_key: key.value },
      remark: KEY_SHOWN,
    };
  },
});

const refuseUnknownMethods = (ids: readonly number[]): Promise<void> =>
  refuseUnknown('payment method', ids, (catalog, id) => catalog.paymentMethod(id));

async function refuseNamesake(named: { readonly name: string; readonly id?: number }, table: Table): Promise<void> {
  const hasName = ({ id, name }: ClientRecord) => id !== named.id && foldText(name) === foldText(named.name);
  const namesake = (await listClients(table)).find(hasName);
  if (!namesake) return;
  throw new CommandRefusal(`Client ${namesake.id} has this name already: --again gives it to another.`);
}

/** Makes a key for a client. The usage plan, without which a key opens nothing, comes last, when the client can be found. */
async function issueKey({ id, name }: Pick<ClientRecord, 'id' | 'name'>, usagePlanId: string, context: Context) {
  const gateway = openGatewayKeys();
  try {
    const key = await gateway.create(name, usagePlanId);
    await addGatewayKey(context.table, id, key.id);
    await gateway.putInPlan(key.id, usagePlanId);
    return key;
  } catch (error) {
    const rotation = toCommandLine(`clients rotate-key ${id}`, context);
    const advice = `Client ${id} has no new key that works: ask for one with\n  ${rotation}`;
    throw new CommandRefusal(`${explainError(error)}\n${advice}`);
  }
}

const KEY_SHOWN = 'The API key is not shown again.';

const clientsList = command({
  name: 'clients list',
  summary: 'List the clients with the ids of their API keys, or show everything of one',
  example: '2',
  positional: ['client'],
  input: z.object({ client: clientId.optional() }),
  async run({ client }, { table }): Promise<CommandResult> {
    const keys = await openGatewayKeys().all();
    if (client !== undefined) return { document: representClient(await existingClient(client, table), keys) };
    const clients = (await listClients(table)).map((each) => representClient(each, keys));
    return {
      document: { clients },
      columns: ['id', 'name', 'origin', 'payment_methods', 'credit', 'carrier', 'state', 'keys'],
    };
  },
});

const representClient = (client: ClientRecord, keys: ReadonlyMap<string, KeyState>) => ({
  id: client.id,
  name: client.name,
  origin: client.origin,
  payment_methods: client.paymentMethods,
  credit: client.credit,
  carrier: client.carrier?.name ?? null,
  password_url: client.passwordUrl,
  costs: client.seesCosts ? 'shown' : 'hidden',
  state: client.disabledAt === null ? 'enabled' : 'disabled',
  created_at: client.createdAt,
  keys: client.gatewayKeyIds.map((id) => {
    const key = keys.get(id);
    const state = key ? (key.enabled ? 'enabled' : 'disabled') : 'missing at the gateway';
    return { id, state, created_at: key?.createdDate?.toISOString() ?? null };
  }),
});

const clientsUpdate = command({
  name: 'clients update',
  summary: 'Change the terms of a client, whose orders stay as they are, or close or open the service to it',
  example: '2 --payment-methods 1,2,3 --credit everyone',
  positional: ['client'],
  input: z.object({
    client: clientId,
    ...z.object(terms).partial().shape,
    noCarrier: flag,
    costs: z.enum(['yes', 'no']).optional().describe('whether its answers show what products cost the pharmacy'),
    enabled: enabledState.describe(
      'whether it is served, at the gateway and in the functions, with the keys that it has',
    ),
    again,
  }),
  oneOf: { names: ['carrier', 'noCarrier'], isRequired: false },
  check: ({ client: _, again: __, ...changes }) => refuseNoChange(changes),
  async run({ client: id, carrier, noCarrier, costs, again, enabled: state, ...others }, context) {
    const { table, now } = context;
    await existingClient(id, table);
    await refuseUnknownMethods(others.paymentMethods ?? []);
    if (others.name !== undefined && !again) await refuseNamesake({ name: others.name, id }, table);
    const seesCosts = costs && costs === 'yes';
    const terms = { ...others, seesCosts, carrierName: noCarrier ? null : carrier };
    const changed = await changeClient(table, id, terms, now);
    if (state) await setState(changed, state, context);
    const document = representClient(await existingClient(id, table), await openGatewayKeys().all());
    return { document, remark: EFFECT };
  },
});

/** A client is closed in the functions before its keys, and opened after them. */
async function setState({ id, gatewayKeyIds }: ClientRecord, state: 'enabled' | 'disabled', { table, now }: Context) {
  const gateway = openGatewayKeys();
  if (state === 'disabled') await setClientState(table, id, { state, now });
  for (const keyId of gatewayKeyIds) await gateway.setState(keyId, state);
  if (state === 'enabled') await setClientState(table, id, { state, now });
}

// API Gateway takes up to about two minutes to notice; a function keeps a look-up for 30 s.
const EFFECT = 'Orders and logins see it within 30 seconds, every other route within about two minutes.';

const clientsRotateKey = command({
  name: 'clients rotate-key',
  summary: 'Give a client another API key, which is shown this once, or remove an older key for good',
  example: '2 --retire a1b2c3d4e5',
  positional: ['client'],
  input: z.object({
    client: clientId,
    retire: z
      .string()
      .optional()
      .meta({ title: 'key id' })
      .describe('give no key, but remove this one; the client must have another one that works'),
  }),
  async run({ client: id, retire }, context): Promise<CommandResult> {
    const client = await existingClient(id, context.table);
    if (retire !== undefined) return retireKey(client, retire, context);
    if (client.disabledAt) throw new CommandRefusal(`Client ${id} is disabled: enable it first.`);
    const key = await issueKey(client, setting('USAGE_PLAN_ID'), context);
    const older = client.gatewayKeyIds;
    const retiring = older.map(
      (keyId) => `\n  ${toCommandLine(`clients rotate-key ${id} --retire ${keyId}`, context)}`,
    );
    const advice = older.length === 0 ? '' : ` Once the client uses it, retire the older ones:${retiring.join('')}`;
    return {
      document: { id, api_key_id: key.id, api_key: key.value, older_keys: older },
      remark: `${KEY_SHOWN}${advice}`,
    };
  },
});

async function retireKey({ id, gatewayKeyIds, disabledAt }: ClientRecord, keyId: string, { table }: Context) {
  const gateway = openGatewayKeys();
  if (!gatewayKeyIds.includes(keyId))
    throw new CommandRefusal(`Client ${id} has no key ${keyId}; it has ${gatewayKeyIds.join(', ') || 'none'}.`);
  const refuseLast = async () => {
    const [planned, keys] = await Promise.all([gateway.planned(setting('USAGE_PLAN_ID')), gateway.all()]);
    const works = (other: string) => other !== keyId && planned.includes(other) && keys.get(other)?.enabled;
    if (disabledAt || gatewayKeyIds.some(works)) return;
    const advice = 'rotate it first, or disable the client';
    throw new CommandRefusal(`Without ${keyId} client ${id} has no key that works: ${advice}.`);
  };
  await refuseLast();
  // Of two operators who retire two keys at once, the later one finds the other's key disabled.
  await gateway.setState(keyId, 'disabled');
  await refuseLast().catch(async (refusal) => {
    await gateway.setState(keyId, 'enabled');
    throw refusal;
  });
  // The gateway comes first, so that a second run finds the key of a first one that was cut off.
  await gateway.remove(keyId);
  await removeGatewayKey(table, id, keyId);
  return { document: { id, retired_key: keyId }, remark: EFFECT };
}

export const clientCommands: readonly Command[] = [clientsCreate, clientsList, clientsUpdate, clientsRotateKey];
