import type { DocumentOf } from '../../server/counter-commands.ts';
import { formText } from '../order/texts.ts';
import { address, choose } from '../ui/address.ts';
import { Field } from '../ui/controls.tsx';
import { formatMoney } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { type Column, DataTable, Facts, View } from '../ui/view.tsx';

type CashUp = DocumentOf<'orders-cash-up'>;

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
          <Field type="date" label="Día" value={shown} onChange={(value) => choose({ day: value })} />
        </div>
      }
    >
      {(cashUp) => (
        <>
          <DataTable
            caption="Caja"
            columns={listColumns(cashUp)}
            rows={cashUp.rows}
            empty="Nada se pagó ni se devolvió."
          />
          <Facts
            class="card summary"
            label="Suma"
            facts={[
              ['Entró', formatMoney(cashUp.paid)],
              ['Se devolvió', formatMoney(cashUp.refunded)],
              ['Queda', formatMoney(Number(cashUp.paid) - Number(cashUp.refunded))],
            ]}
          />
        </>
      )}
    </View>
  );
}

const listColumns = ({ stores }: CashUp): readonly Column<CashUp['rows'][number]>[] => [
  { title: 'Forma de pago', isHeader: true, cell: ({ form }) => formText(form) },
  { title: 'Quién', cell: ({ by }) => (by === 'provider' ? 'Proveedor de pagos' : by) },
  { class: 'whole', title: 'Sucursal', cell: (row) => stores.find(({ id }) => id === row.store)?.name ?? 'Envío' },
  { title: 'Entró', class: 'end', cell: ({ paid }) => formatMoney(paid) },
  { title: 'Se devolvió', class: 'end', cell: ({ refunded }) => formatMoney(refunded) },
];
