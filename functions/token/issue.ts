import { issueToken } from '../../shared/access/password.ts';
import { tokenContract } from '../../shared/api/people/people.ts';
import { clientByKey, clientsReady, duringInit, table, tokenKeys, tokenKeysReady } from '../../shared/deps.ts';
import { accessCookie } from '../../shared/http/credentials.ts';
import { route } from '../../shared/http/route.ts';
import { tokenConfig } from '../../shared/runtime/config.ts';

await duringInit(tokenKeysReady, clientsReady);

export const handler = route(tokenContract, clientByKey, async ({ body, caller, sourceAddress, now }) => {
  const { access, lifetimeSeconds } = await issueToken(
    { ...body, client: caller.client, sourceAddress, now },
    { table: table(), tokenKeys, lifetimeSeconds: tokenConfig().TOKEN_LIFETIME_SECONDS },
  );
  return { body: { access }, cookie: accessCookie(access, lifetimeSeconds) };
});
