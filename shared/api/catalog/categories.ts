import * as z from 'zod';
import { contract } from '../contract.ts';
import { available, listQuery, page } from '../lists.ts';
import { named } from './named.ts';

export const category = z
  .strictObject({ ...named.shape, parent: z.int().nullable().describe('The category above it, by id, or null.') })
  .meta({ id: 'Category', description: 'A category of products.' });
export type Category = z.infer<typeof category>;

export const categoriesContract = contract({
  operationId: 'listCategories',
  tag: 'Catalog',
  summary: 'List categories',
  description: 'The categories of products, last changed first unless ordered otherwise.',
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.').extend({ available }),
  answers: { 200: page('CategoryPage', 'categories', category) },
});
