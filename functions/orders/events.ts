import { orderEventsContract } from '../../shared/api/events/events.ts';
import { clientsReady, duringInit, table, userByToken } from '../../shared/deps.ts';
import { listOrderEvents } from '../../shared/events/list-events.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(clientsReady);

export const handler = route(orderEventsContract, userByToken, async (request) =>
  answerPage(request, (query) => listOrderEvents(request.path.id, query, { ...request.caller, table: table() })),
);
