import { type Subject, verifyAccessToken } from '../../access/token.ts';
import type { TokenKeySource } from '../../access/token-keys.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noteRequest } from '../../runtime/log.ts';
import type { Client } from '../../store/access/clients.ts';

type ClientDeps = { readonly findClient: (gatewayKeyId: string) => Promise<Client | undefined> };
type UserDeps = ClientDeps & { readonly tokenKeys: TokenKeySource; readonly now: () => Date };

export type ClientCaller = { readonly client: Client };
export type UserCaller = ClientCaller & { readonly user: Subject['user'] };

/** Finds the client of the API key, or refuses with `client_unknown`. */
export const identifyClient =
  ({ findClient }: ClientDeps) =>
  async ({ gatewayKeyId }: { readonly gatewayKeyId: string }): Promise<ClientCaller> => {
    const client = await findClient(gatewayKeyId);
    if (!client) throw new Refusal('client_unknown');
    noteRequest({ clientId: client.id });
    return { client };
  };

/** Finds the client of the API key and, by the access token, the user of it who is calling. */
export const authenticateUser = (deps: UserDeps) => {
  const identify = identifyClient(deps);
  return async (credentials: { gatewayKeyId: string; token: string | undefined }): Promise<UserCaller> => {
    // Both run side by side; when both refuse, the refusal of the key is the answer, whichever comes first.
    const verifying = verify(credentials.token, deps);
    verifying.catch(() => undefined);
    const { client } = await identify(credentials);
    const subject = await verifying;
    if (subject.client !== client.id) throw new Refusal('token_invalid');
    noteRequest({ userId: subject.user.id, role: subject.user.role });
    return { client, user: subject.user };
  };
};

async function verify(token: string | undefined, { tokenKeys, now }: UserDeps): Promise<Subject> {
  if (token === undefined) throw new Refusal('not_authenticated');
  return verifyAccessToken(token, { keys: await tokenKeys(), now: now() });
}
