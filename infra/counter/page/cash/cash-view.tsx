import type { DocumentOf } from '../../server/counter-commands.ts';
import { formText } from '../order/texts.ts';
import { address, choose } from '../ui/address.ts';
import { Field } from '../ui/controls.tsx';
import { formatMoney } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { type Column, DataTable, View } from '../ui/view.tsx';

type CashUp = DocumentOf<'orders-cash-up'>;

/** What was paid and given back on a day, today by default. */
export function CashView() {
  const { day = '' } = address.value.params;
  const query = useQuery('orders-cash-up', day === '' ? {} : { day });
  const shown = day || (query.document?.day ?? '');
  return (
    <View
      title="Caja"
      query={query}
      isReloadable
      describe={(cashUp) => `Entró ${formatMoney(cashUp.paid)}, se devolvió ${formatMoney(cashUp.refunded)}.`}
      choice={
        <div class="choice">
          <Field kind="date" label="Día" value={shown} onChange={(value) => choose({ day: value })} />
        </div>
      }
    >
      {(cashUp) => (
        <>
          <DataTable
            caption="Caja"
            columns={listColumns(cashUp)}
            rows={cashUp.rows}
            rowKey={({ form, by, store }) => [form, by, store].join()}
            empty="Nada se pagó ni se devolvió."
          />
          <dl class="card summary" aria-label="Suma">
            {listSums(cashUp).map(([title, amount]) => (
              <div key={title}>
                <dt class="soft">{title}</dt>
                <dd>{formatMoney(amount)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </View>
  );
}

const listSums = ({ paid, refunded }: CashUp) =>
  [
    ['Entró', paid],
    ['Se devolvió', refunded],
    ['Queda', Number(paid) - Number(refunded)],
  ] as const;

const listColumns = ({ stores }: CashUp): readonly Column<CashUp['rows'][number]>[] => [
  { key: 'form', title: 'Forma de pago', isHeader: true, cell: ({ form }) => formText(form) },
  { key: 'by', title: 'Quién', cell: ({ by }) => (by === 'provider' ? 'Proveedor de pagos' : by) },
  { key: 'store', title: 'Sucursal', cell: (row) => stores.find(({ id }) => id === row.store)?.name ?? 'Envío' },
  { key: 'paid', title: 'Entró', align: 'end', cell: ({ paid }) => formatMoney(paid) },
  { key: 'refunded', title: 'Se devolvió', align: 'end', cell: ({ refunded }) => formatMoney(refunded) },
];
