import { randomInt } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const apiKey = z.object({
  id: z.string(),
  value: z.string(),
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean(),
  /** True once the key is in the usage plan; before that, requests with it are refused. */
  inUsagePlan: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ApiKey = Readonly<z.infer<typeof apiKey>>;
type NewApiKey = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly enabled: boolean;
  readonly value?: string | undefined;
};

/** The gateway's API keys, stored in one file. */
export type ApiKeys = {
  /** Returns the key with this secret value. */
  find(value: string): ApiKey | undefined;
  get(id: string): ApiKey | undefined;
  list(): readonly ApiKey[];
  create(key: NewApiKey): ApiKey;
  change(id: string, change: Partial<Pick<ApiKey, 'enabled' | 'name' | 'description' | 'inUsagePlan'>>): void;
  remove(id: string): void;
};

/** Opens the file, or starts with no keys if it is missing. Throws if it is not a list of keys. */
export function openApiKeys(file: string): ApiKeys {
  const keys = new Map(readKeyFile(file).map((key) => [key.id, key]));
  const byValue = new Map([...keys.values()].map((key) => [key.value, key]));
  const keep = (key: ApiKey) => {
    keys.set(key.id, key);
    byValue.set(key.value, key);
    replaceFile(file, keys);
  };
  return {
    find: (value) => byValue.get(value),
    get: (id) => keys.get(id),
    list: () => [...keys.values()],
    create({ value = randomText(40), ...rest }) {
      const now = new Date().toISOString();
      const key = { id: randomText(10), value, ...rest, inUsagePlan: false, createdAt: now, updatedAt: now };
      keep(key);
      return key;
    },
    change(id, change) {
      const key = keys.get(id);
      if (key) keep({ ...key, ...change, updatedAt: new Date().toISOString() });
    },
    remove(id) {
      byValue.delete(keys.get(id)?.value ?? '');
      keys.delete(id);
      replaceFile(file, keys);
    },
  };
}

function readKeyFile(file: string): ApiKey[] {
  try {
    return z.array(apiKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function replaceFile(file: string, keys: ReadonlyMap<string, ApiKey>): void {
  // A rename is atomic: a crash leaves the old file or the new one.
  writeFileSync(`${file}.new`, JSON.stringify([...keys.values()], null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
