import * as z from 'zod';
import {
  addGatewayKey,
  type Client,
  type ClientRecord,
  removeGatewayKey,
} from '../../../shared/store/access/clients.ts';
import { type Command, command } from '../command.ts';
import type { Call, Context } from '../context.ts';
import { CommandRefusal, explainError, setting } from '../errors.ts';
import { clientId } from '../input.ts';
import { toCommandLine } from '../target.ts';
import { existingClient } from './existing-client.ts';
import { GatewayKeys, type NewKey } from './gateway-keys.ts';

// API Gateway takes up to about two minutes to notice; a function keeps a look-up for 30 s.
export const EFFECT = 'Orders and logins see it within 30 seconds, every other route within about two minutes.';

export const keyText = ({ id, value }: NewKey): string => `Its API key (${id}), which is not shown again:\n${value}\n`;

const rotateLine = (client: number, call: Call): string => toCommandLine(`clients rotate-key ${client}`, call);
const retireLine = (client: number, key: string, call: Call): string =>
  toCommandLine(`clients retire-key ${client} ${key}`, call);

/** Makes a key for a client. The usage plan, without which a key opens nothing, comes last, when the client can be found. */
export async function issueKey(
  { id, name }: Pick<Client, 'id' | 'name'>,
  usagePlanId: string,
  context: Context,
): Promise<NewKey> {
  const gateway = new GatewayKeys();
  const rotation = rotateLine(id, context);
  const key = await orAdvise(
    gateway.create(name, usagePlanId),
    `Client ${id} has no new key: ask for one with \n  ${rotation}`,
  );
  await orAdvise(
    addGatewayKey(context.table, id, key.id),
    `The new key could not be given to client ${id} and opens nothing. Remove it with
  aws apigateway delete-api-key --api-key ${key.id}
and ask for another one with \n  ${rotation}`,
  );
  // In this order, as the last key of a client that works cannot be retired.
  await orAdvise(
    gateway.putInPlan(key.id, usagePlanId),
    `The new key is in no usage plan and opens nothing. Make another, and remove it then:
  ${rotation}
  ${retireLine(id, key.id, context)}`,
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
  positional: ['client'],
  input: z.object({ client: clientId }),
  async run({ client: id }, context) {
    const client = await existingClient(id, context.table);
    if (client.disabledAt) throw new CommandRefusal(`Client ${id} is disabled: enable it first.`);
    const key = await issueKey(client, setting('USAGE_PLAN_ID'), context);
    return {
      document: { id, api_key_id: key.id, api_key: key.value, older_keys: client.gatewayKeyIds },
      text: `${keyText(key)}${retirementText(client, context)}`,
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
  positional: ['client', 'keyId'],
  input: z.object({ client: clientId, keyId: z.string() }),
  async run({ client: id, keyId }, { table }) {
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
