import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../api/addresses.ts';
import type { Category } from '../../api/categories.ts';
import type { Disease } from '../../api/diseases.ts';
import type { Named } from '../../api/named.ts';
import type { Order } from '../../api/orders.ts';

/** The records of each kind as they are published: with the interface's field names, and amounts as decimal text. */
export type PublishedRecords = {
  readonly categories: Category;
  readonly companies: Named;
  /** Kept by their normalized code. `value` has two to six decimals. */
  readonly coupons: NonNullable<Order['coupon']> & {
    readonly id: number;
    readonly minimum_subtotal: string | null;
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
  };
  readonly shipping_methods: Order['shipping_method'] & { readonly pickup: boolean };
  readonly shipping_rates: {
    readonly shipping_method: number;
    readonly zip_from: string;
    readonly zip_to: string;
    readonly price: string;
    readonly cost: string | null;
    readonly discount: string | null;
    readonly discount_from: string | null;
    readonly discount_until: string | null;
  };
  readonly stores: Store;
  readonly suppliers: Named;
  readonly tags: Named;
  readonly variants: Named;
};
/** Products and bases have tables of their own. */
export type RecordKind = keyof PublishedRecords;

export type RecordReader = {
  one<Kind extends RecordKind>(kind: Kind, key: number | string): PublishedRecords[Kind] | undefined;
  /** By ascending key. */
  all<Kind extends RecordKind>(kind: Kind): PublishedRecords[Kind][];
};

/** Reads records as they were published. */
export function recordReader(database: DatabaseSync): RecordReader {
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

/** Records by their id, in the order given. */
export function mapById<Item extends { readonly id: number }>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.map((item) => [item.id, item]));
}
