import type { ComponentChild, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { localDate } from '../../../../shared/domain/working-day.ts';
import { formatCount, formatDateTime, formatDay, formatMoney, formatPhone, mailTo, timeZone } from '../ui/format.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import {
  actorText,
  DOCUMENT_STATUS_TEXTS,
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
} from './order-texts.ts';

/** Who takes the medicine and what is dangerous for them, where nobody has to look for it. */
export function PatientHead({ order }: { readonly order: ShownOrder }) {
  const { user } = order.patient;
  const record = recordText(order.patient_on_record);
  return (
    <p class="patient">
      <strong>{joinName(user) || 'Paciente borrado'}</strong>{' '}
      <span>{patientText(user, localDate(new Date(), timeZone.value))}</span>{' '}
      {user.medical_condition ? (
        <span class="condition">{`Alergias y padecimientos: ${user.medical_condition}`}</span>
      ) : (
        <span class="soft">Sin alergias ni padecimientos indicados</span>
      )}
      {record && (
        <span class="condition">
          {order.patient_on_record.name ? `De otra persona, ${record}` : `Su registro dice: ${record}`}
        </span>
      )}
    </p>
  );
}

/** A part of the view with its heading, by which a screen reader finds it. */
export function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export type Fact = readonly [title: string, value: ComponentChild];

/** Facts with their titles; those without a value are left out. */
export const Facts = ({ facts, kind = '' }: { readonly facts: readonly Fact[]; readonly kind?: 'amounts' | '' }) => (
  <dl class={`facts ${kind}`}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([title, value]) => [<dt key={`${title}:`}>{title}</dt>, <dd key={title}>{value}</dd>])}
  </dl>
);

type Line = ShownOrder['details'][number];

/** The lines of an order, and what the law asks for each. */
export const Lines = ({ order }: { readonly order: ShownOrder }) => (
  <Part title="Productos">
    <DataTable
      caption="Productos"
      columns={LINE_COLUMNS}
      rows={order.details}
      rowKey={(line) => order.details.indexOf(line)}
    />
  </Part>
);

const ProductName = ({ name, presentation, ean_key: code }: Line) => (
  <span class="stacked">
    {`${name}, ${presentation}`}
    {code && <span class="soft">{`Código de barras ${code}`}</span>}
  </span>
);

function requiredText({ requires_prescription, is_antibiotic, sanitary_fraction: fraction }: Line): string {
  const fractionText = requires_prescription && fraction && `fracción ${fraction}`;
  return join([requires_prescription && 'receta', is_antibiotic && 'antibiótico', fractionText]);
}

const LINE_COLUMNS: readonly Column<Line>[] = [
  { key: 'product', title: 'Producto', isHeader: true, cell: ProductName },
  { key: 'quantity', title: 'Cantidad', align: 'end', cell: ({ quantity }) => formatCount(quantity) },
  { key: 'requires', title: 'Requiere', cell: requiredText },
  { key: 'price', title: 'Precio', align: 'end', cell: ({ price }) => formatMoney(price) },
  { key: 'total', title: 'Total', align: 'end', cell: ({ total }) => formatMoney(total) },
];

export const Money = ({ order }: { readonly order: ShownOrder }) => (
  <Part title="Importes y pago">
    <Facts
      kind="amounts"
      facts={[
        ['Subtotal', formatMoney(order.subtotal)],
        ['Descuento', amountUnlessZero(order.discount)],
        ['IVA', formatMoney(order.iva)],
        ['Envío', formatMoney(order.shipping_price)],
        ['Descuento del envío', amountUnlessZero(order.shipping_discount)],
        ['Total', <strong key="total">{formatMoney(order.total)}</strong>],
      ]}
    />
    <Facts
      facts={[
        ['Método de pago', order.payment_method.name],
        ['Cupón', order.coupon && `${order.coupon.code}, ${order.coupon.description}`],
        ['Forma de pago', order.payment_form && formText(order.payment_form)],
        ['Pago rechazado', rejectionText(order.rejection_reason)],
        ...(order.collecting?.attempts ?? []).map(describeAttempt),
        ['Dinero aparte', order.collecting && amountUnlessZero(order.collecting.besides)],
        ...order.refunds.map((refund): Fact => ['Reembolso', refundText(refund, order)]),
      ]}
    />
  </Part>
);

const amountUnlessZero = (amount: string): string => (Number(amount) === 0 ? '' : formatMoney(amount));

type Attempt = NonNullable<ShownOrder['collecting']>['attempts'][number];
const describeAttempt = ({ is_left, status, amount, received, reference, expires_at }: Attempt): Fact => [
  is_left ? 'Referencia anterior' : 'Referencia de pago',
  join([
    reference,
    `${formatMoney(amount)} ${ATTEMPT_TEXTS[status]}`,
    Number(received) > 0 && `recibido: ${formatMoney(received)}`,
    status === 'open' && `hasta ${formatDateTime(expires_at)}`,
  ]),
];

const ATTEMPT_TEXTS: Readonly<Record<Attempt['status'], string>> = {
  requested: 'por pedir al proveedor',
  open: 'por pagar',
  processing: 'en proceso',
  paid: 'pagado',
  failed: 'rechazado',
  expired: 'vencido',
  cancelled: 'cancelado',
  not_made: 'no se pudo pedir',
};

const refundText = (refund: ShownOrder['refunds'][number], order: ShownOrder): string =>
  join([formatMoney(refund.amount), formText(refund.form), formatDateTime(refund.at), refundedText(refund, order)]);

export function People({ order }: { readonly order: ShownOrder }) {
  const { user } = order.patient;
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
          // Once it is there, it does not matter any more by when it had to be.
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

// The `default` of a carrier is no name that it knows.
const shippingMethodText = ({ company, method }: ShownOrder['shipping_method']): string =>
  method === 'default' ? company : `${company}, ${DELIVERY_KINDS[method]}`;

type Address = NonNullable<ShownOrder['shipping'] | ShownOrder['store']>;
const addressText = (address: Address): string =>
  join([
    `${address.street} ${address.exterior_number} ${address.interior_number}`.trim(),
    address.neighborhood,
    `${address.zipcode} ${address.city}`,
    address.state,
    address.phone && formatPhone(address.phone),
    address.additional_info,
  ]);

export const TaxDocuments = ({ order, order: { invoicing: receiver } }: { readonly order: ShownOrder }) => (
  <Part title="Factura y documentos fiscales">
    <Facts facts={[['Receptor', receiver && `${receiver.rfc}, ${receiver.full_name}, ${receiver.zipcode}`]]} />
    {order.global_invoice && (
      <p>{`En la factura global ${order.global_invoice.period}, parte ${order.global_invoice.part}`}</p>
    )}
    {order.tax_documents.length > 0 ? (
      <DataTable
        caption="Factura y documentos fiscales"
        columns={TAX_COLUMNS}
        rows={order.tax_documents}
        rowKey={(document) => order.tax_documents.indexOf(document)}
      />
    ) : (
      <p class="soft">No hay documentos fiscales.</p>
    )}
  </Part>
);

const stampText = ({ uuid, series, folio, stamped_at: at }: TaxDocument): string =>
  uuid ? `${series}${folio} ${uuid}, ${at ? formatDateTime(at) : ''}` : '';

const TAX_COLUMNS: readonly Column<TaxDocument>[] = [
  { key: 'document', title: 'Documento', isHeader: true, cell: ({ kind }) => KIND_TEXTS[kind] },
  { key: 'status', title: 'Estado', cell: ({ status }) => DOCUMENT_STATUS_TEXTS[status] },
  { key: 'amount', title: 'Importe', align: 'end', cell: ({ amount }) => formatMoney(amount) },
  { key: 'folio', title: 'Folio fiscal', cell: stampText },
];

/** The events of an order, the latest first, and who caused them. */
export const History = ({ order }: { readonly order: ShownOrder }) => (
  <Part title="Historial">
    <DataTable
      caption="Historial"
      columns={[
        { key: 'when', title: 'Cuándo', cell: ({ at }: OrderEvent) => formatDateTime(at) },
        { key: 'what', title: 'Qué', isHeader: true, cell: eventText },
        { key: 'who', title: 'Quién', cell: (event: OrderEvent) => actorText(event, order) },
      ]}
      rows={order.history.toReversed()}
      rowKey={({ version, what }) => `${version} ${what}`}
    />
    {order.history_omitted > 0 && <p class="soft">{`Ya no se guardan ${order.history_omitted} eventos anteriores.`}</p>}
  </Part>
);
