import { localDate } from '../../../../shared/domain/working-day.ts';
import { Badge } from '../ui/controls.tsx';
import { formatCount, formatDateTime, formatDay, formatMoney, formatPhone, mailTo, timeZone } from '../ui/format.ts';
import { CLAIM, INVOICE, PAYMENT_ATTEMPT } from '../ui/statuses.ts';
import { type Column, DataTable, type Fact, Facts, Part, TablePart, TwoLines } from '../ui/view.tsx';
import {
  actorText,
  eventText,
  formText,
  join,
  joinName,
  KIND_TEXTS,
  type OrderEvent,
  patientText,
  recordText,
  refundedText,
  rejectionText,
  type ShownOrder,
  type TaxDocument,
} from './texts.ts';

export function PatientHead({ order: { patient, patient_on_record: onRecord } }: { readonly order: ShownOrder }) {
  const { user } = patient;
  const record = recordText(onRecord);
  return (
    <p class="row patient">
      <strong>{joinName(user) || 'Paciente borrado'}</strong>{' '}
      <span>{patientText(user, localDate(new Date(), timeZone.value))}</span>{' '}
      {user.medical_condition ? (
        <Badge tone="danger" text={`Alergias y padecimientos: ${user.medical_condition}`} />
      ) : (
        <span class="soft">Sin alergias ni padecimientos indicados</span>
      )}
      {record && (
        <Badge tone="danger" text={onRecord.name ? `De otra persona, ${record}` : `Su registro dice: ${record}`} />
      )}
    </p>
  );
}

type Line = ShownOrder['details'][number];

function requiredText({ requires_prescription, is_antibiotic, sanitary_fraction: fraction }: Line): string {
  const fractionText = requires_prescription && fraction && `fracción ${fraction}`;
  return join([requires_prescription && 'receta', is_antibiotic && 'antibiótico', fractionText]);
}

const lotText = ({ lot, expiry, quantity }: Line['lots'][number]): string =>
  `${quantity} del lote ${lot}, caduca ${expiry}`;

const LINE_COLUMNS: readonly Column<Line>[] = [
  {
    title: 'Producto',
    isHeader: true,
    cell: ({ name, presentation, ean_key: code, lots }) => (
      <TwoLines
        first={`${name}, ${presentation}`}
        second={join([code && `Código de barras ${code}`, ...lots.map(lotText)], ' · ')}
      />
    ),
  },
  { title: 'Cantidad', class: 'end', cell: ({ quantity }) => formatCount(quantity) },
  { title: 'Requiere', cell: requiredText },
  { title: 'Precio', class: 'end', cell: ({ price }) => formatMoney(price) },
  { title: 'Total', class: 'end', cell: ({ total }) => formatMoney(total) },
];

const stockColumn = (stock: ShownOrder['stock']): Column<Line> => ({
  title: 'Quedan',
  class: 'end',
  cell: (line) => stock.find(({ product }) => product === line.product)?.available,
});

type OrderProps = { readonly order: ShownOrder };

export const Lines = ({ order: { details, stock } }: OrderProps) => (
  <TablePart
    title="Productos"
    columns={stock.length > 0 ? [...LINE_COLUMNS, stockColumn(stock)] : LINE_COLUMNS}
    rows={details}
  />
);

export const Money = ({ order }: OrderProps) => (
  <Part title="Importes y pago">
    <Facts class="facts amounts" facts={listAmounts(order)} />
    <Facts
      facts={[
        ['Método de pago', order.payment_method.name],
        ['Cupón', order.coupon && `${order.coupon.code}, ${order.coupon.description}`],
        ['Forma de pago', order.payment_form && formText(order.payment_form)],
        ['Pago rechazado', rejectionText(order.rejection_reason)],
        ['Reclamación', order.insurance_refund_status !== 'not_started' && CLAIM[order.insurance_refund_status].text],
        ...(order.collecting?.attempts ?? []).map(describeAttempt),
        ['Dinero aparte', order.collecting && amountUnlessZero(order.collecting.besides)],
        ...order.refunds.map((refund): Fact => ['Reembolso', refundText(refund, order)]),
      ]}
    />
  </Part>
);

export const listAmounts = (order: ShownOrder): readonly Fact[] => [
  ['Subtotal', formatMoney(order.subtotal)],
  ['Descuento', amountUnlessZero(order.discount)],
  ['IVA', formatMoney(order.iva)],
  ['Envío', formatMoney(order.shipping_price)],
  ['Descuento del envío', amountUnlessZero(order.shipping_discount)],
  ['Total', <strong key="total">{formatMoney(order.total)}</strong>],
];

const amountUnlessZero = (amount: string): string => (Number(amount) === 0 ? '' : formatMoney(amount));

type Attempt = NonNullable<ShownOrder['collecting']>['attempts'][number];
const describeAttempt = ({ is_left, status, amount, received, reference, expires_at }: Attempt): Fact => [
  is_left ? 'Referencia anterior' : 'Referencia de pago',
  join([
    reference,
    `${formatMoney(amount)} ${PAYMENT_ATTEMPT[status]}`,
    Number(received) > 0 && `recibido: ${formatMoney(received)}`,
    status === 'open' && `hasta ${formatDateTime(expires_at)}`,
  ]),
];

const refundText = (refund: ShownOrder['refunds'][number], order: ShownOrder): string =>
  join([formatMoney(refund.amount), formText(refund.form), formatDateTime(refund.at), refundedText(refund, order)]);

export function People({ order }: OrderProps) {
  const { user } = order.patient;
  // After delivery, the expected dates no longer matter.
  const isAwaited = !order.receiving_date;
  const shipments = order.shipments.map((each) => join([each.carrier, each.tracking_number], ' '));
  return (
    <Part title="Paciente y entrega">
      <Facts
        facts={[
          ['Paciente', joinName(user)],
          ['Correo', user.email && <a href={mailTo(user.email)}>{user.email}</a>],
          ['Teléfono', user.phone && <a href={`tel:${user.phone}`}>{formatPhone(user.phone)}</a>],
          ['Cliente', `${order.origin} (${order.client})`],
          ['Pedida por', order.generated_by && joinName(order.generated_by)],
          ['Entrega', order.shipping && addressText(order.shipping)],
          ['Recoge en', order.store && `${order.store.company_name}, ${addressText(order.store)}`],
          ['Envío por', shippingMethodText(order.shipping_method)],
          ['Guía', join(shipments, '; ')],
          ['Entregada', order.receiving_date && formatDateTime(order.receiving_date)],
          ['Enviada', isAwaited && order.shipping_date && formatDateTime(order.shipping_date)],
          ['Esperada', isAwaited && order.expected_delivery_date && formatDay(order.expected_delivery_date)],
          ['A más tardar', isAwaited && order.max_delivery_date && formatDay(order.max_delivery_date)],
          ['Comentarios', order.comments],
        ]}
      />
    </Part>
  );
}

const DELIVERY_KINDS = { standard: 'estándar', express: 'exprés', local: 'local' } as const;

// `default` is our own word, not a service of the carrier.
export const shippingMethodText = ({ company, method }: ShownOrder['shipping_method']): string =>
  method === 'default' ? company : `${company}, ${DELIVERY_KINDS[method]}`;

export const addressText = (address: NonNullable<ShownOrder['shipping'] | ShownOrder['store']>): string =>
  join([
    `${address.street} ${address.exterior_number} ${address.interior_number}`.trim(),
    address.neighborhood,
    `${address.zipcode} ${address.city}`,
    address.state,
    address.phone && formatPhone(address.phone),
    address.additional_info,
  ]);

const TAX_COLUMNS: readonly Column<TaxDocument>[] = [
  { title: 'Documento', isHeader: true, cell: ({ kind }) => KIND_TEXTS[kind] },
  { title: 'Estado', cell: ({ status }) => <Badge {...INVOICE[status]} /> },
  { title: 'Importe', class: 'end', cell: ({ amount }) => formatMoney(amount) },
  {
    title: 'Folio fiscal',
    cell: ({ uuid, series, folio, stamped_at: at }) =>
      uuid && join([`${series}${folio} ${uuid}`, at && formatDateTime(at)]),
  },
];

export const TaxDocuments = ({ order: { invoicing, tax_documents, global_invoice } }: OrderProps) => (
  <Part title="Factura y documentos fiscales">
    <Facts facts={[['Receptor', invoicing && `${invoicing.rfc}, ${invoicing.full_name}, ${invoicing.zipcode}`]]} />
    {global_invoice && <p>{`En la factura global ${global_invoice.period}, parte ${global_invoice.part}`}</p>}
    <DataTable
      caption="Factura y documentos fiscales"
      columns={TAX_COLUMNS}
      rows={tax_documents}
      empty="No hay documentos fiscales."
    />
  </Part>
);

const NOTE_COLUMNS: readonly Column<ShownOrder['notes'][number]>[] = [
  { title: 'Nota', isHeader: true, cell: ({ text }) => text },
  { title: 'Cuándo', cell: ({ at }) => formatDateTime(at) },
  { title: 'Quién', cell: ({ by }) => by },
];

export const Notes = ({ order: { notes } }: OrderProps) =>
  notes.length > 0 && <TablePart title="Notas" isForStaff columns={NOTE_COLUMNS} rows={notes} />;

export const History = ({ order }: OrderProps) => (
  <TablePart
    title="Historial"
    isForStaff
    columns={[
      { title: 'Cuándo', cell: ({ at }: OrderEvent) => formatDateTime(at) },
      { title: 'Qué', isHeader: true, cell: eventText },
      { title: 'Quién', cell: (event: OrderEvent) => actorText(event, order) },
    ]}
    rows={order.history.toReversed()}
  />
);
