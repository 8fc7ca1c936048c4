import { translate } from '../../text.ts';
import { formatCount, formatMoney } from '../../ui/format.ts';
import { DataTable } from '../../ui/table.tsx';
import { ORDER_TEXTS } from '../texts.ts';
import type { ShownOrder } from '../use-order.ts';
import { Part } from './part.tsx';

type Line = ShownOrder['details'][number];

/** The lines of an order, and what the law asks for each. */
export const Lines = ({ order }: { readonly order: ShownOrder }) => (
  <Part title={ORDER_TEXTS.lines}>
    <DataTable
      caption={translate(ORDER_TEXTS.lines)}
      columns={[
        { key: 'product', title: translate(ORDER_TEXTS.product), isHeader: true, cell: ProductName },
        {
          key: 'quantity',
          title: translate(ORDER_TEXTS.quantity),
          align: 'end',
          cell: (line: Line) => formatCount(line.quantity),
        },
        { key: 'requires', title: translate(ORDER_TEXTS.requires), cell: requiredText },
        {
          key: 'price',
          title: translate(ORDER_TEXTS.price),
          align: 'end',
          cell: (line: Line) => formatMoney(line.price),
        },
        {
          key: 'total',
          title: translate(ORDER_TEXTS.total),
          align: 'end',
          cell: (line: Line) => formatMoney(line.total),
        },
      ]}
      rows={order.details}
      rowKey={(line) => order.details.indexOf(line)}
    />
  </Part>
);

const ProductName = ({ name, presentation, ean_key: code }: Line) => (
  <span class="stacked">
    {`${name}, ${presentation}`}
    {code && <span class="soft">{translate(ORDER_TEXTS.barcode, { code })}</span>}
  </span>
);

const requiredText = ({ requires_prescription, is_antibiotic, sanitary_fraction: fraction }: Line): string =>
  [
    requires_prescription && translate(ORDER_TEXTS.prescription),
    is_antibiotic && translate(ORDER_TEXTS.antibiotic),
    requires_prescription && fraction && translate(ORDER_TEXTS.fraction, { fraction }),
  ]
    .filter(Boolean)
    .join(', ');
