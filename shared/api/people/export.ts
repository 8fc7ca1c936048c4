import * as z from 'zod';
import { contract } from '../contract.ts';
import { pagingQuery } from '../lists.ts';
import { order } from '../orders/orders.ts';
import { invoicing, shipping } from './addresses.ts';
import { profile } from './people.ts';

export const exportContract = contract({
  operationId: 'exportProfile',
  tag: 'Access',
  summary: 'Export what is stored about oneself',
  description:
    'All that is stored about the user of the access token (LFPDPPP, right of access): the profile, addresses and tax data, and of a patient the orders with all of their parts, newest first, at most 50 in an answer. `next` has the rest. Links to files work for five minutes.',
  authentication: 'user',
  query: z.object({
    cursor: pagingQuery.shape.cursor.describe('Empty or left out to begin, then as in `next`; of the same user.'),
  }),
  answers: {
    200: z
      .strictObject({
        profile: profile.describe('The person.'),
        addresses: z.array(shipping).describe('The address that is kept for orders that name none.'),
        invoicing: z.array(invoicing).describe('The tax data, the latest first.'),
        orders: z.array(order).describe('Some orders of the patient; none for other users.'),
        next: z.url().nullable().describe('Address of the next orders; null after the last ones.'),
      })
      .meta({ id: 'ProfileExport', description: 'What is stored about a user.' }),
  },
});
