import * as z from 'zod';
import { tokenKeyKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Table } from '../store/table.ts';

// The time to live is in seconds. An item may stay for days after it, so that readers compare it.
const publicKeyItem = z.object({
  publicKey: z.string(),
  ttl: z.number().transform((seconds) => new Date(seconds * 1_000)),
});

/** A public key that verifies access tokens, in base64url. */
type PublicKey = { readonly publicKey: string; readonly until: Date };

/** Publishes a key under its name, or publishes it for longer. */
export async function publishTokenKey(table: Table, kid: string, { publicKey, until }: PublicKey): Promise<void> {
  await table.putAll([toItem(tokenKeyKey(kid), { publicKey, ttl: Math.ceil(until.getTime() / 1_000) })]);
}

/** Returns a published key by its name, also one whose time is over. */
export async function findTokenKey(table: Table, kid: string): Promise<PublicKey | undefined> {
  const item = await table.get(tokenKeyKey(kid));
  if (!item) return undefined;
  const { publicKey, ttl: until } = parseItem(publicKeyItem, item, 'token key');
  return { publicKey, until };
}
