import { exportContract } from '../../shared/api/people/export.ts';
import { catalogFor, documents, duringInit, orderReady, table, userByToken } from '../../shared/deps.ts';
import { answerPart } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';
import { exportOrders } from '../../shared/order/answers/export.ts';
import { representProfile } from '../../shared/order/answers/person.ts';
import { listReceivers } from '../../shared/people/person.ts';

await duringInit(...orderReady);

export const handler = route(exportContract, userByToken, (request) =>
  answerPart(request, async (after) => {
    const { client, confirmed } = request.caller;
    const [user, catalog] = await Promise.all([confirmed, catalogFor(client)]);
    const invoicing = await listReceivers(table(), client.id, user.id);
    const profile = representProfile(user, invoicing);
    const orders = await exportOrders(user, after, { table: table(), documents: documents(), catalog });
    return { profile, addresses: profile.shipping_records, invoicing, ...orders };
  }),
);
