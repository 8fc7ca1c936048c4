import { isControlled, namesControlledSubstance } from '../../../domain/medicines.ts';
import type { CatalogRecords } from '../folder/folder.ts';
import { TO_FILL_IN } from '../folder/record-lines.ts';
import { isShippedProductKey } from '../folder/rules.ts';
import type { ProductOfBase } from './product-columns.ts';

type ReviewedProduct = { readonly id: number; readonly name: string; readonly presentation: string };

export type Review = {
  /** Products that the folder offers, of a fraction that may not be sold online. */
  readonly published_inactive: readonly ReviewedProduct[];
  readonly medicines_with_iva: readonly ReviewedProduct[];
  readonly goods_without_iva: readonly ReviewedProduct[];
  readonly controlled_substances_sold: readonly ReviewedProduct[];
  readonly sat_keys_unlisted: readonly ReviewedProduct[];
  readonly idle_synonyms: readonly string[];
};

type Question = {
  /** `ownKeys`: the shop's own list of SAT keys. */
  readonly asks: (row: ProductOfBase, ownKeys: ReadonlySet<string>) => boolean;
  readonly sentence: string;
};

type Checked = Exclude<keyof Review, 'published_inactive' | 'idle_synonyms'>;
const QUESTIONS: { readonly [Name in Checked]: Question } = {
  medicines_with_iva: {
    asks: ({ product, base }) => base.is_medicine && product.has_iva,
    sentence: 'Medicines with IVA, though medicines have the rate of 0 % (LIVA art. 2-A I b)',
  },
  goods_without_iva: {
    asks: ({ product, base }) => !base.is_medicine && !product.has_iva,
    sentence: 'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j)',
  },
  // Not an error, since the product's registration decides (LGS art. 227).
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

export function reviewProducts(rows: readonly ProductOfBase[], ownKeys: ReadonlySet<string>): Pick<Review, Checked> {
  const entries = Object.entries(QUESTIONS).map(([name, { asks }]) => [
    name,
    rows.filter((row) => asks(row, ownKeys)).map(toReviewed),
  ]);
  return Object.fromEntries(entries) as Pick<Review, Checked>;
}

export const findUnsellable = (rows: readonly ProductOfBase[], unsellable: ReadonlySet<number>): ReviewedProduct[] =>
  rows.filter(({ product }) => unsellable.has(product.id)).map(toReviewed);

const toReviewed = ({ product, base }: ProductOfBase): ReviewedProduct => ({
  id: product.id,
  name: base.name,
  presentation: product.presentation,
});

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

const UNSELLABLE = 'Products published inactive, since sanitary fractions I to III are not sold online';
const IDLE = 'Synonyms of active ingredients that no product has';
const NAMED = 10;

export function describeReview({ published_inactive, idle_synonyms, ...review }: Review): string[] {
  const checks = Object.entries(QUESTIONS).map(([name, { sentence }]) => [sentence, review[name as Checked]] as const);
  const findings = [[UNSELLABLE, published_inactive] as const, ...checks, [IDLE, idle_synonyms] as const];
  return findings.flatMap(([what, all]) => {
    if (all.length === 0) return [];
    const rest = all.length > NAMED ? `, and ${all.length - NAMED} more that --json lists` : '';
    return [`${what}: ${all.length}. ${all.slice(0, NAMED).map(nameReviewed).join(', ')}${rest}.`];
  });
}

const nameReviewed = (item: ReviewedProduct | string): string =>
  typeof item === 'string' ? item : `${item.id} (${item.name}, ${item.presentation})`;
