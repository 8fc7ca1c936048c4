import type { Danger } from '../compare/dangers.ts';
import type { PointerRead } from './versions.ts';

type Current = { readonly read: PointerRead; readonly file: string | null };

/** Returns why a version that can be compared with no earlier one is not published without being told that it is meant. */
export function findUncomparedDangers(current: Current, { products }: { readonly products: number }): Danger[] {
  const unreadable = describeUnreadable(current);
  return [
    ...(unreadable ? [{ code: 'current_unreadable' as const, message: `${unreadable}, ${CONSEQUENCE}` }] : []),
    ...(products === 0 ? [{ code: 'no_products' as const, message: 'The catalog has no products.' }] : []),
  ];
}

const CONSEQUENCE = 'so that nothing tells what is removed or changed.';

function describeUnreadable({ read: { etag, pointer }, file }: Current): string | undefined {
  if (etag === undefined) return undefined;
  if (pointer === undefined) return 'What names the current version (current.json) cannot be read';
  const reason = file === null ? 'is missing or damaged' : 'has another format';
  return `The snapshot of the current version ${pointer.version} ${reason}`;
}
