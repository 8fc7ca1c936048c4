import * as z from 'zod';
import {
  addGatewayKey,
  type Client,
  type ClientRecord,
  removeGatewayKey,
} from '../../../shared/store/access/clients.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { type Call, type Command, CommandRefusal, command, setting } from '../command.ts';
import { toCommandLine } from '../target/command-line.ts';
import { explainError } from '../terminal/explain-error.ts';
import { holdInterrupts } from '../terminal/interrupt.ts';
import { clientId, existingClient } from './existing-client.ts';
import { GatewayKeys, type NewKey } from './gateway-keys.ts';

// API Gateway takes up to about two minutes to notice; a function keeps a look-up for 30 s.
export const EFFECT = 'Orders and logins see it within 30 seconds, every other route within about two minutes.';

export const keyText = ({ id, value }: NewKey): string => `Its API key (${id}), which is not shown again:\n${value}\n`;

/** Returns what to do about a key that nobody has read. */
export const keyAdvice = (client: number, { id }: NewKey, call: Call): string =>
  `The key ${id} is lost. ${replacementAdvice(client, id, call)}`;

// In this order, as the last key of a client that works cannot be retired.
const replacementAdvice = (client: number, key: string, call: Call): string =>
  `Make another, and remove it then:
  ${rotateLine(client, call)}
  ${retireLine(client, key, call)}`;

const rotateLine = (client: number, call: Call): string => toCommandLine(`clients rotate-key ${client}`, call);
const retireLine = (client: number, key: string, call: Call): string =>
  toCommandLine(`clients retire-key ${client} ${key}`, call);

/** Makes a key for a client. The usage plan, without which a key opens nothing, comes last, when the client can be found. */
export async function issueKey(
  { id, name }: Pick<Client, 'id' | 'name'>,
  { table, usagePlanId, call }: { readonly table: Table; readonly usagePlanId: string; readonly call: Call },
): Promise<NewKey> {
  holdInterrupts();
  const gateway = new GatewayKeys();
  const rotation = `\n  ${rotateLine(id, call)}`;
  const key = await orAdvise(gateway.create(name), `Client ${id} has no new key: ask for one with ${rotation}`);
  await orAdvise(
    addGatewayKey(table, id, key.id),
    `The new key could not be given to client ${id} and opens nothing. Remove it with
  aws apigateway delete-api-key --api-key ${key.id}
and ask for another one with ${rotation}`,
  );
  await orAdvise(
    gateway.putInPlan(key.id, usagePlanId),
    `The new key is in no usage plan and opens nothing. ${replacementAdvice(id, key.id, call)}`,
  );
  return key;
}

async function orAdvise<Result>(step: Promise<Result>, advice: string): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    throw new CommandRefusal(`${explainError(error)}\n${advice}`);
  }
}

const clientsRotateKey = command({
  name: 'clients rotate-key',
  summary: 'Give a client another API key, which is shown this once; its older keys stay valid until they are retired',
  example: '2',
  arguments: { client: clientId },
  async run({ client: id }, call) {
    const table = openTable();
    const client = await existingClient(id, table);
    if (client.disabledAt) throw new CommandRefusal(`Client ${id} is disabled: enable it first.`);
    const key = await issueKey(client, { table, usagePlanId: setting('USAGE_PLAN_ID'), call });
    return {
      document: { id, api_key_id: key.id, api_key: key.value, older_keys: client.gatewayKeyIds },
      text: `${keyText(key)}${retirementText(client, call)}`,
      unprinted: keyAdvice(id, key, call),
    };
  },
});

function retirementText({ id, gatewayKeyIds }: ClientRecord, call: Call): string {
  if (gatewayKeyIds.length === 0) return '';
  const commands = gatewayKeyIds.map((keyId) => `  ${retireLine(id, keyId, call)}\n`);
  return `Once the client uses it, retire the older ones:\n${commands.join('')}`;
}

const clientsRetireKey = command({
  name: 'clients retire-key',
  summary: 'Remove an API key of a client for good, which must have another one that works',
  example: '2 a1b2c3d4e5',
  arguments: { client: clientId, keyId: z.string() },
  async run({ client: id, keyId }) {
    const table = openTable();
    const gateway = new GatewayKeys();
    const client = await existingClient(id, table);
    const judge = async () => refuseRetirement(client, keyId, await gateway.working(setting('USAGE_PLAN_ID')));
    await judge();
    // Of two operators who retire two keys at once, the later one finds the other's key disabled.
    await gateway.setState(keyId, 'disabled');
    await judge().catch(async (refusal) => {
      await gateway.setState(keyId, 'enabled');
      throw refusal;
    });
    // The gateway comes first, so that a second run finds the key of a first one that was cut off.
    await gateway.remove(keyId);
    await removeGatewayKey(table, id, keyId);
    return { document: { id, retired_key: keyId }, text: `Key ${keyId} is removed. ${EFFECT}\n` };
  },
});

function refuseRetirement(
  { id, gatewayKeyIds, disabledAt }: ClientRecord,
  keyId: string,
  working: ReadonlySet<string>,
): void {
  if (!gatewayKeyIds.includes(keyId)) {
    throw new CommandRefusal(`Client ${id} has no key ${keyId}; it has ${gatewayKeyIds.join(', ') || 'none'}.`);
  }
  const hasOther = gatewayKeyIds.some((other) => other !== keyId && working.has(other));
  if (hasOther || disabledAt) return;
  throw new CommandRefusal(
    `Without ${keyId} client ${id} has no key that works: rotate it first, or disable the client.`,
  );
}

export const clientKeyCommands: readonly Command[] = [clientsRotateKey, clientsRetireKey];
