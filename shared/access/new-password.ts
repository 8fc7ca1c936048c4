import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Refusal } from '../domain/refusal.ts';
import { ownPasswordWrite, type UserRecord } from '../people/users.ts';
import { passwordLinkKey, passwordRequestKey, passwordTriesKey } from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import { ABSENT, PRESENT, type Table } from '../store/table.ts';
import type { Client } from './clients.ts';
import { type Limit, takeTry } from './login-attempts.ts';
import { hashNewPassword } from './password.ts';

const MAILS: Limit = { tries: 3, windowMs: 60 * 60_000 };
export const LINK_MINUTES = 30;
const LINK_MS = LINK_MINUTES * 60_000;

const storedLink = z.object({ credentialsVersion: z.number(), expiresAt: z.string() });

/** `email` is in lower case. */
type PasswordRequest = {
  readonly client: Pick<Client, 'id' | 'passwordUrl'>;
  readonly email: string;
  readonly now: Date;
};

/**
 * Queues the mail of a link. The address is not looked up, so that neither answer nor time tells whether somebody has it; one
 * that has had its mails of the hour is passed over. Throws `password_url_missing`.
 */
export async function requestPassword({ client, email, now }: PasswordRequest, table: Table): Promise<void> {
  if (client.passwordUrl === null) throw new Refusal('password_url_missing');
  if (!(await takeTry(table, passwordTriesKey(client.id, email), MAILS, now))) return;
  const key = passwordRequestKey(now.toISOString(), client.id, email);
  await table.tryTransact([{ Put: { Item: { ...key, ttl: toTtl(now) }, ConditionExpression: ABSENT } }]);
}

export const isRequestOver = (requestedAt: string, now: Date): boolean =>
  now.getTime() - Date.parse(requestedAt) > LINK_MS;

const toTtl = (now: Date): number => Math.ceil((now.getTime() + LINK_MS) / 1_000);

const SECRET_BYTES = 32;

/** Stores a link, of whose secret only the hash is kept, and returns its token. */
export async function createPasswordLink(user: UserRecord, now: Date, table: Table): Promise<string> {
  const { clientId, id, credentialsVersion } = user;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(now.getTime() + LINK_MS).toISOString();
  const Item = { ...passwordLinkKey(clientId, id, secret), credentialsVersion, expiresAt, ttl: toTtl(now) };
  await table.tryTransact([{ Put: { Item, ConditionExpression: ABSENT } }]);
  return `${id}.${secret}`;
}

const TOKEN = /^([1-9]\d{0,14})\.([\w-]{43})$/;

type NewPassword = { readonly clientId: number; readonly token: string; readonly password: string; readonly now: Date };

/**
 * Sets the password of the user whom a link was mailed to, once. The user's new `credentialsVersion` ends their access tokens
 * and other links. Throws `invalid_input`.
 */
export async function setPassword({ clientId, token, password, now }: NewPassword, table: Table): Promise<void> {
  const [, user, secret = ''] = TOKEN.exec(token) ?? [];
  const id = Number(user);
  const key = passwordLinkKey(clientId, id, secret);
  const item = user === undefined ? undefined : await table.get(key);
  const link = item && parseItem(storedLink, item, 'password link');
  if (!link || link.expiresAt <= now.toISOString()) throw refuseLink();
  const { credentialsVersion } = link;
  const passwordHash = await hashNewPassword(password);
  const isSet = await table.tryTransact([
    { Delete: { Key: key, ConditionExpression: PRESENT } },
    ownPasswordWrite({ clientId, id, credentialsVersion }, passwordHash),
  ]);
  if (!isSet) throw refuseLink();
}

const refuseLink = () => new Refusal('invalid_input', { errors: [{ path: ['token'], code: 'link_unusable' }] });
