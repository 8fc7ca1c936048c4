import { formatFolio } from '../../../../../shared/domain/order.ts';
import type { DocumentOf } from '../call.ts';
import { INVOICE_ACTION_TEXTS } from '../order/actions/invoice-actions.tsx';
import { linkTo } from '../routes.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatCalendarDay, formatDateTime, formatMoney } from '../ui/format.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import type { Chosen } from './chosen-action.tsx';
import { InvoiceStatusBadge } from './status-texts.tsx';
import { INVOICES_TEXTS } from './texts.ts';

export type Invoice = DocumentOf<'invoices-list'>['invoices'][number];

type TableProps = { readonly invoices: readonly Invoice[]; onAction(chosen: Chosen): void };

export const InvoicesTable = ({ invoices, onAction }: TableProps) => (
  <DataTable
    caption={translate(INVOICES_TEXTS.title)}
    columns={listColumns(onAction)}
    rows={invoices}
    rowKey={({ order }) => order}
  />
);

function listColumns(onAction: TableProps['onAction']): Column<Invoice>[] {
  return [
    {
      key: 'order',
      title: translate(INVOICES_TEXTS.order),
      isHeader: true,
      cell: ({ order, client }) => (
        <span class="stacked">
          <a href={linkTo({ view: 'orders', id: order })}>{formatFolio(order)}</a>
          <span class="soft">{translate(INVOICES_TEXTS.client, { client })}</span>
        </span>
      ),
    },
    { key: 'happened', title: translate(INVOICES_TEXTS.happened), cell: (invoice) => <Happened {...invoice} /> },
    {
      key: 'to-do',
      title: translate(INVOICES_TEXTS.toDo),
      cell: (invoice) => <ToDo invoice={invoice} onAction={onAction} />,
    },
    {
      key: 'total',
      title: translate(INVOICES_TEXTS.total),
      align: 'end',
      cell: ({ total }) => formatMoney(total),
    },
    {
      key: 'since',
      title: translate(INVOICES_TEXTS.since),
      cell: ({ requested_at }) => formatDateTime(requested_at),
    },
  ];
}

const Happened = ({ advice, reason_text: reason, complement_by: day }: Invoice) => (
  <span class="stacked">
    {advice.map(({ status, meaning }) => (
      <span key={status}>
        <InvoiceStatusBadge status={status} /> {translate(meaning)}
        {status === 'complement_due' && day !== null && (
          <> {translate(INVOICES_TEXTS.complementBy, { day: formatCalendarDay(day) })}</>
        )}
      </span>
    ))}
    {reason && <span class="soft">{translate(reason)}</span>}
  </span>
);

type ToDoProps = { readonly invoice: Invoice; onAction(chosen: Chosen): void };

const ToDo = ({ invoice, onAction }: ToDoProps) => (
  <span class="stacked">
    {invoice.advice.map(({ status, remedy }) => (
      <span key={status}>{translate(remedy)}</span>
    ))}
    <span class="row">
      {listActions(invoice).map((action) => (
        <Button
          key={action}
          label={translate(INVOICES_TEXTS.actionOn, {
            action: translate(INVOICE_ACTION_TEXTS[action]),
            folio: formatFolio(invoice.order),
          })}
          onClick={() => onAction({ action, order: invoice.order })}
        >
          {translate(INVOICE_ACTION_TEXTS[action])}
        </Button>
      ))}
    </span>
  </span>
);

/** Returns what may be done about an invoice, each once. */
const listActions = ({ advice }: Invoice): Chosen['action'][] => [
  ...new Set(advice.flatMap(({ commands }) => commands)),
];
