import type { DatabaseSync } from 'node:sqlite';
import type { Category, Disease, Named } from '../../api/catalog/named.ts';
import type { Product, ProductListItem } from '../../api/catalog/products.ts';
import type { Order } from '../../api/orders/orders.ts';
import type { Store } from '../../api/people/addresses.ts';
import type { SanitaryFraction } from '../../domain/medicines.ts';
import { type Cents, type Micros, parseCents, parseMicros } from '../../domain/money.ts';
import type { Collection } from '../../payments/rules/payment.ts';

// Records in the form of a catalog file: the interface's field names, amounts as decimal text, images as relative paths or
// absolute addresses.

export type PublishedRecords = {
  readonly categories: Category;
  readonly companies: Named;
  /** Keyed by normalized code. `value` has two to six decimals. */
  readonly coupons: NonNullable<Order['coupon']> & {
    readonly id: number;
    readonly minimum_subtotal: string | null;
    readonly max_redemptions: number | null;
    readonly max_redemptions_per_patient: number | null;
    readonly valid_from: string | null;
    readonly valid_until: string | null;
  };
  readonly diseases: Disease;
  readonly holidays: { readonly date: string };
  /** `fee` and `fixed_fee` have two to six decimals. */
  readonly payment_methods: Order['payment_method'] & {
    readonly initial_payment_status: 'unpaid' | 'credit';
    readonly sat_payment_form: string;
    /** How the payment provider collects it; if absent, operators record each payment. */
    readonly collection?: Collection | undefined;
  };
  readonly shipping_methods: Order['shipping_method'] & { readonly pickup: boolean };
  readonly shipping_rates: {
    readonly id: number;
    readonly shipping_method: number;
    readonly zip_from: string;
    readonly zip_to: string;
    readonly price: string;
    readonly cost: string | null;
    readonly discount: string | null;
    readonly discount_from: string | null;
    readonly discount_until: string | null;
  };
  readonly stores: Store & { readonly is_sat_branch: boolean; readonly time_zone: string | null };
  /** Keyed by `key`; a shop without any relies on the shipped list. */
  readonly sat_product_keys: { readonly key: string; readonly name: string };
  readonly suppliers: Named;
  /** `tracking_url` has `{tracking}` in place of a shipment's number. */
  readonly carriers: { readonly id: number; readonly name: string; readonly tracking_url: string };
  readonly synonyms: { readonly active_ingredient: string; readonly synonyms: readonly string[] };
  readonly tags: Named;
  readonly variants: Named;
};

/** In the order in which differences are shown. */
export const RECORD_KINDS = [
  'categories',
  'companies',
  'diseases',
  'tags',
  'suppliers',
  'variants',
  'stores',
  'shipping_methods',
  'shipping_rates',
  'payment_methods',
  'coupons',
  'holidays',
  'synonyms',
  'carriers',
  'sat_product_keys',
] as const satisfies readonly (keyof PublishedRecords)[];
export type RecordKind = (typeof RECORD_KINDS)[number];

export const COMPARED_KINDS = ['products', 'bases', ...RECORD_KINDS] as const;
export type ComparedKind = (typeof COMPARED_KINDS)[number];

type ShownBase = NonNullable<Product['base']>;

export type PublishedBase = Omit<ShownBase, 'category' | 'pharmaceutical_company' | 'diseases' | 'tags'> & {
  readonly category: number;
  readonly pharmaceutical_company: number;
  readonly diseases: number[];
  readonly tags: readonly number[];
  /** Only of a medicine without medical information, whose group number would be its fraction. */
  readonly sanitary_fraction?: SanitaryFraction;
  readonly is_antibiotic?: boolean;
};

export type PublishedProduct = Omit<ProductListItem, 'base'> &
  Pick<Product, 'has_iva' | 'sat_key' | 'sat_unit'> & {
    readonly base: number;
    readonly max_quantity?: number | undefined;
  };

export type PublishedDetail = Pick<Product, 'cost' | 'public_price' | 'average_cost' | 'partner_description'> & {
  readonly should_calculate_price: boolean;
  readonly image: string;
  readonly album: { readonly id: number; readonly images: readonly PublishedImage[] } | null;
  readonly current_supplier: number | null;
  readonly supplier_products: readonly { readonly id: number; readonly supplier: number; readonly cost: string }[];
  readonly product_variants: readonly { readonly id: number; readonly value: string; readonly variant: number }[];
};
type PublishedImage = { readonly id: number; readonly image: string; readonly is_default: boolean };

export type RecordReader = ReturnType<typeof createRecordReader>;

export function createRecordReader(database: DatabaseSync) {
  const selectOne = database.prepare('SELECT content FROM records WHERE kind = ? AND key = ?');
  const selectAll = database.prepare('SELECT content FROM records WHERE kind = ? ORDER BY key');
  return {
    one<Kind extends RecordKind>(kind: Kind, key: number | string): PublishedRecords[Kind] | undefined {
      const content = selectOne.get(kind, key)?.content;
      return content === undefined ? undefined : JSON.parse(String(content));
    },
    /** By ascending key. */
    all: <Kind extends RecordKind>(kind: Kind): PublishedRecords[Kind][] =>
      selectAll.all(kind).map(({ content }) => JSON.parse(String(content))),
  };
}

export const mapById = <Item extends { readonly id: number }>(items: readonly Item[]): Map<number, Item> =>
  new Map(items.map((item) => [item.id, item]));

// Only folders without errors are compiled: these functions throw only if this program has a defect.

export const readCents = (amount: string): Cents => requireValue(parseCents(amount), amount);
export const readMicros = (value: string): Micros => requireValue(parseMicros(value), value);

export const getById = <Value>(records: ReadonlyMap<number, Value>, id: number): Value =>
  requireValue(records.get(id), id);

function requireValue<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
