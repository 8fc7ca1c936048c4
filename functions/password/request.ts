import { requestPassword } from '../../shared/access/new-password.ts';
import { requestPasswordContract } from '../../shared/api/people/password.ts';
import { clientByKey, clientsReady, table } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { duringInit } from '../../shared/runtime/init.ts';

await duringInit(clientsReady);

export const handler = route(requestPasswordContract, clientByKey, async ({ body, caller: { client }, now }) => {
  await requestPassword({ client, email: body.email, now }, table());
  return { body: {} };
});
