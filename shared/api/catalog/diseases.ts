import * as z from 'zod';
import { contract } from '../contract.ts';
import { listQuery, page } from '../lists.ts';
import { named } from './named.ts';

const disease = z
  .strictObject({ ...named.shape, is_chronic: z.boolean().describe('True for a chronic disease.') })
  .meta({ id: 'Disease', description: 'A disease.' });
export type Disease = z.infer<typeof disease>;

export const diseasesContract = contract({
  operationId: 'listDiseases',
  tag: 'Catalog',
  summary: 'List diseases',
  description: 'The diseases that products are used for, last changed first unless ordered otherwise.',
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.'),
  answers: { 200: page('DiseasePage', 'diseases', disease) },
});
