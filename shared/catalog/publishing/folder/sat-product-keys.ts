import { readFileSync } from 'node:fs';
import { once } from '../../../runtime/async.ts';

/** SAT's keys of a pharmacy's goods and shipping, with their names; see the file's header. */
const shippedKeys = once((): ReadonlyMap<string, string> => {
  const lines = readFileSync(new URL('sat-product-keys.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const entries = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  return new Map(entries.map(([key = '', name = '']) => [key, name]));
});

export const isShippedProductKey = (key: string): boolean => shippedKeys().has(key);

export function describeUnknownProductKey(key: string): string {
  // A class has 00 as the last two digits.
  const classKey = `${key.slice(0, 6)}00`;
  const className = shippedKeys().get(classKey);
  const near = className === undefined ? '' : ` Its class ${classKey} (${className}) is.`;
  const ways =
    '`npx node infra/sat/write-product-keys.ts` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.';
  return `It is not among SAT's keys as shipped.${near} ${ways}`;
}
