import { foldLot } from '../../../../shared/order/rules/lots.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { address, choose, linkToOrder } from '../ui/address.ts';
import { Badge, Button, Field } from '../ui/controls.tsx';
import { formatCalendarDay, formatCount, formatPhone } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { ORDER } from '../ui/statuses.ts';
import { type Column, DataTable, Loaded, Part } from '../ui/view.tsx';

type Row = DocumentOf<'orders-recall'>['dispensed'][number];

/** Who got the product of the address, by lot and day, to call them when it is recalled. */
export function Recall() {
  const { recall: product, lot = '', from = '', until = '' } = address.value.params;
  const days = { ...(from && { from }), ...(until && { until }) };
  const query = useQuery('orders-recall', product === undefined ? undefined : { product, ...days });
  if (product === undefined) return null;
  // A lot is typed letter by letter, and nothing is read for each.
  const isSought = (row: Row) => row.lot === null || foldLot(row.lot).startsWith(foldLot(lot));
  return (
    <Part title={`Quién recibió el producto ${product}`}>
      <div class="choice">
        <Field label="Lote" maxLength={30} value={lot} onChange={(value) => choose({ lot: value })} />
        <Field label="Desde" kind="date" value={from} onChange={(value) => choose({ from: value })} />
        <Field label="Hasta" kind="date" value={until} onChange={(value) => choose({ until: value })} />
        <Button onClick={() => choose({ recall: '', lot: '', from: '', until: '' })}>Cerrar</Button>
      </div>
      <Loaded query={query} describe={({ dispensed }) => countText(dispensed.filter(isSought))}>
        {({ dispensed }) => (
          <>
            <p>{countText(dispensed.filter(isSought))}</p>
            <DataTable
              caption="Quién lo recibió"
              columns={COLUMNS}
              rows={dispensed.filter(isSought)}
              rowKey={(row) => `${row.order} ${dispensed.indexOf(row)}`}
            />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function countText(dispensed: readonly Row[]): string {
  const pieces = dispensed.reduce((sum, { quantity }) => sum + quantity, 0);
  const orders = new Set(dispensed.map(({ order }) => order)).size;
  return `Piezas: ${formatCount(pieces)}, en órdenes: ${formatCount(orders)}.`;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'order',
    title: 'Orden',
    isHeader: true,
    cell: ({ order, folio }) => <a href={linkToOrder(order)}>{folio}</a>,
  },
  { key: 'day', title: 'Surtida', cell: ({ day }) => formatCalendarDay(day) },
  { key: 'status', title: 'Estado', cell: ({ order_status }) => <Badge {...ORDER[order_status]} /> },
  { key: 'patient', title: 'Paciente', cell: ({ patient }) => patient || 'Paciente borrado' },
  { key: 'phone', title: 'Teléfono', cell: ({ phone }) => phone && <a href={`tel:${phone}`}>{formatPhone(phone)}</a> },
  { key: 'lot', title: 'Lote', cell: ({ lot, expiry }) => (lot ? `${lot}, caduca ${expiry}` : 'sin anotar') },
  { key: 'quantity', title: 'Piezas', align: 'end', cell: ({ quantity }) => formatCount(quantity) },
];
