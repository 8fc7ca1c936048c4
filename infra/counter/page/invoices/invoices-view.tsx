import { useState } from 'preact/hooks';
import type { InvoiceListStatus } from '../../../../shared/invoices/rules/invoice-status.ts';
import { formatFolio } from '../../../../shared/order/rules/status.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { ActionForm } from '../order/action-form.tsx';
import { INVOICE_ACTION_TEXTS, type InvoiceAction, invoiceForm } from '../order/money-forms.tsx';
import { useOrder } from '../order/order-work.tsx';
import { joinName, type ShownOrder } from '../order/texts.ts';
import { address, choose, linkToOrder } from '../ui/address.ts';
import { Badge, Button, DoneNotice, ErrorNotice, Field } from '../ui/controls.tsx';
import { formatCalendarDay, formatCount, formatDateTime, formatMoney } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { INVOICE, ORDER, PAYMENT } from '../ui/statuses.ts';
import { type Column, DataTable, type Fact, Facts, TwoLines, View } from '../ui/view.tsx';

const LIMIT = 200;
const REFRESH_MS = 60_000;

type Invoice = DocumentOf<'invoices-list'>['invoices'][number];
type Chosen = { readonly action: InvoiceAction; readonly order: number };

const STATUSES = [
  ['', 'Lo que espera a una persona'] as const,
  ...Object.entries(INVOICE).map(([status, { text }]) => [status, text] as const),
];

const isStatus = (text: string): text is InvoiceListStatus => Object.hasOwn(INVOICE, text);

export function InvoicesView() {
  const { status = '' } = address.value.params;
  const [chosen, setChosen] = useState<Chosen>();
  const [done, setDone] = useState('');
  const chosenStatus = isStatus(status) ? { status } : { waiting: true };
  const query = useQuery('invoices-list', { limit: LIMIT, ...chosenStatus }, { everyMs: REFRESH_MS });
  const start = (action: Chosen) => {
    setDone('');
    setChosen(action);
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
            <Field label="Mostrar" options={STATUSES} value={status} onChange={(value) => choose({ status: value })} />
          </div>
          <DoneNotice text={done} />
          {chosen && <ChosenAction {...chosen} onClose={close} onDone={setDone} />}
        </>
      }
    >
      {({ invoices }, isFormer) => (
        <>
          <p class="soft">{isFormer ? 'Leyendo…' : countText(invoices.length, status)}</p>
          <DataTable
            caption="Facturas"
            columns={listColumns(start)}
            rows={invoices}
            rowKey={({ order }) => order}
            isOpening
          />
        </>
      )}
    </View>
  );
}

function countText(length: number, status: string): string {
  if (length === 0) return status === '' ? 'Nada espera a una persona.' : 'Ninguna factura tiene este estado.';
  if (length === LIMIT) return `Se muestran las primeras ${formatCount(LIMIT)}.`;
  return length === 1 ? 'Una factura' : `${formatCount(length)} facturas`;
}

const listColumns = (onAction: (chosen: Chosen) => void): Column<Invoice>[] => [
  {
    title: 'Orden',
    isHeader: true,
    cell: ({ order, client }) => (
      <TwoLines first={<a href={linkToOrder(order)}>{formatFolio(order)}</a>} second={`cliente ${client}`} />
    ),
  },
  {
    class: 'happened',
    title: 'Qué pasó',
    cell: ({ advice, reason_text: reason, complement_by: day }) => (
      <span class="lines">
        {advice.map(({ status, meaning }) => (
          <span key={status}>
            <Badge {...INVOICE[status]} /> {meaning.es}
            {status === 'complement_due' && day !== null && ` A más tardar el ${formatCalendarDay(day)}.`}
          </span>
        ))}
        {reason && <span class="soft">{reason.es}</span>}
      </span>
    ),
  },
  {
    class: 'to-do',
    title: 'Qué hacer',
    cell: ({ order, advice }) => (
      <span class="lines">
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
  { title: 'Total', class: 'end', cell: ({ total }) => formatMoney(total) },
  { class: 'whole', title: 'Desde', cell: ({ requested_at }) => formatDateTime(requested_at) },
];

function ChosenAction({ action, order, onClose, onDone }: Chosen & { onClose(): void; onDone(text: string): void }) {
  const { document: work, error } = useOrder(order);
  if (!work) return <ErrorNotice error={error} />;
  const about = <Facts facts={listFacts(work.order)} />;
  const tell = (sentence: string) => onDone(`${sentence} Orden ${work.order.folio}.`);
  return <ActionForm form={invoiceForm(action)} work={work} about={about} onDone={tell} onClose={onClose} />;
}

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
      <Badge {...ORDER[order.order_status]} />
      <Badge {...PAYMENT[order.payment_status]} />
    </span>,
  ],
];
