import * as z from 'zod';
import { contract } from './contract.ts';
import { listQuery, page } from './lists.ts';
import { named } from './named.ts';

export const disease = z.strictObject({ ...named.shape, is_chronic: z.boolean() });
export type Disease = z.infer<typeof disease>;

export const diseasesContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at'),
  answers: { 200: page(disease) },
});
