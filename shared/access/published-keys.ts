import * as z from 'zod';
import { tokenKeyKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Table } from '../store/table.ts';
import type { PublishedKey } from './token-keys.ts';

// `ttl` is in seconds. Readers compare it, since an expired item may linger for days.
const publicKeyItem = z.object({
  publicKey: z.string(),
  ttl: z.number().transform((seconds) => new Date(seconds * 1_000)),
});

export async function publishTokenKey(table: Table, kid: string, { publicKey, until }: PublishedKey): Promise<void> {
  await table.putAll([toItem(tokenKeyKey(kid), { publicKey, ttl: Math.ceil(until.getTime() / 1_000) })]);
}

/** Returns a published key, even if expired. */
export async function findTokenKey(table: Table, kid: string): Promise<PublishedKey | undefined> {
  const item = await table.get(tokenKeyKey(kid));
  if (!item) return undefined;
  const { publicKey, ttl: until } = parseItem(publicKeyItem, item, 'token key');
  return { publicKey, until };
}
