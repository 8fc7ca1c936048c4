import type { ComparedKind } from '../../../../../shared/catalog/compare/content.ts';
import { translate } from '../text.ts';
import { formatCount } from '../ui/format.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import type { VersionsDifference } from './difference.tsx';
import { nameKind } from './record-texts.ts';
import { CATALOG_TEXTS } from './texts.ts';

type DifferenceProps = { readonly difference: VersionsDifference };

/** The numbers of records of each kind that are added, removed and changed. */
export function KindsTable({ difference: { kinds } }: DifferenceProps) {
  const rows = Object.entries(kinds)
    .map(([kind, { added, removed, changed }]) => ({
      kind: kind as ComparedKind,
      added: added.length,
      removed: removed.length,
      changed: changed.length,
    }))
    .filter(({ added, removed, changed }) => added + removed + changed > 0);
  const columns: Column<(typeof rows)[number]>[] = [
    { key: 'kind', title: translate(CATALOG_TEXTS.kind), isHeader: true, cell: ({ kind }) => nameKind(kind) },
    countColumn('added', CATALOG_TEXTS.added),
    countColumn('removed', CATALOG_TEXTS.removed),
    countColumn('changed', CATALOG_TEXTS.changed),
  ];
  return (
    <div class="counts">
      <h3>{translate(CATALOG_TEXTS.byKind)}</h3>
      <DataTable caption={translate(CATALOG_TEXTS.byKind)} columns={columns} rows={rows} rowKey={({ kind }) => kind} />
    </div>
  );
}

/** The numbers of prices that rose and fell, by the size of the change; nothing if none has changed. */
export function PriceSizesTable({ difference: { price_sizes } }: DifferenceProps) {
  const rows = price_sizes.filter(({ raised, lowered }) => raised + lowered > 0);
  if (rows.length === 0) return null;
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'size',
      title: translate(CATALOG_TEXTS.size),
      isHeader: true,
      cell: ({ up_to_percent: percent }) =>
        percent === null
          ? translate(CATALOG_TEXTS.sizeBeyond)
          : translate(CATALOG_TEXTS.sizeUpTo, { times: formatCount(percent / 100) }),
    },
    countColumn('raised', CATALOG_TEXTS.raised),
    countColumn('lowered', CATALOG_TEXTS.lowered),
  ];
  return (
    <div class="counts">
      <h3>{translate(CATALOG_TEXTS.priceSizes)}</h3>
      <DataTable
        caption={translate(CATALOG_TEXTS.priceSizes)}
        columns={columns}
        rows={rows}
        rowKey={({ up_to_percent }) => up_to_percent ?? 'beyond'}
      />
    </div>
  );
}

const countColumn = <Key extends string>(
  key: Key,
  title: (typeof CATALOG_TEXTS)['added'],
): Column<Readonly<Record<Key, number>>> => ({
  key,
  title: translate(title),
  align: 'end',
  cell: (row) => formatCount(row[key]),
});
