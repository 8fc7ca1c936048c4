import { openCatalogFile } from '../file/format.ts';
import { createRecordReader } from '../file/records.ts';

/** The records that clients can order with today, besides the payment methods that each client has. */
export type Offered = {
  readonly stores: ReadonlySet<number>;
  /** Those with a rate, and that for pickup. */
  readonly shipping_methods: ReadonlySet<number>;
  /** Those whose validity is not over. */
  readonly coupons: ReadonlySet<number>;
  /** The dates of those that are not over, on which no delivery counts. */
  readonly holidays: ReadonlySet<string>;
};

/** Reads what a published catalog offers. Throws what `openCatalogFile` throws. */
export function readOffered(file: string, now: Date): Offered {
  const database = openCatalogFile(file);
  try {
    const { all } = createRecordReader(database);
    const rated = all('shipping_rates').map((rate) => rate.shipping_method);
    const pickup = all('shipping_methods').filter((method) => method.pickup);
    const dates = all('holidays').map(({ date }) => date);
    const lasting = all('coupons').filter(({ valid_until }) => valid_until === null || new Date(valid_until) >= now);
    return {
      stores: new Set(all('stores').map(({ id }) => id)),
      shipping_methods: new Set([...rated, ...pickup.map(({ id }) => id)]),
      coupons: new Set(lasting.map(({ id }) => id)),
      holidays: new Set(dates.filter((date) => date >= now.toISOString().slice(0, 10))),
    };
  } finally {
    database.close();
  }
}
