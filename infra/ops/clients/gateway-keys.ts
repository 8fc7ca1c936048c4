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
import { type ApiKeys, openApiKeys } from '../../local/gateway/api-keys.ts';
import { CommandRefusal } from '../errors.ts';

export type NewKey = { readonly id: string; readonly value: string };

const PAGE = 500;

/** The tag of a key with the usage plan that it is made for: a removed stage leaves its keys. */
const KEY_TAG = 'UsagePlan';

export type KeyState = Pick<ApiKey, 'enabled' | 'createdDate'>;

export function openGatewayKeys(): LocalKeys | GatewayKeys {
  const { API_KEYS_FILE: file } = process.env;
  return file ? new LocalKeys(file) : new GatewayKeys();
}

/** The API keys of the local server, which has one usage plan, with every key in it. */
export class LocalKeys {
  readonly #keys: ApiKeys;

  constructor(file: string) {
    this.#keys = openApiKeys(file);
  }

  async create(name: string): Promise<NewKey> {
    return this.#keys.create({ name, enabled: true });
  }

  async putInPlan(): Promise<void> {}

  async setState(keyId: string, state: 'enabled' | 'disabled'): Promise<void> {
    this.#keys.change(keyId, { enabled: state === 'enabled' });
  }

  async remove(keyId: string): Promise<void> {
    this.#keys.remove(keyId);
  }

  async working(): Promise<ReadonlySet<string>> {
    return new Set(this.#keys.list().flatMap(({ id, enabled }) => (enabled ? id : [])));
  }

  async all(): Promise<ReadonlyMap<string, KeyState>> {
    const states = this.#keys
      .list()
      .map(({ id, enabled, createdAt }) => [id, { enabled, createdDate: new Date(createdAt) }] as const);
    return new Map(states);
  }
}

export class GatewayKeys {
  readonly #gateway = new APIGatewayClient({});

  /** Makes a key for a usage plan, which opens nothing until it is in it. */
  async create(name: string, usagePlanId: string): Promise<NewKey> {
    const wanted = new CreateApiKeyCommand({ name, enabled: true, tags: { [KEY_TAG]: usagePlanId } });
    const { id, value } = await this.#gateway.send(wanted);
    if (!id || !value) throw new CommandRefusal('API Gateway answered without a key.');
    return { id, value };
  }

  async putInPlan(keyId: string, usagePlanId: string): Promise<void> {
    await this.#gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));
  }

  async setState(keyId: string, state: 'enabled' | 'disabled'): Promise<void> {
    const replacement = { op: 'replace', path: '/enabled', value: String(state === 'enabled') } as const;
    const update = new UpdateApiKeyCommand({ apiKey: keyId, patchOperations: [replacement] });
    await this.#gateway.send(update).catch(ignoreNotFound);
  }

  async remove(keyId: string): Promise<void> {
    await this.#gateway.send(new DeleteApiKeyCommand({ apiKey: keyId })).catch(ignoreNotFound);
  }

  /** Returns the ids of the keys that open something: those of the usage plan that are enabled. */
  async working(usagePlanId: string): Promise<ReadonlySet<string>> {
    const pages = paginateGetUsagePlanKeys({ client: this.#gateway, pageSize: PAGE }, { usagePlanId });
    const [planned, keys] = await Promise.all([Array.fromAsync(pages), this.all()]);
    const ids = planned.flatMap(({ items = [] }) => items.flatMap(({ id }) => id ?? []));
    return new Set(ids.filter((id) => keys.get(id)?.enabled));
  }

  async all(): Promise<ReadonlyMap<string, KeyState>> {
    const pages = await Array.fromAsync(paginateGetApiKeys({ client: this.#gateway, pageSize: PAGE }, {}));
    return new Map(pages.flatMap(({ items = [] }) => items.map((key) => [key.id ?? '', key])));
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
