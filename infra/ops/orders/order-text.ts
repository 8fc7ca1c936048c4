import type { representForOperator } from '../../../shared/answers/order.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { formatFolio } from '../../../shared/domain/order.ts';
import type { OrderRow } from '../../../shared/store/order-lists/order-rows.ts';
import type { CommandIo } from '../command.ts';
import { printable, textTable } from '../terminal/text-table.ts';

type ListedOrder = ReturnType<typeof listedOrder>;
type ShownOrder = Awaited<ReturnType<typeof representForOperator>>;

/** Represents an order in the operator's list. */
export const listedOrder = (row: OrderRow) => ({
  id: row.id,
  folio: formatFolio(row.id),
  created_at: row.createdAt,
  order_status: row.orderStatus,
  payment_status: row.paymentStatus,
  patient: row.patientName,
  total: formatCents(row.totalCents),
});

export const listText = (orders: readonly ListedOrder[], io: CommandIo): string =>
  textTable(['id', 'folio', 'created_at', 'order_status', 'payment_status', 'patient', 'total'], orders, io);

/** Returns everything of an order for a person to read. */
export function orderText(order: ShownOrder, io: CommandIo): string {
  const facts = Object.entries(factsOf(order)).filter(([, value]) => value !== null && value !== '');
  const parts = [facts.map(([name, value]) => `${name.padEnd(FACT_WIDTH)}${printable(String(value))}\n`).join('')];
  parts.push(textTable(LINE_COLUMNS, order.details.map(lineRow), io));
  if (order.prescriptions.length > 0) {
    parts.push(textTable(PRESCRIPTION_COLUMNS, order.prescriptions.map(prescriptionRow), io));
  }
  return parts.join('\n');
}

const FACT_WIDTH = 24;

const factsOf = (order: ShownOrder): Readonly<Record<string, string | number | null>> => ({
  order: `${order.id} (${order.folio})`,
  client: `${order.client} (${order.origin})`,
  version: order.version,
  order_status: order.order_status,
  payment_status: order.payment_status,
  created_at: order.created_at,
  updated_at: order.updated_at,
  payment_date: order.payment_date,
  shipping_date: order.shipping_date,
  receiving_date: order.receiving_date,
  expected_delivery_date: order.expected_delivery_date,
  max_delivery_date: order.max_delivery_date,
  patient: personText(order.patient.user),
  generated_by: order.generated_by && personText(order.generated_by),
  updated_by: order.updated_by && personText(order.updated_by),
  shipping: order.shipping && addressText(order.shipping),
  store: order.store && `${order.store.company_name}, ${addressText(order.store)}`,
  shipping_method: `${order.shipping_method.company} (${order.shipping_method.method})`,
  payment_method: order.payment_method.name,
  coupon: order.coupon?.code ?? null,
  invoicing: order.invoicing && `${order.invoicing.rfc}, ${order.invoicing.full_name}`,
  cfdi: order.cfdi,
  comments: order.comments,
  subtotal: order.subtotal,
  discount: order.discount,
  iva: order.iva,
  shipping_price: order.shipping_price,
  shipping_discount: order.shipping_discount,
  total: order.total,
});

type Named = Pick<
  ShownOrder['patient']['user'],
  'id' | 'first_name' | 'last_name' | 'second_last_name' | 'email' | 'phone'
>;
const personText = (person: Named): string =>
  [`${person.id}:`, person.first_name, person.last_name, person.second_last_name, person.email, person.phone]
    .filter(Boolean)
    .join(' ');

type Address = NonNullable<ShownOrder['shipping'] | ShownOrder['store']>;
const addressText = (address: Address): string =>
  [
    `${address.street} ${address.exterior_number} ${address.interior_number}`.trimEnd(),
    address.neighborhood,
    `${address.zipcode} ${address.city}`,
    address.state,
    address.country,
    address.phone,
    address.additional_info,
  ]
    .filter(Boolean)
    .join(', ');

const LINE_COLUMNS = [
  'product',
  'name',
  'presentation',
  'quantity',
  'price',
  'discount',
  'iva',
  'total',
  'requires',
] as const;
const lineRow = (line: ShownOrder['details'][number]) => ({
  ...line,
  requires: line.requires_prescription ? 'prescription' : '',
});

const PRESCRIPTION_COLUMNS = [
  'prescription',
  'issue_date',
  'expiring_date',
  'verified',
  'document_name',
  'document',
] as const;
const prescriptionRow = (prescription: ShownOrder['prescriptions'][number]) => ({
  ...prescription,
  prescription: prescription.id,
  verified: prescription.is_verified ? 'yes' : 'no',
});
