import './invoices.css';
import { useState } from 'preact/hooks';
import type { InvoiceListStatus } from '../../../shared/invoices/rules/invoice-status.ts';
import { formatFolio } from '../../../shared/order/rules/status.ts';
import type { DocumentOf } from '../server/counter-commands.ts';
import { useCommand } from './call.ts';
import { INVOICE_ACTION_TEXTS, type InvoiceAction, InvoiceForm } from './order/invoice-forms.tsx';
import { joinName, type ShownOrder } from './order/order-texts.ts';
import { useOrder } from './order/order-work.tsx';
import { type Fact, Facts } from './order/parts.tsx';
import { linkTo } from './routes.ts';
import { INVOICE_STATUSES, InvoiceStatusBadge, OrderStatusBadge, PaymentStatusBadge } from './ui/badges.tsx';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { SelectField } from './ui/field.tsx';
import { formatCalendarDay, formatCount, formatDateTime, formatMoney } from './ui/format.ts';
import { announce, ErrorNotice, Notice } from './ui/notice.tsx';
import { type Column, DataTable } from './ui/table.tsx';
import { View } from './view.tsx';

const LIMIT = 200;
const REFRESH_MS = 60_000;

type Invoice = DocumentOf<'invoices-list'>['invoices'][number];
type Chosen = { readonly action: InvoiceAction; readonly order: number };
/** One status, or '' for whatever waits for a person. */
type Filter = InvoiceListStatus | '';

const FILTERS: readonly { readonly value: Filter; readonly label: string }[] = [
  { value: '', label: 'Lo que espera a una persona' },
  ...Object.entries(INVOICE_STATUSES).map(([value, { text }]) => ({ value: value as Filter, label: text })),
];

/** The invoices that wait for a person, or those of a status, with what to do and the actions for it. */
export function InvoicesView() {
  const [status, setStatus] = useState<Filter>('');
  const [chosen, setChosen] = useState<Chosen>();
  const [done, setDone] = useState('');
  const input = status === '' ? { waiting: true, limit: LIMIT } : { status, limit: LIMIT };
  const query = useCommand('invoices-list', input, { everyMs: REFRESH_MS });
  const choose = (action: Chosen) => {
    setDone('');
    setChosen(action);
  };
  const finish = (sentence: string) => {
    setDone(sentence);
    announce(sentence);
  };
  // An action that failed may still have changed the invoice.
  const close = () => {
    setChosen(undefined);
    void query.reload();
  };
  return (
    <View
      title="Facturas"
      query={query}
      isReloadable
      describe={({ invoices }) => countText(invoices.length, status)}
      choice={
        <>
          <div class="choice">
            <SelectField label="Mostrar" options={FILTERS} value={status} onChange={setStatus} />
          </div>
          {done && <Notice kind="success">{done}</Notice>}
          {chosen && <ChosenAction {...chosen} onClose={close} onDone={finish} />}
        </>
      }
    >
      {({ invoices }, isFormer) => (
        <>
          <p class="soft">{isFormer ? 'Leyendo…' : countText(invoices.length, status)}</p>
          <DataTable caption="Facturas" columns={listColumns(choose)} rows={invoices} rowKey={({ order }) => order} />
        </>
      )}
    </View>
  );
}

function countText(length: number, status: Filter): string {
  if (length === 0) return status === '' ? 'Nada espera a una persona.' : 'Ninguna factura tiene este estado.';
  if (length === LIMIT) return `Se muestran las primeras ${formatCount(LIMIT)}.`;
  return length === 1 ? 'Una factura' : `${formatCount(length)} facturas`;
}

const listColumns = (onAction: (chosen: Chosen) => void): Column<Invoice>[] => [
  {
    key: 'order',
    title: 'Orden',
    isHeader: true,
    cell: ({ order, client }) => (
      <span class="stacked">
        <a href={linkTo({ view: 'orders', id: order })}>{formatFolio(order)}</a>
        <span class="soft">{`cliente ${client}`}</span>
      </span>
    ),
  },
  {
    key: 'happened',
    title: 'Qué pasó',
    cell: ({ advice, reason_text: reason, complement_by: day }) => (
      <span class="stacked">
        {advice.map(({ status, meaning }) => (
          <span key={status}>
            <InvoiceStatusBadge status={status} /> {meaning.es}
            {status === 'complement_due' && day !== null && ` A más tardar el ${formatCalendarDay(day)}.`}
          </span>
        ))}
        {reason && <span class="soft">{reason.es}</span>}
      </span>
    ),
  },
  {
    key: 'to-do',
    title: 'Qué hacer',
    // The advice, and the actions that it names, each once.
    cell: ({ order, advice }) => (
      <span class="stacked">
        {advice.map(({ status, remedy }) => (
          <span key={status}>{remedy.es}</span>
        ))}
        <span class="row">
          {[...new Set(advice.flatMap(({ commands }) => commands))].map((action) => (
            <Button
              key={action}
              label={`${INVOICE_ACTION_TEXTS[action]}: orden ${formatFolio(order)}`}
              onClick={() => onAction({ action, order })}
            >
              {INVOICE_ACTION_TEXTS[action]}
            </Button>
          ))}
        </span>
      </span>
    ),
  },
  { key: 'total', title: 'Total', align: 'end', cell: ({ total }) => formatMoney(total) },
  { key: 'since', title: 'Desde', cell: ({ requested_at }) => formatDateTime(requested_at) },
];

/** The form of an action on an invoice, below the facts of its order as it is now. */
function ChosenAction({ action, order, onClose, onDone }: Chosen & { onClose(): void; onDone(text: string): void }) {
  const { document: work, error } = useOrder(order);
  if (work) {
    const about = <Facts facts={listFacts(work.order)} />;
    const tell = ({ text }: { readonly text: string }) => onDone(`${text} Orden ${work.order.folio}.`);
    return <InvoiceForm action={action} work={work} about={about} onDone={tell} onClose={onClose} />;
  }
  // The focus goes to the form, which stands there once the order is known.
  if (error === undefined) return null;
  return (
    <Dialog title={INVOICE_ACTION_TEXTS[action]} onClose={onClose}>
      <ErrorNotice error={error} />
    </Dialog>
  );
}

/** Returns the facts about an order that a person checks before they act on its invoice. */
const listFacts = ({ folio, patient, invoicing, total, ...order }: ShownOrder): Fact[] => [
  ['Orden', folio],
  ['Paciente', joinName(patient.user)],
  [
    'Receptor',
    invoicing ? `${invoicing.full_name} · ${invoicing.rfc} · ${invoicing.zipcode}` : 'sin datos de facturación',
  ],
  ['Total', formatMoney(total)],
  [
    'Estado',
    <span key="status" class="row">
      <OrderStatusBadge status={order.order_status} />
      <PaymentStatusBadge status={order.payment_status} />
    </span>,
  ],
];
