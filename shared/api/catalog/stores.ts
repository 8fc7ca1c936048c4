import { contract } from '../contract.ts';
import { listQuery, page } from '../lists.ts';
import { store } from '../people/addresses.ts';

export const storesContract = contract({
  operationId: 'listStores',
  tag: 'Catalog',
  summary: 'List stores',
  description: 'The stores where an order can be picked up, last changed first unless ordered otherwise.',
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.'),
  answers: { 200: page('StorePage', 'stores', store) },
});
