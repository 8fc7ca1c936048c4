import {
  addGatewayKey,
  type Client,
  type ClientRecord,
  clientById,
  removeGatewayKey,
} from '../../../shared/store/access/clients.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { type Command, CommandRefusal, command, positionals, printJson, report, setting } from '../command.ts';
import { idArgument } from '../options.ts';
import { sentenceOf } from '../terminal/sentences.ts';
import { GatewayKeys, type NewKey } from './gateway-keys.ts';

// What platform and functions need to notice: API Gateway up to about two minutes, a function's cached look-up 30 s.
export const EFFECT = 'Orders and logins see it within 30 seconds, every other route within about two minutes.';

export const keyText = ({ id, value }: NewKey): string => `Its API key (${id}), which is not shown again:\n${value}\n`;

/** A key opens nothing before it stands in a usage plan, where it is put last, when its client can be found. */
export async function issueKey({ id, name }: Client, table: Table, usagePlanId: string): Promise<NewKey> {
  const gateway = new GatewayKeys();
  const key = await orElse(gateway.create(name), `Client ${id} has no new key: ask for one with ${rotation(id)}`);
  await orElse(
    addGatewayKey(table, id, key.id),
    `The new key could not be given to client ${id} and opens nothing. Remove it with
  aws apigateway delete-api-key --api-key ${key.id}
and ask for another one with ${rotation(id)}`,
  );
  await orElse(
    gateway.putInPlan(key.id, usagePlanId),
    `The new key is in no usage plan and opens nothing. Remove it with
  npm run ops -- clients retire-key ${id} ${key.id}
and ask for another one with ${rotation(id)}`,
  );
  return key;
}

const rotation = (id: number): string => `\n  npm run ops -- clients rotate-key ${id}`;

async function orElse<Result>(step: Promise<Result>, remedy: string): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    throw new CommandRefusal(`${sentenceOf(error)}\n${remedy}`);
  }
}

const clientsRotateKey = command({
  name: 'clients rotate-key',
  summary:
    'Give a client another API key, which is shown this once; its keys until now stay valid until they are retired',
  usage: '<client>',
  example: '2',
  options: {},
  async run(input, io) {
    const table = openTable();
    const client = await existingClient(idArgument(input, 'client'), table);
    const { id, gatewayKeyIds } = client;
    if (client.disabledAt) throw new CommandRefusal(`Client ${id} is disabled: enable it first.`);
    const key = await issueKey(client, table, setting('USAGE_PLAN_ID'));
    if (input.isJson) return printJson(io, { id, api_key_id: key.id, api_key: key.value, older_keys: gatewayKeyIds });
    io.stdout.write(`${keyText(key)}${retirements(client)}`);
    return 0;
  },
});

function retirements({ id, gatewayKeyIds }: ClientRecord): string {
  if (gatewayKeyIds.length === 0) return '';
  const commands = gatewayKeyIds.map((keyId) => `  npm run ops -- clients retire-key ${id} ${keyId}\n`);
  return `Once the client uses it, retire the older ones:\n${commands.join('')}`;
}

const clientsRetireKey = command({
  name: 'clients retire-key',
  summary: 'Remove an API key of a client for good, which must not be its only one',
  usage: '<client> <key id>',
  example: '2 a1b2c3d4e5',
  options: {},
  async run(input, io) {
    const [, keyId] = positionals(input, 'client', 'key id');
    const table = openTable();
    const client = await existingClient(idArgument(input, 'client', 'key id'), table);
    refuseRetirement(client, keyId);
    // First at the gateway, so that a second run finds the key of a first one that was cut off.
    await new GatewayKeys().remove(keyId);
    await removeGatewayKey(table, client.id, keyId);
    return report({ id: client.id, retired_key: keyId }, `Key ${keyId} is removed. ${EFFECT}`, input, io);
  },
});

function refuseRetirement({ id, gatewayKeyIds, disabledAt }: ClientRecord, keyId: string): void {
  if (!gatewayKeyIds.includes(keyId)) {
    throw new CommandRefusal(`Client ${id} has no key ${keyId}; it has ${gatewayKeyIds.join(', ') || 'none'}.`);
  }
  if (gatewayKeyIds.length > 1 || disabledAt) return;
  throw new CommandRefusal(`${keyId} is the only key of client ${id}: rotate it first, or disable the client.`);
}

export async function existingClient(id: number, table: Table): Promise<ClientRecord> {
  const client = await clientById(table, id);
  if (!client) throw new CommandRefusal(`There is no client ${id}.`);
  return client;
}

export const clientKeyCommands: readonly Command[] = [clientsRotateKey, clientsRetireKey];
