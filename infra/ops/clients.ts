import { APIGatewayClient, CreateApiKeyCommand, CreateUsagePlanKeyCommand } from '@aws-sdk/client-api-gateway';
import * as z from 'zod';
import { requiredText } from '../../shared/api/fields.ts';
import { Refusal } from '../../shared/domain/fault.ts';
import { addGatewayKey, type Client, createClient, type NewClient } from '../../shared/store/clients.ts';
import { Ids } from '../../shared/store/ids.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { type Command, CommandRefusal, command, positionals, printJson, setting } from './command.ts';
import { validOptions } from './options.ts';

const newClientOptions = z
  .object({
    name: requiredText(100),
    origin: requiredText(20),
    'payment-methods': z
      .string()
      .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'not_integers')
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
    const { client, apiKey } = await register(wanted, usagePlanId, openTable());
    const { id, name, origin, paymentMethods } = client;
    if (input.isJson) return printJson(io, { id, name, origin, payment_methods: paymentMethods, api_key: apiKey });
    io.stdout.write(`Client ${id}, ${name}, is registered. Its API key, which is not shown again:\n${apiKey}\n`);
    return 0;
  },
});

type GatewayKey = { readonly id: string; readonly value: string };

/** A key outside of any usage plan opens nothing, so it is put there last, when its client can be found. */
async function register(wanted: NewClient, usagePlanId: string, table: Table) {
  const gateway = new APIGatewayClient({});
  const key = await createGatewayKey(gateway, wanted.name);
  const client = await record(wanted, key, table);
  const planKey = new CreateUsagePlanKeyCommand({ usagePlanId, keyId: key.id, keyType: 'API_KEY' });
  try {
    await gateway.send(planKey);
  } catch (cause) {
    throw new CommandRefusal(unfinished(client, key, usagePlanId, cause));
  }
  return { client, apiKey: key.value };
}

async function createGatewayKey(gateway: APIGatewayClient, name: string): Promise<GatewayKey> {
  const { id, value } = await gateway.send(new CreateApiKeyCommand({ name, enabled: true }));
  if (!id || !value) throw new CommandRefusal('API Gateway answered without a key.');
  return { id, value };
}

async function record(wanted: NewClient, key: GatewayKey, table: Table): Promise<Client> {
  try {
    const client = await createClient(table, new Ids(table), wanted, new Date());
    await addGatewayKey(table, client.id, key.id);
    return client;
  } catch (cause) {
    throw new CommandRefusal(leftBehind(key, cause));
  }
}

const leftBehind = ({ id }: GatewayKey, cause: unknown): string =>
  `The client could not be recorded (${reasonOf(cause)}). An API key that opens nothing was left; remove it with:
  aws apigateway delete-api-key --api-key ${id}
then try again.`;

const unfinished = (client: Client, { id }: GatewayKey, usagePlanId: string, cause: unknown): string =>
  `Client ${client.id} is recorded, but its API key is in no usage plan yet (${reasonOf(cause)}). Finish with:
  aws apigateway create-usage-plan-key --usage-plan-id ${usagePlanId} --key-type API_KEY --key-id ${id}
and read the key with:
  aws apigateway get-api-key --api-key ${id} --include-value --query value`;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Refusal && error.cause ? reasonOf(error.cause) : `${error.name}: ${error.message}`;
}

export const clientCommands: readonly Command[] = [clientsCreate];
