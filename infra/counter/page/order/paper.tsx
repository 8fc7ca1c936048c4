import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Dialog, Field } from '../ui/controls.tsx';
import { formatCount, formatDateTime, formatMoney, formatPhone } from '../ui/format.ts';
import { type Column, DataTable, Facts } from '../ui/view.tsx';
import { sendFromChoice } from './action-form.tsx';
import { encodeCode128 } from './code128.ts';
import { addressText, listAmounts, shippingMethodText } from './parts.tsx';
import { formText, join, joinName, type ShownOrder } from './texts.ts';

type Line = ShownOrder['details'][number];
type Doses = Readonly<Record<number, string>>;

const PAPERS = { slip: 'Hoja de surtido y envío', label: 'Etiqueta de la bolsa', receipt: 'Recibo' };

export function PrintDialog({ order, onClose }: { readonly order: ShownOrder; onClose(): void }) {
  const [paper, setPaper] = useState('slip');
  const [doses, setDoses] = useState<Doses>({});
  const print = (event: Event) => {
    event.preventDefault();
    window.print();
  };
  return (
    <>
      <Dialog title="Imprimir" onClose={onClose}>
        <form onSubmit={print} onKeyDown={sendFromChoice}>
          <Field label="Hoja" options={Object.entries(PAPERS)} value={paper} onChange={setPaper} />
          {paper === 'label' &&
            order.details.map(({ id, name }) => (
              <Field
                key={id}
                label={`Indicación de ${name}`}
                hint="Como dice la receta; puede quedar en blanco"
                maxLength={120}
                value={doses[id] ?? ''}
                onChange={(value) => setDoses((before) => ({ ...before, [id]: value }))}
              />
            ))}
          <div class="row">
            <Button type="submit" kind="primary">
              Imprimir
            </Button>
          </div>
        </form>
      </Dialog>
      {paper === 'slip' && <Slip order={order} />}
      {paper === 'label' && <Label order={order} doses={doses} />}
      {paper === 'receipt' && <Receipt order={order} />}
    </>
  );
}

type SheetProps = { readonly order: ShownOrder; readonly paper: string; readonly children: ComponentChildren };

const Sheet = ({ order: { folio, patient }, paper, children }: SheetProps) => (
  <article class={`paper ${paper}`} style={{ page: paper }}>
    <p class="row">
      <b>Botica</b> <span>{folio}</span>
    </p>
    <p class="name">{joinName(patient.user) || 'Paciente borrado'}</p>
    {children}
    <Barcode text={folio} />
  </article>
);

const Slip = ({ order }: { readonly order: ShownOrder }) => (
  <Sheet order={order} paper="slip">
    <Facts
      facts={[
        ['Entrega', order.shipping && addressText(order.shipping)],
        ['Recoge en', order.store && `${order.store.company_name}, ${addressText(order.store)}`],
        ['Teléfono', order.patient.user.phone && formatPhone(order.patient.user.phone)],
        ['Envío por', !order.store && shippingMethodText(order.shipping_method)],
        ['Pedida', formatDateTime(order.created_at)],
        ['Comentarios', order.comments],
      ]}
    />
    <DataTable caption="Productos" columns={SLIP_COLUMNS} rows={order.details} />
  </Sheet>
);

const SLIP_COLUMNS: readonly Column<Line>[] = [
  { title: 'Cantidad', class: 'end', cell: ({ quantity }) => formatCount(quantity) },
  { title: 'Producto', isHeader: true, cell: (line) => join([line.name, line.presentation]) },
  { title: 'Código de barras', cell: ({ ean_key: code }) => code },
];

const Label = ({ order, doses }: { readonly order: ShownOrder; readonly doses: Doses }) => (
  <Sheet order={order} paper="label">
    {order.details.map((line) => (
      <p key={line.id}>
        {lineText(line)} <strong>{doses[line.id]}</strong>
      </p>
    ))}
  </Sheet>
);

const Receipt = ({ order }: { readonly order: ShownOrder }) => (
  <Sheet order={order} paper="receipt">
    <Facts class="facts amounts" facts={order.details.map((line) => [lineText(line), formatMoney(line.total)])} />
    <Facts class="facts amounts" facts={listAmounts(order)} />
    <Facts
      facts={[
        ['Pago', order.payment_date ? formatDateTime(order.payment_date) : 'Pendiente'],
        ['Forma de pago', order.payment_form ? formText(order.payment_form) : order.payment_method.name],
        ...order.refunds.map(
          ({ amount, at }) => ['Devuelto', `${formatMoney(amount)}, ${formatDateTime(at)}`] as const,
        ),
      ]}
    />
    <p>Este recibo no es una factura.</p>
  </Sheet>
);

const lineText = ({ quantity, name, presentation }: Line): string =>
  `${formatCount(quantity)} × ${join([name, presentation])}`;

// Ten modules of white on both sides, without which a scanner does not read it.
const QUIET = 10;
const HEIGHT = 40;

function Barcode({ text }: { readonly text: string }) {
  let end = QUIET;
  const bars = encodeCode128(text).map((width, index) => {
    end += width;
    return index % 2 === 0 ? `M${end} 0h-${width}v${HEIGHT}h${width}z` : '';
  });
  return (
    <svg role="img" aria-label={text} viewBox={`0 0 ${end + QUIET} ${HEIGHT}`} preserveAspectRatio="none">
      <path d={bars.join('')} />
    </svg>
  );
}
