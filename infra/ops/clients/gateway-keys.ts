import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
  UpdateApiKeyCommand,
} from '@aws-sdk/client-api-gateway';
import { CommandRefusal } from '../errors.ts';

/** A new key with its secret. */
export type NewKey = { readonly id: string; readonly value: string };
/** A key as the gateway lists it, without its secret. */
export type ListedKey = { readonly id: string; readonly isEnabled: boolean; readonly createdAt: string };

const PAGE = 500;

/** The tag of a key with the usage plan that it is made for, by which a stage may remove its own keys and no others. */
export const KEY_TAG = 'UsagePlan';

/** The API keys of API Gateway, or of the local one. */
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

  /** Enables or disables a key; does nothing when it does not exist. */
  async setState(keyId: string, state: 'enabled' | 'disabled'): Promise<void> {
    const replacement = { op: 'replace', path: '/enabled', value: String(state === 'enabled') } as const;
    const update = new UpdateApiKeyCommand({ apiKey: keyId, patchOperations: [replacement] });
    await this.#gateway.send(update).catch(ignoreNotFound);
  }

  /** Removes a key; does nothing when it does not exist. */
  async remove(keyId: string): Promise<void> {
    await this.#gateway.send(new DeleteApiKeyCommand({ apiKey: keyId })).catch(ignoreNotFound);
  }

  async inPlan(usagePlanId: string): Promise<string[]> {
    const ids: string[] = [];
    const pages = paginateGetUsagePlanKeys({ client: this.#gateway, pageSize: PAGE }, { usagePlanId });
    for await (const { items = [] } of pages) ids.push(...items.flatMap(({ id }) => id ?? []));
    return ids;
  }

  /** Returns the ids of the keys that open something: those of the usage plan that are enabled. */
  async working(usagePlanId: string): Promise<ReadonlySet<string>> {
    const [planned, keys] = await Promise.all([this.inPlan(usagePlanId), this.all()]);
    return new Set(planned.filter((id) => keys.get(id)?.isEnabled));
  }

  async all(): Promise<ReadonlyMap<string, ListedKey>> {
    const keys = new Map<string, ListedKey>();
    for await (const { items = [] } of paginateGetApiKeys({ client: this.#gateway, pageSize: PAGE }, {})) {
      for (const { id = '', enabled = false, createdDate } of items) {
        keys.set(id, { id, isEnabled: enabled, createdAt: createdDate?.toISOString() ?? '' });
      }
    }
    return keys;
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFoundException)) throw error;
}
