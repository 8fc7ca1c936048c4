import {
  countPriceSizes,
  type Difference,
  type PriceChange,
  type PriceSize,
} from '../../../shared/catalog/compare/compare.ts';
import { COMPARED_KINDS } from '../../../shared/catalog/compare/content.ts';
import type { CommandIo } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';

/** Returns a table of the kinds of records that differ, and one of the sizes of the changes of prices. */
export function differenceText({ kinds, prices }: Difference, io: CommandIo): string {
  const rows = COMPARED_KINDS.map((kind) => ({ kind, ...kinds[kind] }))
    .map(({ kind, added, removed, changed }) => ({
      kind,
      added: added.length,
      removed: removed.length,
      changed: changed.length,
    }))
    .filter(({ added, removed, changed }) => added + removed + changed > 0);
  if (rows.length === 0) return 'No record differs.\n';
  const table = textTable(['kind', 'added', 'removed', 'changed'], rows, io);
  return prices.length === 0 ? table : `${table}\n${priceText(prices, io)}`;
}

function priceText(prices: readonly PriceChange[], io: CommandIo): string {
  const sizes = countPriceSizes(prices).filter(({ raised, lowered }) => raised + lowered > 0);
  const rows = sizes.map((size) => ({ price: describeSize(size), raised: size.raised, lowered: size.lowered }));
  const { kind, id, before, after } = prices[0] ?? { kind: '', id: '', before: '', after: '' };
  const largest = `The largest change of a price: ${kind} ${id}, ${before} to ${after}.\n`;
  return textTable(['price', 'raised', 'lowered'], rows, io) + largest;
}

const describeSize = ({ upToPercent }: PriceSize): string =>
  upToPercent === null ? 'more than 3 times' : `up to ${upToPercent / 100} times`;

/** Returns a difference with the changes of prices counted, for `--json`. */
export const representDifference = (difference: Difference) => ({
  kinds: difference.kinds,
  price_sizes: countPriceSizes(difference.prices).map(({ upToPercent, raised, lowered }) => ({
    up_to_percent: upToPercent,
    raised,
    lowered,
  })),
  prices: difference.prices,
});
