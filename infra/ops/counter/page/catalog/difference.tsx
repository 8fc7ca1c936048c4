import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { ErrorNotice } from '../ui/notice.tsx';
import { useCommand } from '../ui/use-command.ts';
import { KindsTable, PriceSizesTable } from './difference-tables.tsx';
import { RecordsTable } from './records-table.tsx';
import { CATALOG_TEXTS } from './texts.ts';

/** The difference between two published versions. */
export type VersionsDifference = Extract<DocumentOf<'catalog-diff'>, { readonly records: unknown }>;

/** Reads the difference between two versions; that to the current one without `from`. */
export function useDifference(versions: { readonly from?: string; readonly to: string }) {
  const { document, error } = useCommand('catalog-diff', versions);
  return { difference: document && 'records' in document ? document : undefined, error };
}

export function Difference({ from, to }: { readonly from: string; readonly to: string }) {
  const { difference, error } = useDifference({ from, to });
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!difference) return <p class="soft">{translate(CATALOG_TEXTS.comparing)}</p>;
  return <ShownDifference difference={difference} />;
}

export const ShownDifference = ({ difference }: { readonly difference: VersionsDifference }) =>
  difference.records.length === 0 ? (
    <p class="soft">{translate(CATALOG_TEXTS.noDifference)}</p>
  ) : (
    <div class="difference">
      <KindsTable difference={difference} />
      <PriceSizesTable difference={difference} />
      <RecordsTable difference={difference} />
    </div>
  );
