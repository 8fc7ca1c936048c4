import { type Difference, isChangedBeyond, type PriceChange } from './compare.ts';
import type { Offered } from './offered.ts';

/** A reason not to publish a version without being told that it is meant. */
export type Danger = {
  readonly code:
    | 'products_removed'
    | 'prices_changed'
    | 'id_in_use_removed'
    | 'products_lost'
    | 'no_products'
    | 'current_unreadable';
  readonly message: string;
};

export type InUse = Offered & {
  /** Those of all clients. */
  readonly payment_methods: ReadonlySet<number>;
};

/** Returns why a difference looks like an accident, such as a file that was cut off; nothing if it does not. */
export function findDangers(difference: Difference, inUse: InUse): Danger[] {
  return [...findRemovedProducts(difference), ...findPriceJumps(difference), ...findRemovedIds(difference, inUse)];
}

/** Returns that products would be shown by no version any more, which only a file can do that was built beside the current one. */
export function findLostProducts(lost: readonly number[]): Danger[] {
  if (lost.length === 0) return [];
  const message = `Products that orders may hold are neither published nor withdrawn in the file: ${nameFirst(lost)}.`;
  return [{ code: 'products_lost', message: `${message} \`catalog build --onto-current\` keeps them.` }];
}

/** Returns that an older version does not know products that were published after it, of which orders keep copies alone. */
export function findForgottenProducts(forgotten: readonly number[]): Danger[] {
  if (forgotten.length === 0) return [];
  const message = `Products that orders may hold are neither published nor withdrawn in that version: ${nameFirst(forgotten)}.`;
  return [{ code: 'products_lost', message: `${message} Such orders show the copies that they keep.` }];
}

const REMOVED_PERCENT = 5;

function findRemovedProducts({ kinds: { products } }: Difference): Danger[] {
  const removed = products.removed.length;
  if (removed * 100 <= products.before * REMOVED_PERCENT) return [];
  const message = `${removed} of ${products.before} products are removed, which is more than ${REMOVED_PERCENT} %`;
  return [{ code: 'products_removed', message: `${message}: ${nameFirst(products.removed)}.` }];
}

const PRICE_PERCENT = 300;

function findPriceJumps({ prices }: Difference): Danger[] {
  const jumps = prices.filter((change) => isChangedBeyond(change, PRICE_PERCENT));
  if (jumps.length === 0) return [];
  const message = `Prices that change more than ${PRICE_PERCENT / 100} times: ${jumps.length}`;
  return [{ code: 'prices_changed', message: `${message}: ${nameFirst(jumps.map(describeChange))}.` }];
}

const describeChange = ({ kind, id, before, after }: PriceChange): string => `${kind} ${id} (${before} to ${after})`;

const USES = {
  payment_methods: 'Payment methods are removed that a client has',
  shipping_methods: 'Shipping methods are removed that have rates or are for pickup',
  stores: 'Stores are removed',
  coupons: 'Coupons are removed that are still valid',
} as const satisfies { readonly [Kind in keyof InUse]: string };

function findRemovedIds({ kinds }: Difference, inUse: InUse): Danger[] {
  return (Object.keys(USES) as (keyof InUse)[]).flatMap((kind) => {
    const used = kinds[kind].removed.filter((id) => inUse[kind].has(Number(id)));
    if (used.length === 0) return [];
    return [{ code: 'id_in_use_removed' as const, message: `${USES[kind]}: ${nameFirst(used)}.` }];
  });
}

const NAMED = 5;

function nameFirst(names: readonly (string | number)[]): string {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}
