import { eventsContract } from '../../shared/api/events/events.ts';
import { clientsReady, duringInit, table, userByToken } from '../../shared/deps.ts';
import { followEvents } from '../../shared/events/list-events.ts';
import { answerFeed } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(clientsReady);

export const handler = route(eventsContract, userByToken, async (request) =>
  answerFeed(request, (after) => followEvents(after, request.query, { ...request.caller, table: table() })),
);
