import { setPassword } from '../../shared/access/new-password.ts';
import { setPasswordContract } from '../../shared/api/people/password.ts';
import { clientByKey, clientsReady, duringInit, table } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(clientsReady);

export const handler = route(setPasswordContract, clientByKey, async ({ body, caller: { client }, now }) => {
  await setPassword({ ...body, clientId: client.id, now }, table());
  return { body: undefined };
});
