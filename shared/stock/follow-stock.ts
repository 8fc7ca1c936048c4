import type { DynamoDBRecord } from 'aws-lambda';
import type { CatalogBucket } from '../catalog/bucket.ts';
import { changeIds, updateShortages } from '../catalog/shortages.ts';
import { logError } from '../runtime/log.ts';
import { parseKind, parseStockKey } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import { readStores } from './stock.ts';

const toKey = ({ dynamodb }: DynamoDBRecord) => ({ pk: dynamodb?.Keys?.pk?.S, sk: dynamodb?.Keys?.sk?.S });

export const isStockRecord = (record: DynamoDBRecord): boolean => parseKind(String(toKey(record).pk)) === 'STOCK';

/** Notes which products are tracked and sold out by now. Returns the records to try again, by their sequence numbers. */
export async function followStock(
  records: readonly DynamoDBRecord[],
  { table, bucket }: { readonly table: Table; readonly bucket: () => CatalogBucket },
): Promise<string[]> {
  const products = [...new Set(records.map((record) => parseStockKey(toKey(record)).product))];
  if (products.length === 0) return [];
  try {
    // The levels are read after the object, so that an older reading never replaces a newer one.
    await updateShortages(bucket(), async (before) => {
      const levels = await Promise.all(products.map(async (id) => [...(await readStores(table, id)).values()]));
      const soldOut = products.filter((_, at) => levels[at]?.every(({ available }) => available === 0));
      return {
        ...before,
        soldOut: changeIds(changeIds(before.soldOut, products, false), soldOut, true),
        tracked: changeIds(before.tracked, products, true),
      };
    });
    return [];
  } catch (error) {
    logError('what is sold out was not noted', error, { products: products.length });
    return records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
  }
}
