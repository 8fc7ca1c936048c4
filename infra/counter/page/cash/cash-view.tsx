import type { DocumentOf } from '../../server/counter-commands.ts';
import { formText } from '../order/texts.ts';
import { address, choose } from '../ui/address.ts';
import { Field } from '../ui/controls.tsx';
import { formatMoney } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { type Column, DataTable, View } from '../ui/view.tsx';

type CashUp = DocumentOf<'orders-cash-up'>;
type Row = CashUp['rows'][number];

/** What was paid and given back on a day, of all or of one person and store. */
export function CashView() {
  const { day = '', store = '', by = '' } = address.value.params;
  const query = useQuery('orders-cash-up', day === '' ? {} : { day });
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
          <Field
            kind="date"
            label="Día"
            value={day || (query.document?.day ?? '')}
            onChange={(value) => choose({ day: value })}
          />
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
  const sums = [
    ['Entró', paid],
    ['Se devolvió', refunded],
    ['Queda', paid - refunded],
  ] as const;
  return (
    <>
      <DataTable
        caption="Caja"
        columns={listColumns(cashUp)}
        rows={rows}
        rowKey={(row) => [row.form, row.by, row.store].join()}
        empty="Nada se pagó ni se devolvió."
      />
      <dl class="card summary" aria-label="Suma">
        {sums.map(([title, cents]) => (
          <div key={title}>
            <dt class="soft">{title}</dt>
            <dd>{formatMoney(cents / 100)}</dd>
          </div>
        ))}
      </dl>
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
