import { isDeepStrictEqual } from 'node:util';
import { type Key, keyName, toKey } from '../keys.ts';
import type { Item } from '../table.ts';

/** Whether differences are only reported, or also repaired. */
export type Purpose = 'proof' | 'repair';

/** An item that is not there, has other contents, or must not be there. */
export type Problem = 'missing' | 'different' | 'stray';

/** The differences found, and what could not be judged because it changed at every try. */
export type Findings<Difference, Unsettled = never> = {
  readonly differences: readonly Difference[];
  readonly unsettled: readonly Unsettled[];
};

export type ItemDifference = { readonly key: Key; readonly problem: Problem; readonly wanted: Item | undefined };

/** Compares the items that must be stored with those that are. */
export function compareItems(wanted: readonly Item[], stored: readonly Item[]): ItemDifference[] {
  const wantedByKey = byKey(wanted);
  const storedByKey = byKey(stored);
  return [...new Map([...wantedByKey, ...storedByKey])].flatMap(([name, item]) => {
    const right = wantedByKey.get(name);
    if (isDeepStrictEqual(right, storedByKey.get(name))) return [];
    return [{ key: toKey(item), problem: judgeItem(right, storedByKey.get(name)), wanted: right }];
  });
}

const byKey = (items: readonly Item[]) => new Map(items.map((item) => [keyName(item), item]));

function judgeItem(wanted: Item | undefined, stored: Item | undefined): Problem {
  if (!wanted) return 'stray';
  return stored ? 'different' : 'missing';
}

/** Returns the keys of the items and the other keys, each once. */
export const mergeKeys = (items: readonly Item[], keys: readonly Key[]): Key[] => [
  ...new Map([...items.map(toKey), ...keys].map((key) => [keyName(key), key])).values(),
];
