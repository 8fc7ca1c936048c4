import * as z from 'zod';
import { contract } from './contract.ts';
import { flag, listQuery, page } from './lists.ts';
import { named } from './named.ts';

export const category = z.strictObject({ ...named.shape, parent: z.int().nullable() });
export type Category = z.infer<typeof category>;

export const categoriesContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at').extend({ available: flag.optional() }),
  answers: { 200: page(category) },
});
