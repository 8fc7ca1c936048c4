import * as z from 'zod';
import { contract } from '../contract.ts';
import { recordId, stamps } from '../fields.ts';
import { available, distinctChoices, listQuery, MAX_FACET_VALUES, page } from '../lists.ts';

export const OF_CATALOG = { tag: 'Catalog', authentication: 'key', caching: 'catalog' } as const;

export const namedQuery = listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.');

export const named = z
  .strictObject({ id: recordId, name: z.string().describe('Name.'), ...stamps })
  .meta({ id: 'Named', description: 'A supplier, variant, company, disease or tag.' });
export type Named = z.infer<typeof named>;

export const category = z
  .strictObject({ ...named.shape, parent: z.int().nullable().describe('The category above it, by id, or null.') })
  .meta({ id: 'Category', description: 'A category of products.' });
export type Category = z.infer<typeof category>;

export const categoriesContract = contract({
  ...OF_CATALOG,
  operationId: 'listCategories',
  summary: 'List categories',
  description: 'The categories of products, last changed first unless ordered otherwise.',
  query: namedQuery.extend({ available }),
  answers: { 200: page('CategoryPage', 'categories', category) },
});

const company = z.strictObject(named.shape).meta({ id: 'Company', description: 'A pharmaceutical company.' });

export const companiesContract = contract({
  ...OF_CATALOG,
  operationId: 'listPharmaceuticalCompanies',
  summary: 'List pharmaceutical companies',
  description: 'The companies whose products are in the catalog, last changed first unless ordered otherwise.',
  query: namedQuery.extend({ available }),
  answers: { 200: page('CompanyPage', 'pharmaceutical companies', company) },
});

const disease = z
  .strictObject({ ...named.shape, is_chronic: z.boolean().describe('True for a chronic disease.') })
  .meta({ id: 'Disease', description: 'A disease.' });
export type Disease = z.infer<typeof disease>;

export const diseasesContract = contract({
  ...OF_CATALOG,
  operationId: 'listDiseases',
  summary: 'List diseases',
  description: 'The diseases that products are used for, last changed first unless ordered otherwise.',
  query: namedQuery,
  answers: { 200: page('DiseasePage', 'diseases', disease) },
});

const FACETS = ['base__category', 'base__pharmaceutical_company', 'base__diseases'] as const;
export type Facet = (typeof FACETS)[number];

const facetValue = z
  .strictObject({
    id: recordId,
    name: z.string().describe('Name.'),
    count: z.int().min(1).describe('Number of products that have it.'),
  })
  .meta({ id: 'FacetValue', description: 'A value of a filter, with the number of products that it would leave.' });
export type FacetValue = z.infer<typeof facetValue>;

const values = (of: string) =>
  z.array(facetValue).max(MAX_FACET_VALUES).optional().describe(`The ${of}; only if it is asked for.`);

export const facets = z
  .strictObject({
    base__category: values('categories, each without its children'),
    base__pharmaceutical_company: values('companies'),
    base__diseases: values('diseases'),
  } satisfies Readonly<Record<Facet, z.ZodType>>)
  .meta({
    id: 'Facets',
    description: `The values of filters with their numbers of products: those of the list as filtered and searched, without the facet's own filter. The most frequent come first, then by name; ${MAX_FACET_VALUES} at most.`,
  });
export type Facets = z.infer<typeof facets>;

export const facetsParameter = distinctChoices(FACETS)
  .optional()
  .describe(
    `Filters whose values are counted in \`facets\`, each once at most (\`base__category\`: categories; \`base__pharmaceutical_company\`: companies; \`base__diseases\`: diseases): for the list as filtered and searched, without the filter's own value. Values that no product has are left out; each filter has its ${MAX_FACET_VALUES} most frequent.`,
  );
