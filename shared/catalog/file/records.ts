import type { DatabaseSync } from 'node:sqlite';
import type { Category, Disease, Named } from '../../api/catalog/named.ts';
import type { Product, ProductListItem } from '../../api/catalog/products.ts';
import type { Order } from '../../api/orders/orders.ts';
import type { Store } from '../../api/people/addresses.ts';
import type { SanitaryFraction } from '../../domain/medicines.ts';
import { type Cents, type Micros, parseCents, parseMicros } from '../../domain/money.ts';
import type { Collection } from '../../payments/rules/payment.ts';

// Records as a catalog file keeps them: with the interface's field names, amounts as decimal text, images as relative
// paths or absolute addresses.

/** A record of each kind that has no table of its own. */
export type PublishedRecords = {
  readonly categories: Category;
  readonly companies: Named;
  /** Kept by their normalized code. `value` has two to six decimals. */
  readonly coupons: NonNullable<Order['coupon']> & {
    readonly id: number;
    readonly minimum_subtotal: string | null;
    readonly max_redemptions: number | null;
    readonly max_redemptions_per_patient: number | null;
    readonly valid_from: string | null;
    readonly valid_until: string | null;
  };
  readonly diseases: Disease;
  /** Kept by their date. */
  readonly holidays: { readonly date: string };
  /** `fee` and `fixed_fee` have two to six decimals. */
  readonly payment_methods: Order['payment_method'] & {
    readonly initial_payment_status: 'unpaid' | 'credit';
    readonly sat_payment_form: string;
    /** The payment provider collects it in this way; without it, an operator records each payment. */
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
  /** Kept by their key; a shop that has none answers for no list. */
  readonly sat_product_keys: { readonly key: string; readonly name: string };
  readonly suppliers: Named;
  /** `tracking_url` has `{tracking}` in the place of a shipment's number. */
  readonly carriers: { readonly id: number; readonly name: string; readonly tracking_url: string };
  /** Kept by the active ingredient. */
  readonly synonyms: { readonly active_ingredient: string; readonly synonyms: readonly string[] };
  readonly tags: Named;
  readonly variants: Named;
};

/** The kinds of records that have no table of their own, in the order in which differences are shown. */
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

type ShownBase = NonNullable<Product['base']>;

/** A base with the ids of the records that it links to, and what the interface does not show. */
export type PublishedBase = Omit<ShownBase, 'category' | 'pharmaceutical_company' | 'diseases' | 'tags'> & {
  readonly category: number;
  readonly pharmaceutical_company: number;
  readonly diseases: number[];
  readonly tags: readonly number[];
  /** Of a medicine without medical information, whose group number would be its fraction. */
  readonly sanitary_fraction?: SanitaryFraction;
  readonly is_antibiotic?: boolean;
};

/** The fields of a product that lists and orders need, with the id of its base. */
export type PublishedProduct = Omit<ProductListItem, 'base'> &
  Pick<Product, 'has_iva' | 'sat_key' | 'sat_unit'> & {
    readonly base: number;
    readonly max_quantity?: number | undefined;
  };

/** The fields that only the full product shows, with the ids of the records that it links to. */
export type PublishedDetail = Pick<Product, 'cost' | 'public_price' | 'average_cost' | 'partner_description'> & {
  readonly should_calculate_price: boolean;
  readonly image: string;
  readonly album: { readonly id: number; readonly images: readonly PublishedImage[] } | null;
  readonly current_supplier: number | null;
  readonly supplier_products: readonly { readonly id: number; readonly supplier: number; readonly cost: string }[];
  readonly product_variants: readonly { readonly id: number; readonly value: string; readonly variant: number }[];
};
type PublishedImage = { readonly id: number; readonly image: string; readonly is_default: boolean };

export type RecordReader = {
  one<Kind extends RecordKind>(kind: Kind, key: number | string): PublishedRecords[Kind] | undefined;
  /** Returns every record of a kind by ascending key. */
  all<Kind extends RecordKind>(kind: Kind): PublishedRecords[Kind][];
};

export function createRecordReader(database: DatabaseSync): RecordReader {
  const selectOne = database.prepare('SELECT content FROM records WHERE kind = ? AND key = ?');
  const selectAll = database.prepare('SELECT content FROM records WHERE kind = ? ORDER BY key');
  return {
    one(kind, key) {
      const content = selectOne.get(kind, key)?.content;
      return content === undefined ? undefined : JSON.parse(String(content));
    },
    all: (kind) => selectAll.all(kind).map(({ content }) => JSON.parse(String(content))),
  };
}

/** Returns records by their ids, in the order given. */
export function mapById<Item extends { readonly id: number }>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.map((item) => [item.id, item]));
}

// Only a folder without errors is compiled, so these functions throw only on a defect of this program.

/** Reads an amount as cents. */
export function readCents(amount: string): Cents {
  return checked(parseCents(amount), amount);
}

/** Reads the value of a coupon as micros. */
export function readMicros(value: string): Micros {
  return checked(parseMicros(value), value);
}

/** Returns the record with an id. */
export function getById<Value>(records: ReadonlyMap<number, Value>, id: number): Value {
  return checked(records.get(id), id);
}

function checked<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
