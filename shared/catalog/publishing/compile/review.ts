import { isControlled, namesControlledSubstance } from '../../../domain/medicines.ts';
import type { CatalogRecords } from '../folder/folder.ts';
import { TO_FILL_IN } from '../folder/record-lines.ts';
import { isShippedProductKey } from '../folder/rules.ts';
import { findIdleSynonyms, type ProductOfBase } from './product-columns.ts';

type ReviewedProduct = { readonly id: number; readonly name: string; readonly presentation: string };

const toReviewed = ({ product, base }: ProductOfBase): ReviewedProduct => ({
  id: product.id,
  name: base.name,
  presentation: product.presentation,
});

/** Returns what is no error, but for somebody to look at. `unsellable`: products offered, of a fraction not sold online. */
export function reviewProducts(
  rows: readonly ProductOfBase[],
  unsellable: ReadonlySet<number>,
  records: Pick<CatalogRecords, 'companies' | 'synonyms' | 'sat_product_keys'>,
) {
  const ownKeys = new Set(records.sat_product_keys.map(({ key }) => key));
  const list = (isListed: (row: ProductOfBase) => boolean) => rows.filter(isListed).map(toReviewed);
  return {
    published_inactive: list(({ product }) => unsellable.has(product.id)),
    medicines_with_iva: list(({ product, base }) => base.is_medicine && product.has_iva),
    goods_without_iva: list(({ product, base }) => !base.is_medicine && !product.has_iva),
    // Not an error, since the product's registration decides (LGS art. 227).
    controlled_substances_sold: list(
      ({ product, base }) =>
        product.is_active &&
        !isControlled(base.sanitary_fraction) &&
        namesControlledSubstance(base.medical_information?.active_ingredient ?? ''),
    ),
    sat_keys_unlisted: list(({ product: { sat_key: key } }) => !isShippedProductKey(key) && !ownKeys.has(key)),
    idle_synonyms: findIdleSynonyms(rows, records),
  };
}

export type Review = ReturnType<typeof reviewProducts>;

const SENTENCES: { readonly [Name in keyof Review]: string } = {
  published_inactive: 'Products published inactive, since sanitary fractions I to III are not sold online',
  medicines_with_iva: 'Medicines with IVA, though medicines have the rate of 0 % (LIVA art. 2-A I b)',
  goods_without_iva: 'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j)',
  controlled_substances_sold:
    'Medicines sold online of a substance that LGS art. 234 or 245 controls, though fractions I to III are for these',
  sat_keys_unlisted: "Products whose sat_key is not among SAT's keys as shipped, which an accountant should look at",
  idle_synonyms: 'Synonyms of active ingredients that no product has',
};
const NAMED = 10;

export const describeReview = (review: Review): string[] =>
  (Object.keys(SENTENCES) as (keyof Review)[]).flatMap((name) => {
    const { length } = review[name];
    if (length === 0) return [];
    const rest = length > NAMED ? `, and ${length - NAMED} more that --json lists` : '';
    return [`${SENTENCES[name]}: ${length}. ${review[name].slice(0, NAMED).map(nameReviewed).join(', ')}${rest}.`];
  });

const nameReviewed = (item: ReviewedProduct | string): string =>
  typeof item === 'string' ? item : `${item.id} (${item.name}, ${item.presentation})`;

const NOBODY = 'There are no stores and no shipping rates, so that nobody can order: `catalog init` writes both.';
const PICKUP_ALONE = 'There are no shipping rates: orders can only be collected at a store.';

export function describeLacks({ stores, ...records }: Pick<CatalogRecords, 'stores' | 'shipping_rates'>): string[] {
  const notes = records.shipping_rates.length > 0 ? [] : [stores.length > 0 ? PICKUP_ALONE : NOBODY];
  const entries = stores.flatMap((store) => Object.entries(store)).filter(([, value]) => value === TO_FILL_IN);
  const fields = new Set(entries.map(([field]) => field));
  return fields.size === 0
    ? notes
    : [...notes, `Fields of stores that are to be filled in: ${[...fields].join(', ')}.`];
}
