import {
  APIGatewayClient,
  type ApiKey,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
  UpdateApiKeyCommand,
} from '@aws-sdk/client-api-gateway';
import { openApiKeys } from '../../local/gateway/api-keys.ts';
import { CommandRefusal } from '../errors.ts';

export type KeyState = Pick<ApiKey, 'enabled' | 'createdDate'>;
type Keys = ReadonlyMap<string, KeyState>;
type State = 'enabled' | 'disabled';
export type GatewayKeys = ReturnType<typeof deployedKeys>;

export function openGatewayKeys(): GatewayKeys {
  const { API_KEYS_FILE: file } = process.env;
  return file ? localKeys(file) : deployedKeys();
}

/** The API keys of the local server, which has one usage plan, with every key in it. */
function localKeys(file: string): GatewayKeys {
  const keys = openApiKeys(file);
  const toState = ({ enabled, createdAt }: ReturnType<typeof keys.create>) => {
    return { enabled, createdDate: new Date(createdAt) };
  };
  return {
    create: async (name: string) => keys.create({ name, enabled: true }),
    putInPlan: async () => undefined,
    setState: async (id, state) => keys.change(id, { enabled: state === 'enabled' }),
    remove: async (id) => keys.remove(id),
    planned: async () => keys.list().map(({ id }) => id),
    all: async () => new Map(keys.list().map((key) => [key.id, toState(key)])),
  };
}

const PAGE = 500;

/** The tag of a key with the usage plan that it is made for: a removed stage leaves its keys. */
const KEY_TAG = 'UsagePlan';

function deployedKeys() {
  const client = new APIGatewayClient({});
  return {
    /** Makes a key for a usage plan, which opens nothing until it is in it. */
    async create(name: string, usagePlanId: string) {
      const key = new CreateApiKeyCommand({ name, enabled: true, tags: { [KEY_TAG]: usagePlanId } });
      const { id, value } = await client.send(key);
      if (!id || !value) throw new CommandRefusal('API Gateway answered without a key.');
      return { id, value };
    },
    async putInPlan(keyId: string, usagePlanId: string): Promise<void> {
      await client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));
    },
    async setState(keyId: string, state: State): Promise<void> {
      const replacement = { op: 'replace', path: '/enabled', value: String(state === 'enabled') } as const;
      const update = new UpdateApiKeyCommand({ apiKey: keyId, patchOperations: [replacement] });
      await client.send(update).catch(ignoreNotFound);
    },
    async remove(keyId: string): Promise<void> {
      await client.send(new DeleteApiKeyCommand({ apiKey: keyId })).catch(ignoreNotFound);
    },
    /** Returns the ids of the keys of a usage plan, which open something if they are enabled. */
    async planned(usagePlanId: string): Promise<string[]> {
      const pages = await Array.fromAsync(paginateGetUsagePlanKeys({ client, pageSize: PAGE }, { usagePlanId }));
      return pages.flatMap(({ items = [] }) => items.flatMap(({ id }) => id ?? []));
    },
    async all(): Promise<Keys> {
      const pages = await Array.fromAsync(paginateGetApiKeys({ client, pageSize: PAGE }, {}));
      return new Map(pages.flatMap(({ items = [] }) => items.map((key) => [key.id ?? '', key])));
    },
  };
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
