import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { type CsvRow, readCsvRows } from '../../../shared/catalog/publishing/folder/product-table.ts';
import type { FolderError } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { toGtin14 } from '../../../shared/domain/gtin.ts';
import type { Count } from '../../../shared/stock/keep-stock.ts';

/** A row of a sheet that was counted, with its line. */
export type SheetCount = Count & { readonly line: number };
type Sheet = { readonly file: string; readonly counts: readonly SheetCount[]; readonly errors: readonly FolderError[] };

const COLUMNS = ['store', 'product', 'ean_key', 'quantity'];
const MOST = 1_000_000;

/** Reads a CSV file with the columns `store`, `product` or `ean_key`, and `quantity`, of records of the published catalog. */
export function readCountSheet(path: string, catalog: Catalog): Sheet {
  const { file, columns, rows, errors } = readCsvRows(path);
  const headerFaults = columns.length === 0 ? [] : findHeaderFaults(columns);
  const faults = headerFaults.map(([field, message]) => ({ file, line: 1, field, message }));
  if (faults.length > 0 || columns.length === 0) return { file, counts: [], errors: [...errors, ...faults] };
  const counts = new Map<string, SheetCount>();
  const wrong = rows.flatMap((row) => {
    const { count, findings } = readCount(row, catalog);
    const name = `${count.store} ${count.product}`;
    const former = findings.length === 0 ? counts.get(name) : undefined;
    if (findings.length === 0 && !former) counts.set(name, count);
    if (former) findings.push(['', `It is the store and product of line ${former.line}.`]);
    return findings.map(([field, message]) => ({ file, line: row.line, field, message }));
  });
  return { file, counts: [...counts.values()], errors: [...errors, ...wrong] };
}

type Finding = [field: string, message: string];

function findHeaderFaults(columns: readonly string[]): Finding[] {
  const unknown = columns.filter((column, at) => !COLUMNS.includes(column) || columns.indexOf(column) < at);
  const lacking = ['store', 'quantity'].filter((column) => !columns.includes(column));
  const hasProduct = columns.includes('product') || columns.includes('ean_key');
  return [
    ...unknown.map((column): Finding => [column, `The columns are ${COLUMNS.join(', ')}, each once.`]),
    ...lacking.map((column): Finding => [column, 'The header lacks this column.']),
    ...(hasProduct ? [] : [['product', 'The header lacks this column, or ean_key.'] satisfies Finding]),
  ];
}

function readCount({ line, cells }: CsvRow, catalog: Catalog): { count: SheetCount; findings: Finding[] } {
  const findings: Finding[] = [];
  const find = (field: string, message: string): number => {
    findings.push([field, message]);
    return 0;
  };
  const quantity = toWhole(cells.get('quantity'));
  const store = toWhole(cells.get('store')) ?? 0;
  const [id, barcode] = [cells.get('product'), cells.get('ean_key')];
  const product = id === undefined ? findByBarcode(barcode, catalog) : (toWhole(id) ?? 0);
  return {
    count: {
      line,
      store: catalog.store(store) ? store : find('store', 'The published catalog has no such store.'),
      product: catalog.product(product)
        ? product
        : find(id === undefined ? 'ean_key' : 'product', 'The published catalog has no such product.'),
      quantity:
        quantity !== undefined && quantity <= MOST ? quantity : find('quantity', `It must be from 0 to ${MOST}.`),
    },
    findings,
  };
}

const toWhole = (cell: string | undefined): number | undefined =>
  cell !== undefined && /^\d{1,15}$/.test(cell) ? Number(cell) : undefined;

function findByBarcode(barcode: string | undefined, catalog: Catalog): number {
  if (barcode === undefined || !/^\d{8,14}$/.test(barcode)) return 0;
  const asked = { ean_key__in: toGtin14(barcode), limit: '1' };
  return catalog.products(productsContract.query.parse(asked)).results[0]?.id ?? 0;
}
