import { requestPassword } from '../../shared/access/new-password.ts';
import { requestPasswordContract } from '../../shared/api/people/password.ts';
import { clientByKey, clientsReady, duringInit, table } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(clientsReady);

export const handler = route(requestPasswordContract, clientByKey, async ({ body, caller: { client }, now }) => {
  await requestPassword({ client, email: body.email, now }, table());
  return { body: {} };
});
