import { localDate } from '../../../../shared/domain/working-day.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { type Fact, Facts } from '../order/parts.tsx';
import { formText } from '../order/texts.ts';
import { address, choose } from '../ui/address.ts';
import { Field } from '../ui/controls.tsx';
import { formatMoney, timeZone } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { type Column, DataTable, View } from '../ui/view.tsx';

type CashUp = DocumentOf<'orders-cash-up'>;
type Row = CashUp['rows'][number];

// A date field that is half written is empty.
const isDay = (day: string): boolean => /^20\d\d-\d\d-\d\d$/.test(day);

/** What was paid and given back on a day, of all or of one person and store. */
export function CashView() {
  const { day = localDate(new Date(), timeZone.value), store = '', by = '' } = address.value.params;
  const query = useQuery('orders-cash-up', isDay(day) ? { day } : undefined);
  const { rows = [], stores = [] } = query.document ?? {};
  const people = [...new Set(rows.map((row) => row.by))].sort();
  return (
    <View
      title="Caja"
      query={query}
      isReloadable
      describe={(cashUp) => `Entró ${formatMoney(cashUp.paid)}, se devolvió ${formatMoney(cashUp.refunded)}.`}
      choice={
        <div class="choice">
          <Field kind="date" label="Día" value={day} onChange={(value) => choose({ day: value })} />
          <Field
            label="Sucursal"
            options={[
              ...[ALL, { value: NO_STORE, label: 'Envíos' }],
              ...stores.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            value={store}
            onChange={(value) => choose({ store: value })}
          />
          <Field
            label="Quién"
            options={[ALL, ...people.map((value) => ({ value, label: personText(value) }))]}
            value={by}
            onChange={(value) => choose({ by: value })}
          />
        </div>
      }
    >
      {(cashUp) => <Sums cashUp={cashUp} isShown={(row) => isOf(store, storeKey(row)) && isOf(by, row.by)} />}
    </View>
  );
}

const ALL = { value: '', label: 'Todos' };
const NO_STORE = 'none';

const storeKey = ({ store }: Row): string => (store === null ? NO_STORE : String(store));
const isOf = (chosen: string, value: string): boolean => chosen === '' || chosen === value;
const personText = (by: string): string => (by === 'provider' ? 'Proveedor de pagos' : by);

function Sums({ cashUp, isShown }: { readonly cashUp: CashUp; isShown(row: Row): boolean }) {
  const rows = cashUp.rows.filter(isShown);
  const sum = (key: 'paid' | 'refunded') => rows.reduce((cents, row) => cents + Math.round(Number(row[key]) * 100), 0);
  const [paid, refunded] = [sum('paid'), sum('refunded')];
  const facts: readonly Fact[] = [
    ['Entró', formatMoney(paid / 100)],
    ['Se devolvió', formatMoney(refunded / 100)],
    ['Queda', <strong key="rest">{formatMoney((paid - refunded) / 100)}</strong>],
  ];
  return (
    <>
      <DataTable
        caption="Caja"
        columns={listColumns(cashUp)}
        rows={rows}
        rowKey={(row) => [row.form, row.by, row.store].join()}
        empty="Nada se pagó ni se devolvió."
      />
      {rows.length > 0 && <Facts kind="amounts" facts={facts} />}
    </>
  );
}

const listColumns = ({ stores }: CashUp): readonly Column<Row>[] => [
  { key: 'form', title: 'Forma de pago', isHeader: true, cell: ({ form }) => formText(form) },
  { key: 'by', title: 'Quién', cell: ({ by }) => personText(by) },
  { key: 'store', title: 'Sucursal', cell: (row) => stores.find(({ id }) => id === row.store)?.name ?? 'Envío' },
  { key: 'paid', title: 'Entró', align: 'end', cell: ({ paid }) => formatMoney(paid) },
  { key: 'refunded', title: 'Se devolvió', align: 'end', cell: ({ refunded }) => formatMoney(refunded) },
];
