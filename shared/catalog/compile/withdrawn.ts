import type { DatabaseSync } from 'node:sqlite';
import type { Product } from '../../api/catalog/products.ts';
import { openCatalogFile } from '../file/format.ts';
import { createRecordReader } from '../file/records.ts';
import { createProductReader } from '../read/products.ts';
import { readReferences } from '../read/references.ts';

/** Products that were published once and no longer are, each as its last publication showed it, but inactive. */
export type Withdrawn = {
  readonly products: readonly Product[];
  /** The number of them that the published version still has among its products. */
  readonly added: number;
};

export const NONE_WITHDRAWN: Withdrawn = { products: [], added: 0 };

/**
 * Reads from the file of the published version what it has of products that are not among the published ids, ordered by
 * id. Paths of images stay as they are. Throws what `openCatalogFile` throws.
 */
export function readWithdrawn(file: string, published: ReadonlySet<number>): Withdrawn {
  const database = openCatalogFile(file);
  try {
    const withdrawnIds = (table: 'products' | 'withdrawn') =>
      database
        .prepare(`SELECT id FROM ${table}`)
        .all()
        .map(({ id }) => Number(id))
        .filter((id) => !published.has(id));
    const references = readReferences(createRecordReader(database), (image) => image);
    const reader = createProductReader(database, () => references);
    const added = withdrawnIds('products').flatMap((id) => reader.product(id) ?? []);
    const earlier = withdrawnIds('withdrawn').flatMap((id) => reader.withdrawnProduct(id) ?? []);
    const products = [...added, ...earlier].map((product) => ({ ...product, is_active: false }));
    return { products: products.sort((a, b) => a.id - b.id), added: added.length };
  } finally {
    database.close();
  }
}

export function writeWithdrawn(database: DatabaseSync, { products }: Withdrawn): void {
  const insert = database.prepare('INSERT INTO withdrawn (id, content) VALUES (?, ?)');
  for (const product of products) insert.run(product.id, JSON.stringify(product));
}
