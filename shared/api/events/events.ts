import * as z from 'zod';
import { contract } from '../contract.ts';
import { pathId } from '../fields.ts';
import { choicesFilter, page, pagingQuery } from '../lists.ts';
import { EVENT_TYPES, publicEvent } from './event.ts';

const type = choicesFilter(EVENT_TYPES).optional().describe('Only events of these types.');

export const eventsContract = contract({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'Follow events',
  description:
    'The events of all orders of the client, in the order in which they were told, for its insurance employees; 404 for ' +
    'other users. Events are told within seconds, and kept for 30 days. Ask again with `next` until it brings nothing, and ' +
    'then from time to time: no event is left out, those of an order come in its order, and an answer that was lost can be ' +
    'asked for again. A cursor behind which events are no longer kept is refused.',
  authentication: 'user',
  caching: 'never',
  query: z.object({
    limit: pagingQuery.shape.limit,
    cursor: pagingQuery.shape.cursor.describe(
      'Empty to begin with the oldest event that is kept, then as in `next`. It is valid for the same caller and types.',
    ),
    type,
  }),
  answers: {
    200: z
      .strictObject({
        next: z.url().describe('Address of the events behind these; also if there are none yet.'),
        results: z.array(publicEvent).describe('The events, at most `limit`; maybe none of the types on a long way.'),
      })
      .meta({ id: 'EventFeed', description: 'Some events of a client.' }),
  },
  refusals: ['not_found'],
});
export type EventsQuery = z.infer<typeof eventsContract.query>;

export const orderEventsContract = contract({
  operationId: 'listOrderEvents',
  tag: 'Events',
  summary: 'List the events of an order',
  description:
    'The events of one order, the oldest first, for whoever sees the order; 404 also when it is somebody else’s. They stay ' +
    'as long as the order, except the oldest ones of an order with a very long history.',
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  query: pagingQuery.extend({ type }),
  answers: { 200: page('EventPage', 'the events of an order', publicEvent) },
});
export type OrderEventsQuery = z.infer<typeof orderEventsContract.query>;
