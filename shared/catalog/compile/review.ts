import { isControlled, namesControlledSubstance } from '../../domain/medicines.ts';
import { isShippedProductKey } from '../folder/sat-product-keys.ts';
import type { ProductOfBase } from './product-columns.ts';

type ReviewedProduct = { readonly id: number; readonly name: string; readonly presentation: string };

/** Products that are published as the folder has them, and that somebody should look at. */
export type Review = {
  readonly medicines_with_iva: readonly ReviewedProduct[];
  readonly goods_without_iva: readonly ReviewedProduct[];
  readonly controlled_substances_sold: readonly ReviewedProduct[];
  readonly sat_keys_unlisted: readonly ReviewedProduct[];
};

type Question = {
  /** `ownKeys` are those of the shop's own list. */
  readonly asks: (row: ProductOfBase, ownKeys: ReadonlySet<string>) => boolean;
  readonly sentence: string;
};

const QUESTIONS: { readonly [Name in keyof Review]: Question } = {
  medicines_with_iva: {
    asks: ({ product, base }) => base.is_medicine && product.has_iva,
    sentence: 'Medicines with IVA, though medicines have the rate of 0 % (LIVA art. 2-A I b)',
  },
  goods_without_iva: {
    asks: ({ product, base }) => !base.is_medicine && !product.has_iva,
    sentence: 'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j)',
  },
  // Not an error, as the registration of a product decides (LGS art. 227).
  controlled_substances_sold: {
    asks: ({ product, base }) =>
      product.is_active &&
      !isControlled(base.sanitary_fraction) &&
      namesControlledSubstance(base.medical_information?.active_ingredient ?? ''),
    sentence:
      'Medicines sold online of a substance that LGS art. 234 or 245 controls, though fractions I to III are for these',
  },
  sat_keys_unlisted: {
    asks: ({ product }, ownKeys) => !isShippedProductKey(product.sat_key) && !ownKeys.has(product.sat_key),
    sentence: "Products whose sat_key is not among SAT's keys as shipped, which an accountant should look at",
  },
};

/** Returns the products of each question, in the order given. */
export function reviewProducts(rows: readonly ProductOfBase[], ownKeys: ReadonlySet<string>): Review {
  const entries = Object.entries(QUESTIONS).map(([name, { asks }]) => [
    name,
    rows.filter((row) => asks(row, ownKeys)).map(toReviewed),
  ]);
  return Object.fromEntries(entries) as Review;
}

const toReviewed = ({ product, base }: ProductOfBase): ReviewedProduct => ({
  id: product.id,
  name: base.name,
  presentation: product.presentation,
});

const NAMED_PRODUCTS = 5;

/** Returns a sentence for each question that finds something, with its number and the first products. */
export function describeReview(review: Review): string[] {
  return Object.entries(QUESTIONS).flatMap(([name, { sentence }]) => {
    const found = review[name as keyof Review];
    if (found.length === 0) return [];
    const first = found.slice(0, NAMED_PRODUCTS).map((one) => `${one.id} (${one.name}, ${one.presentation})`);
    const rest = found.length > first.length ? `, and ${found.length - first.length} more that --json lists` : '';
    return [`${sentence}: ${found.length}. ${first.join(', ')}${rest}.`];
  });
}
