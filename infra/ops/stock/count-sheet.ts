import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { findHeadings, readHeading } from '../../../shared/catalog/publishing/import/headings.ts';
import type { Cell, Sheet, SheetRow } from '../../../shared/catalog/publishing/import/sheet.ts';
import { restoreZeros, toGtin14 } from '../../../shared/domain/gtin.ts';
import { foldText } from '../../../shared/domain/text.ts';
import type { Count } from '../../../shared/stock/keep-stock.ts';

type SheetCount = Count & { readonly line: number };

type Column = 'store' | 'product' | 'ean_key' | 'quantity';

const HEADINGS: readonly (readonly [RegExp, Column])[] = [
  [/^(store|tienda|sucursal|almacen)$/, 'store'],
  [/^(product|producto|id)$/, 'product'],
  [/^(quantity|cantidad)$/, 'quantity'],
];

/** Returns the column of a heading, as a sheet for `catalog import` may have it too. */
function readColumn(heading: Cell): Column | undefined {
  const known = HEADINGS.find(([pattern]) => pattern.test(foldText(String(heading))));
  if (known) return known[1];
  const field = readHeading(heading)?.field;
  return field === 'barcode' ? 'ean_key' : field === 'stock' ? 'quantity' : undefined;
}

const MOST = 1_000_000;

/** Reads a sheet with the columns `store`, `product` or `ean_key`, and `quantity`; other columns are left alone. */
export function readCounts({ file, rows, errors }: Sheet, catalog: Catalog) {
  const headings = findHeadings(rows, readColumn);
  const columns = headings.cells.map(readColumn);
  const needed = ['store', columns.includes('ean_key') ? 'ean_key' : 'product', 'quantity'] as const;
  const lacking = needed.filter((column) => !columns.includes(column));
  if (errors.length > 0 || lacking.length > 0) {
    const faults = lacking.map((field) => ({ file, line: headings.line, field, message: 'There is no such column.' }));
    return { file, counts: [], errors: [...errors, ...faults] };
  }
  const counts = new Map<string, SheetCount>();
  const wrong = rows
    .filter(({ line }) => line > headings.line)
    .flatMap((row) => {
      const { count, findings } = readCount(row, columns, catalog);
      const name = `${count.store} ${count.product}`;
      const former = findings.length === 0 ? counts.get(name) : undefined;
      if (findings.length === 0 && !former) counts.set(name, count);
      if (former) findings.push(['', `It is the store and product of line ${former.line}.`]);
      return findings.map(([field, message]) => ({ file, line: row.line, field, message }));
    });
  return { file, counts: [...counts.values()], errors: wrong };
}

type Finding = [field: Column | '', message: string];

function readCount({ line, cells }: SheetRow, columns: readonly (Column | undefined)[], catalog: Catalog) {
  const findings: Finding[] = [];
  const read = (column: Column): string => String(cells[columns.indexOf(column)] ?? '');
  const reject = (field: Column, message: string): number => {
    findings.push([field, message]);
    return 0;
  };
  const identity = read('product') === '' ? 'ean_key' : 'product';
  const store = toWhole(read('store'));
  const product = identity === 'product' ? toWhole(read('product')) : findByBarcode(read('ean_key'), catalog);
  const quantity = toWhole(read('quantity'));
  const count: SheetCount = {
    line,
    store: catalog.store(store) ? store : reject('store', 'The published catalog has no such store.'),
    product: catalog.product(product) ? product : reject(identity, 'The published catalog has no such product.'),
    quantity: quantity >= 0 && quantity <= MOST ? quantity : reject('quantity', `It must be from 0 to ${MOST}.`),
  };
  return { count, findings };
}

const toWhole = (cell: string): number => (/^\d{1,15}$/.test(cell) ? Number(cell) : -1);

function findByBarcode(barcode: string, catalog: Catalog): number {
  const gtin = toGtin14(restoreZeros(barcode));
  if (!/^\d{14}$/.test(gtin)) return 0;
  const query = productsContract.query.parse({ ean_key__in: gtin, limit: '1' });
  return catalog.products(query).results[0]?.id ?? 0;
}
