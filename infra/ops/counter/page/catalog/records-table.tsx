import { useState } from 'preact/hooks';
import type { ComparedKind } from '../../../../../shared/catalog/compare/content.ts';
import { translate } from '../text.ts';
import { SelectField } from '../ui/field.tsx';
import { formatCount, formatMoney } from '../ui/format.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import type { VersionsDifference } from './difference.tsx';
import { nameField, nameKind } from './record-texts.ts';
import { CATALOG_TEXTS } from './texts.ts';

// A browser takes seconds to lay out more rows, and nobody reads them.
const SHOWN = 200;

type DifferingRecord = VersionsDifference['records'][number];
type Price = VersionsDifference['prices'][number];

/** The records that differ, of all kinds or of one. */
export function RecordsTable({ difference: { records, prices } }: { readonly difference: VersionsDifference }) {
  const [kind, setKind] = useState<string>('');
  const chosen = records.filter((record) => kind === '' || record.kind === kind);
  const priceOf = indexPrices(prices);
  return (
    <div class="records">
      <div class="form-row">
        <h3>{translate(CATALOG_TEXTS.records)}</h3>
        <SelectField
          label={translate(CATALOG_TEXTS.showKind)}
          options={listKinds(records)}
          value={kind}
          onChange={setKind}
        />
      </div>
      <DataTable
        caption={translate(CATALOG_TEXTS.records)}
        columns={listColumns((record) => priceOf.get(toKey(record.kind, record.key)))}
        rows={chosen.slice(0, SHOWN)}
        rowKey={({ kind: own, key }) => toKey(own, key)}
      />
      {chosen.length > SHOWN && (
        <p class="soft">
          {translate(CATALOG_TEXTS.firstOnly, { shown: formatCount(SHOWN), count: formatCount(chosen.length) })}
        </p>
      )}
    </div>
  );
}

const toKey = (kind: ComparedKind, key: number | string): string => `${kind} ${key}`;

const indexPrices = (prices: readonly Price[]): ReadonlyMap<string, Price> =>
  new Map(prices.map((price) => [toKey(price.kind, price.id), price]));

function listKinds(records: readonly DifferingRecord[]) {
  const groups = Map.groupBy(records, ({ kind }) => kind);
  const all = { value: '', label: translate(CATALOG_TEXTS.allKinds, { count: formatCount(records.length) }) };
  const kinds = [...groups].map(([kind, { length }]) => ({
    value: kind,
    label: translate(CATALOG_TEXTS.ofKind, { kind: nameKind(kind), count: formatCount(length) }),
  }));
  return [all, ...kinds];
}

const CHANGES = {
  added: { text: CATALOG_TEXTS.isAdded, tone: 'good' },
  removed: { text: CATALOG_TEXTS.isRemoved, tone: 'bad' },
  changed: { text: CATALOG_TEXTS.isChanged, tone: 'different' },
} as const;

function listColumns(findPrice: (record: DifferingRecord) => Price | undefined): Column<DifferingRecord>[] {
  return [
    {
      key: 'record',
      title: translate(CATALOG_TEXTS.record),
      isHeader: true,
      cell: ({ name }) => name,
    },
    { key: 'kind', title: translate(CATALOG_TEXTS.kind), cell: ({ kind }) => nameKind(kind) },
    { key: 'id', title: translate(CATALOG_TEXTS.id), cell: ({ key }) => key },
    {
      key: 'what',
      title: translate(CATALOG_TEXTS.what),
      cell: ({ change }) => <span class={`badge ${CHANGES[change].tone}`}>{translate(CHANGES[change].text)}</span>,
    },
    {
      key: 'price',
      title: translate(CATALOG_TEXTS.price),
      align: 'end',
      cell: (record) => showPrice(findPrice(record)),
    },
    { key: 'fields', title: translate(CATALOG_TEXTS.fields), cell: ({ fields }) => fields.map(nameField).join(', ') },
  ];
}

const showPrice = (price: Price | undefined): string | null =>
  price ? `${formatMoney(price.before)} → ${formatMoney(price.after)}` : null;
