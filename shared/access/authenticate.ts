import { Refusal } from '../domain/refusal.ts';
import { parseUser, type UserRecord } from '../people/users.ts';
import { noteRequest } from '../runtime/log.ts';
import type { Item } from '../store/table.ts';
import type { Client } from './clients.ts';
import { type Subject, verifyAccessToken } from './token.ts';
import type { PublicKeySource } from './token-keys.ts';

type ClientDeps = { readonly findClient: (gatewayKeyId: string) => Promise<Client | undefined> };
type UserDeps = ClientDeps & {
  readonly readUser: (client: number, user: number) => Promise<Item | undefined>;
  readonly findPublicKey: PublicKeySource;
  readonly now: () => Date;
};

export type ClientCaller = { readonly client: Client };
export type UserCaller = ClientCaller & {
  readonly user: Subject['user'];
  /**
   * The stored user, read in parallel with the route's first read. Rejects with `token_invalid` if the token was
   * revoked: await it before any write, and in any case before the answer.
   */
  readonly confirmed: Promise<UserRecord>;
};

/** Throws `client_unknown` if no client has the API key. */
export const identifyClient =
  ({ findClient }: ClientDeps) =>
  async ({ gatewayKeyId }: { readonly gatewayKeyId: string }): Promise<ClientCaller> => {
    const client = await findClient(gatewayKeyId);
    if (!client) throw new Refusal('client_unknown');
    noteRequest({ clientId: client.id });
    return { client };
  };

export const authenticateUser = (deps: UserDeps) => {
  const identify = identifyClient(deps);
  return async (credentials: { gatewayKeyId: string; token: string | undefined }): Promise<UserCaller> => {
    // In parallel; if both fail, the API key's refusal is the answer.
    const verifying = verify(credentials.token, deps);
    verifying.catch(() => undefined);
    const { client } = await identify(credentials);
    const { client: issuedFor, user } = await verifying;
    if (issuedFor !== client.id) throw new Refusal('token_invalid');
    noteRequest({ userId: user.id, role: user.role });
    const confirmed = deps.readUser(client.id, user.id).then((item) => requireUser(item, user));
    confirmed.catch(() => undefined);
    return { client, user, confirmed };
  };
};

async function verify(token: string | undefined, { findPublicKey, now }: UserDeps): Promise<Subject> {
  if (token === undefined) throw new Refusal('not_authenticated');
  return verifyAccessToken(token, { findPublicKey, now: now() });
}

/** Parses the user of a token. Throws `token_invalid` if they were removed or disabled, or their password changed. */
export function requireUser(item: Item | undefined, { credentialsVersion }: Subject['user']): UserRecord {
  const user = item && parseUser(item);
  const isCurrent = user && !user.disabledAt && user.credentialsVersion === credentialsVersion;
  if (!isCurrent) throw new Refusal('token_invalid');
  return user;
}
