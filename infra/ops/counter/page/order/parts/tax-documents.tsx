import { translate } from '../../text.ts';
import { formatDateTime, formatMoney } from '../../ui/format.ts';
import { DataTable } from '../../ui/table.tsx';
import { documentStatusText, kindText } from '../event-texts.ts';
import { ORDER_TEXTS } from '../texts.ts';
import type { ShownOrder } from '../use-order.ts';
import { Facts } from './facts.tsx';
import { Part } from './part.tsx';

type TaxDocument = ShownOrder['tax_documents'][number];

/** The invoice of an order with the documents that relate to it. */
export const TaxDocuments = ({ order }: { readonly order: ShownOrder }) => (
  <Part title={ORDER_TEXTS.taxDocuments}>
    <Facts facts={[[translate(ORDER_TEXTS.receiver), receiverText(order)]]} />
    {order.global_invoice && <p>{translate(ORDER_TEXTS.globalInvoice, order.global_invoice)}</p>}
    {order.tax_documents.length > 0 ? (
      <DataTable
        caption={translate(ORDER_TEXTS.taxDocuments)}
        columns={[
          {
            key: 'document',
            title: translate(ORDER_TEXTS.document),
            isHeader: true,
            cell: ({ kind }) => kindText(kind),
          },
          {
            key: 'status',
            title: translate(ORDER_TEXTS.status),
            cell: ({ status }: TaxDocument) => documentStatusText(status),
          },
          {
            key: 'amount',
            title: translate(ORDER_TEXTS.amount),
            align: 'end',
            cell: ({ amount }: TaxDocument) => formatMoney(amount),
          },
          { key: 'folio', title: translate(ORDER_TEXTS.folio), cell: stampText },
        ]}
        rows={order.tax_documents}
        rowKey={(document) => order.tax_documents.indexOf(document)}
      />
    ) : (
      <p class="soft">{translate(ORDER_TEXTS.noTaxDocument)}</p>
    )}
  </Part>
);

const receiverText = ({ invoicing }: ShownOrder): string =>
  invoicing ? `${invoicing.rfc}, ${invoicing.full_name}, ${invoicing.zipcode}` : '';

const stampText = ({ uuid, series, folio, stamped_at: at }: TaxDocument): string =>
  uuid ? `${series}${folio} ${uuid}, ${at ? formatDateTime(at) : ''}` : '';
