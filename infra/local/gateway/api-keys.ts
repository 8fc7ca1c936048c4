import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const apiKey = z.object({
  id: z.string(),
  value: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type ApiKey = Readonly<z.infer<typeof apiKey>>;
type NewApiKey = Pick<ApiKey, 'name' | 'enabled'> & { readonly value?: string | undefined };

export type ApiKeys = ReturnType<typeof openApiKeys>;

/**
 * Opens the file of the gateway's API keys, which the server and the operators' commands write. Throws if it is not a list of
 * keys; a missing one is an empty list.
 */
export function openApiKeys(file: string) {
  // Read anew each time, as another process may have changed it.
  const list = (): readonly ApiKey[] =>
    existsSync(file) ? z.array(apiKey).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];

  function replace(next: readonly ApiKey[]): void {
    // A rename is atomic: a crash leaves the old file or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(next, null, 2), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  list();
  return {
    file,
    list,
    find: (value: string): ApiKey | undefined => list().find((key) => key.value === value),
    get: (id: string): ApiKey | undefined => list().find((key) => key.id === id),
    create({ value = randomText(40), ...rest }: NewApiKey): ApiKey {
      const key = { id: randomText(10), value, ...rest, createdAt: new Date().toISOString() };
      replace([...list(), key]);
      return key;
    },
    change: (id: string, change: Pick<ApiKey, 'enabled'>): void =>
      replace(list().map((key) => (key.id === id ? { ...key, ...change } : key))),
    remove: (id: string): void => replace(list().filter((key) => key.id !== id)),
  };
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
