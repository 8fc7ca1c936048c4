import { Refusal } from '../domain/refusal.ts';
import { replacePasswordHash, userByEmail } from '../people/users.ts';
import type { Table } from '../store/table.ts';
import { reserveLoginTry } from './login-attempts.ts';
import { DUMMY_HASH, hashPassword, needsRehash, verifyPassword } from './password.ts';
import { issueAccessToken } from './token.ts';
import type { TokenKeySource } from './token-keys.ts';

type Login = {
  readonly email: string;
  readonly password: string;
  readonly client: { readonly id: number };
  readonly sourceAddress: string;
  readonly now: Date;
};
type Deps = { readonly table: Table; readonly tokenKeys: TokenKeySource; readonly lifetimeSeconds: number };

/** Unknown e-mail, disabled user, missing and wrong password are refused alike (`wrong_credentials`), after the same work. */
export async function issueToken(login: Login, deps: Deps): Promise<{ access: string; lifetimeSeconds: number }> {
  const { table, tokenKeys, lifetimeSeconds } = deps;
  const client = login.client.id;
  const email = login.email.trim().toLowerCase();
  // A known e-mail takes longer to look up, but the reservation takes longest, so the difference does not show.
  const [giveBack, user] = await Promise.all([
    reserveLoginTry(table, { client, email, sourceAddress: login.sourceAddress }, login.now),
    userByEmail(table, client, email),
  ]);
  const passwordHash = user?.passwordHash ?? DUMMY_HASH;
  const isRight = await verifyPassword(passwordHash, login.password);
  if (!isRight || !user?.passwordHash || user.disabledAt) throw new Refusal('wrong_credentials');
  await giveBack();
  if (needsRehash(passwordHash)) await replacePasswordHash(table, user, await hashPassword(login.password));
  const keys = await tokenKeys();
  const access = await issueAccessToken({ client, user }, { keys, lifetimeSeconds, now: login.now });
  return { access, lifetimeSeconds };
}
