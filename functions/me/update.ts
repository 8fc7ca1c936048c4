import { updateProfileContract } from '../../shared/api/people/people.ts';
import { clientsReady, duringInit, table, writerByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representProfile } from '../../shared/order/answers/person.ts';
import { updateProfile } from '../../shared/people/patients.ts';
import { listReceivers } from '../../shared/people/person.ts';
import { business } from '../../shared/runtime/config.ts';

await duringInit(clientsReady);

export const handler = route(
  updateProfileContract,
  writerByToken,
  async ({ body, caller: { client, confirmed }, now }) => {
    const { timeZone } = business();
    const user = await updateProfile(await confirmed, body, { table: table(), now, timeZone });
    return { body: representProfile(user, await listReceivers(table(), client.id, user.id)) };
  },
);
