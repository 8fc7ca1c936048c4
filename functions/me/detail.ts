import { profileContract } from '../../shared/api/people/people.ts';
import { clientsReady, duringInit, table, userByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representProfile } from '../../shared/order/answers/person.ts';
import { listReceivers } from '../../shared/people/person.ts';

await duringInit(clientsReady);

export const handler = route(profileContract, userByToken, async ({ caller: { client, user, confirmed } }) => {
  const [profile, receivers] = await Promise.all([confirmed, listReceivers(table(), client.id, user.id)]);
  return { body: representProfile(profile, receivers) };
});
