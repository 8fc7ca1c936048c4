import * as z from 'zod';
import { contract } from '../contract.ts';
import { difference, pathId } from '../fields.ts';
import { page, pagingQuery } from '../lists.ts';
import { productListItem } from './products.ts';

const substitute = z
  .strictObject({
    ...productListItem.shape,
    saving: difference.describe(
      'Price of the product less that of the substitute, each of one package; may be negative.',
    ),
  })
  .meta({ id: 'Substitute', description: 'A product that may stand for another, as lists show it.' });
export type Substitute = z.infer<typeof substitute>;

export const substitutesContract = contract({
  operationId: 'listSubstitutes',
  tag: 'Catalog',
  summary: 'List substitutes of a product',
  description:
    'Other medicines with the same active ingredients and the same need of a prescription that can be bought and are in stock, cheapest first; empty for what is no medicine or has no active ingredient. ' +
    'Ingredients are compared as they are written, salts included, without regard to order, case and accents. ' +
    'A substitute is a suggestion: strength, form and number of pieces may differ, so show the name and the presentation, and leave it to a pharmacist or physician; where a prescription names a brand, only who wrote it may allow another.',
  authentication: 'key',
  caching: 'catalog',
  path: z.object({ id: pathId }),
  query: pagingQuery,
  answers: { 200: page('SubstitutePage', 'substitutes', substitute) },
});
