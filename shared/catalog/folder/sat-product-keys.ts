import { readFileSync } from 'node:fs';
import { once } from '../../runtime/async.ts';
import type { FolderError } from './record-lines.ts';
import { type CatalogLines, folderError } from './rule-forms.ts';

/** Reports products whose key stands neither in SAT's list as shipped nor among the operator's own keys. */
export function requireKnownProductKeys({ products = [], sat_product_keys: own = [] }: CatalogLines): FolderError[] {
  const ownKeys = new Set(own.map(({ fields }) => fields.key));
  // A key that cannot be read may be the one that a product has.
  if (ownKeys.has(undefined)) return [];
  return products.flatMap((product) => {
    const { sat_key: key } = product.fields;
    if (key === undefined || ownKeys.has(key) || shippedKeys().has(key)) return [];
    return [folderError('products', product, 'sat_key', describeUnknown(key))];
  });
}

/** SAT's keys of what a pharmacy sells and ships, with their names; the file's header says which. */
const shippedKeys = once((): ReadonlyMap<string, string> => {
  const lines = readFileSync(new URL('sat-product-keys.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const entries = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  return new Map(entries.map(([key = '', name = '']) => [key, name]));
});

// The last two digits of a key are 00 for its whole class.
function describeUnknown(key: string): string {
  const classKey = `${key.slice(0, 6)}00`;
  const className = shippedKeys().get(classKey);
  const near = className === undefined ? '' : ` Its class ${classKey} (${className}) is.`;
  const ways = '`npm run sat:keys` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.';
  return `It is not among SAT's keys as shipped.${near} ${ways}`;
}
