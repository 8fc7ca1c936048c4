import { contract } from '../contract.ts';
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
