import * as z from 'zod';
import { recordId } from '../fields.ts';
import { distinctChoices } from '../lists.ts';

/** The filters whose values can be counted, by the names of their parameters. */
export const FACETS = ['base__category', 'base__pharmaceutical_company', 'base__diseases'] as const;
export type Facet = (typeof FACETS)[number];

/** The values of a facet that an answer has at most. */
export const MAX_FACET_VALUES = 100;

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
    `Filters whose values are counted in \`facets\`, each once at most: for the list as filtered and searched, without the filter's own value. Values that no product has are left out; each filter has its ${MAX_FACET_VALUES} most frequent.`,
  );
