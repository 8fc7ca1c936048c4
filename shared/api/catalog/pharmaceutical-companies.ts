import * as z from 'zod';
import { contract } from '../contract.ts';
import { available, listQuery, page } from '../lists.ts';
import { named } from './named.ts';

const company = z.strictObject(named.shape).meta({ id: 'Company', description: 'A pharmaceutical company.' });

export const companiesContract = contract({
  operationId: 'listPharmaceuticalCompanies',
  tag: 'Catalog',
  summary: 'List pharmaceutical companies',
  description: 'The companies whose products are in the catalog, last changed first unless ordered otherwise.',
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.').extend({ available }),
  answers: { 200: page('CompanyPage', 'pharmaceutical companies', company) },
});
