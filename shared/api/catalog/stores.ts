import * as z from 'zod';
import { contract } from '../contract.ts';
import { pathId, recordId } from '../fields.ts';
import { page } from '../lists.ts';
import { store } from '../people/addresses.ts';
import { namedQuery, OF_CATALOG } from './named.ts';

export const storesContract = contract({
  ...OF_CATALOG,
  operationId: 'listStores',
  summary: 'List stores',
  description: 'The stores where an order can be picked up, last changed first unless ordered otherwise.',
  query: namedQuery,
  answers: { 200: page('StorePage', 'stores', store) },
});

const availability = z
  .strictObject({
    store: recordId,
    is_available: z.boolean().describe('True if an order with one piece can be collected there now.'),
    quantity: z.int().min(0).nullable().describe('The pieces left to sell; null where they are not counted.'),
  })
  .meta({ id: 'Availability', description: 'Whether a store has a product.' });
export type Availability = z.infer<typeof availability>;

export const availabilityContract = contract({
  tag: 'Catalog',
  authentication: 'key',
  operationId: 'listAvailability',
  summary: 'List the stores that have a product',
  description:
    'Every store, by id, with the pieces of the product that are left there. Pieces are reserved when an order is placed, not when it is quoted, so that an order may still be refused.',
  path: z.object({ id: pathId }),
  answers: { 200: z.array(availability).meta({ id: 'AvailabilityList', description: 'Every store, by id.' }) },
});
