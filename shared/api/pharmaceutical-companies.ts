import { contract } from './contract.ts';
import { flag, listQuery, page } from './lists.ts';
import { named } from './named.ts';

export const companiesContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at').extend({ available: flag.optional() }),
  answers: { 200: page(named) },
});
