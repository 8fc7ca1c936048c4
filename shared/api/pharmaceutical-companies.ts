import * as z from 'zod';
import { contract } from './contract.ts';
import { flag, listQuery, page } from './lists.ts';
import { named } from './named.ts';

export const company = z.strictObject(named.shape);
export type Company = z.infer<typeof company>;

export const companiesContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at').extend({ available: flag.optional() }),
  answers: { 200: page(company) },
});
