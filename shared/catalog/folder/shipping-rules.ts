import type { FolderError } from './record-lines.ts';
import { type CatalogLines, folderError } from './rule-forms.ts';

type Range = { readonly line: number; readonly method: number; readonly from: number; readonly to: number };

/**
 * Reports rates of a method whose ranges are equally wide and overlap, as the narrowest range holds; equal ranges are
 * reported as such already.
 */
export function rejectAmbiguousRates({ shipping_rates: rates = [] }: CatalogLines): FolderError[] {
  const ranges = rates.flatMap(({ line, fields: { shipping_method: method, zip_from, zip_to } }): Range[] =>
    method && zip_from && zip_to && zip_from <= zip_to
      ? [{ line, method, from: Number(zip_from), to: Number(zip_to) }]
      : [],
  );
  const groups = Map.groupBy(ranges, ({ method, from, to }) => `${method} ${to - from}`);
  return [...groups.values()].flatMap((group) => findOverlaps(group));
}

function findOverlaps(group: readonly Range[]): FolderError[] {
  const ordered = group.toSorted((a, b) => a.from - b.from || a.line - b.line);
  return ordered.flatMap((range, at) => {
    const before = ordered[at - 1];
    if (!before || before.from === range.from || before.to < range.from) return [];
    const message = `It overlaps with the range in line ${before.line}, which is as wide: neither is the narrowest.`;
    return [folderError('shipping_rates', range, 'zip_from', message)];
  });
}
