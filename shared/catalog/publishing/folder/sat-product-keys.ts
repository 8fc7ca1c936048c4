import { readFileSync } from 'node:fs';
import { once } from '../../../runtime/async.ts';

/** SAT's keys of what a pharmacy sells and ships, with their names; the file's header says which. */
const shippedKeys = once((): ReadonlyMap<string, string> => {
  const lines = readFileSync(new URL('sat-product-keys.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const entries = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  return new Map(entries.map(([key = '', name = '']) => [key, name]));
});

/** True if a key stands in SAT's list as shipped. */
export const isShippedProductKey = (key: string): boolean => shippedKeys().has(key);

/** Returns a sentence on a key that stands neither in SAT's list as shipped nor among the shop's own. */
export function describeUnknownProductKey(key: string): string {
  // The last two digits of a key are 00 for its whole class.
  const classKey = `${key.slice(0, 6)}00`;
  const className = shippedKeys().get(classKey);
  const near = className === undefined ? '' : ` Its class ${classKey} (${className}) is.`;
  const ways =
    '`npx node infra/sat/write-product-keys.ts` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.';
  return `It is not among SAT's keys as shipped.${near} ${ways}`;
}
