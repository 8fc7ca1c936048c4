import { quantityText } from '../../../shared/usecases/operations/operate-order.ts';
import type { CommandIo } from '../command.ts';
import { printable, recordTable } from '../terminal/text-table.ts';
import type { ShownOrder } from './shown-order.ts';

type Line = ShownOrder['details'][number];
type Prescription = ShownOrder['prescriptions'][number];
type Event = ShownOrder['history'][number];
type TaxDocument = ShownOrder['tax_documents'][number];

/** Returns everything of an order for a person to read. */
export function orderText(order: ShownOrder, io: CommandIo): string {
  const facts = Object.entries(describeOrder(order)).filter(([, value]) => value !== null && value !== '');
  const parts = [facts.map(([name, value]) => `${name.padEnd(FACT_WIDTH)}${printable(String(value))}\n`).join('')];
  parts.push(recordTable(order.details.map(toLineRow), io));
  parts.push(recordTable(order.prescriptions.map(toPrescriptionRow), io));
  parts.push(recordTable(order.refunds, io));
  parts.push(recordTable(order.tax_documents.map(toTaxRow), io));
  parts.push(recordTable(order.kept_documents, io));
  parts.push(recordTable(order.history.map(toEventRow), io) + omittedText(order));
  return parts.filter(Boolean).join('\n');
}

const FACT_WIDTH = 24;

const describeOrder = (order: ShownOrder): Readonly<Record<string, string | number | null>> => ({
  order: `${order.id} (${order.folio})`,
  client: `${order.client} (${order.origin})`,
  version: order.version,
  order_status: order.order_status,
  payment_status: order.payment_status,
  created_at: order.created_at,
  updated_at: order.updated_at,
  payment_date: order.payment_date,
  dispensed_at: order.dispensed_at,
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
  payment_form: order.payment_form,
  rejection_reason: order.rejection_reason,
  coupon: order.coupon?.code ?? null,
  invoicing: order.invoicing && `${order.invoicing.rfc}, ${order.invoicing.full_name}`,
  receiver_kept_until: order.receiver_kept_until,
  cfdi: order.cfdi,
  global_invoice: order.global_invoice && `${order.global_invoice.period}, part ${order.global_invoice.part}`,
  comments: order.comments,
  subtotal: order.subtotal,
  discount: order.discount,
  iva: order.iva,
  shipping_price: order.shipping_price,
  shipping_discount: order.shipping_discount,
  total: order.total,
});

const join = (separator: string, parts: readonly (string | null)[]): string => parts.filter(Boolean).join(separator);

const personText = ({ id, first_name, last_name, second_last_name, email, phone }: ShownOrder['patient']['user']) =>
  join(' ', [`${id}:`, first_name, last_name, second_last_name, email, phone]);

type Address = NonNullable<ShownOrder['shipping'] | ShownOrder['store']>;
const addressText = (address: Address): string =>
  join(', ', [
    `${address.street} ${address.exterior_number} ${address.interior_number}`.trimEnd(),
    address.neighborhood,
    `${address.zipcode} ${address.city}`,
    address.state,
    address.country,
    address.phone,
    address.additional_info,
  ]);

const toLineRow = ({ product, name, presentation, quantity, price, discount, iva, total, ...line }: Line) => {
  const requires = line.requires_prescription ? 'prescription' : '';
  const medicine = join(', ', [line.sanitary_fraction, line.is_antibiotic ? 'antibiotic' : null]);
  return { product, name, presentation, quantity, price, discount, iva, total, requires, medicine };
};

const toPrescriptionRow = ({ id, issue_date, expiring_date, document_name, document, ...judged }: Prescription) => {
  const verified = verifiedText(judged);
  const prescriber = judged.prescriber && join(', ', Object.values(judged.prescriber));
  return { prescription: id, issue_date, expiring_date, verified, prescriber, document_name, document };
};

type Judgement = Pick<Prescription, 'verified_at' | 'verified_for' | 'rejected_at'>;

function verifiedText({ verified_at, verified_for, rejected_at }: Judgement): string {
  if (rejected_at !== null) return 'rejected';
  if (verified_at === null) return 'no';
  const quantities = verified_for.map(({ product: productId, quantity }) => quantityText({ productId, quantity }));
  return quantities.join(', ') || 'yes';
}

const toTaxRow = ({ kept, ...document }: TaxDocument) => ({ ...document, kept: kept.join(', ') });

const toEventRow = ({ at, version, what, from, to, prescriptions = [], reason, by }: Event) => {
  const subject = from === undefined ? prescriptions.join(', ') : `${from} -> ${to}`;
  return { at, version, what, detail: join(': ', [subject, reason ?? null]), by: actorText(by) };
};

function actorText(by: Event['by']): string {
  if (by === 'system') return 'system';
  return 'user' in by ? `user ${by.user}` : `operator ${by.operator}`;
}

const omittedText = ({ history_omitted: omitted }: ShownOrder): string =>
  omitted > 0 ? `${omitted} older events of the most frequent kinds are not kept.\n` : '';
