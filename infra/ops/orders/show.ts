import * as z from 'zod';
import { localDate } from '../../../shared/domain/working-day.ts';
import { representForOperator } from '../../../shared/order/answers/order.ts';
import { existingOrder, quantityText } from '../../../shared/order/operate-order.ts';
import type { Order } from '../../../shared/order/order.ts';
import { readOrderEvents } from '../../../shared/order/order-events.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { listWaits } from '../../../shared/order/rules/waits.ts';
import { listLeft, listNextActions } from '../../../shared/ordering/next-actions.ts';
import { getStockStore } from '../../../shared/ordering/order-stock.ts';
import { joinName } from '../../../shared/people/person.ts';
import { type Copy, findCopies } from '../../../shared/prescriptions/judge-prescription.ts';
import { countDaysSince } from '../../../shared/prescriptions/rules/prescription.ts';
import { type Business, prescriptionConfig } from '../../../shared/runtime/config.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import type { Table } from '../../../shared/store/table.ts';
import { command } from '../command.ts';
import type { CommandIo, Context } from '../context.ts';
import { orderId } from '../input.ts';
import { factLines, recordTable } from '../output.ts';

export const ordersShow = command({
  name: 'orders show',
  summary: 'Show everything of an order; links to its documents are good for 5 minutes',
  example: '42',
  positional: ['id'],
  input: z.object({ id: orderId }),
  async run({ id }, context) {
    const document = await showOrder(await existingOrder(context.table, id), context);
    const today = localDate(context.now, context.business.timeZone);
    return { document, warning: otherPersonText(document, today), text: orderText(document, today, context) };
  },
});

type ShownOrder = Awaited<ReturnType<typeof showOrder>>;

/** Shows everything of an order to its operator, with what it waits for and what they may do next. */
async function showOrder(order: Order, { now, business, documents, table }: Context) {
  const maximumAgeDays = prescriptionConfig().PRESCRIPTION_MAXIMUM_AGE_DAYS;
  const found = await findCopies(order, order.prescriptions, table);
  const next = listNextActions(order, { now, business, maximumAgeDays, copies: found });
  const today = localDate(now, business.timeZone);
  const waits = listWaits(order, today);
  const shown = await representForOperator(order, await readOrderEvents(table, order.id), documents);
  const prescriptions = shown.prescriptions.map((each) => ({
    ...each,
    age_days: countDaysSince(each.issue_date, today),
  }));
  const copies = await describeCopies(found, order, table);
  const stock = await readStock(order, business, table);
  return { ...shown, prescriptions, copies, stock, left: listLeft(order), waits_for: waits, next_actions: next };
}

/** Returns what the order's store has left of those of its products that it counts. */
async function readStock(order: Order, business: Business, table: Table) {
  const products = order.lines.map(({ productId }) => productId);
  const levels = await readLevels(table, getStockStore(order, business), products);
  return [...levels].map(([product, { available, reserved }]) => ({ product, available, reserved }));
}

/** Represents copies with what tells whether somebody was given the same medicine twice: whose orders they are, and when. */
async function describeCopies(copies: readonly Copy[], own: Order, table: Table) {
  const ids = new Set(copies.map(({ orderId }) => orderId));
  const orders = await Promise.all([...ids].map((id) => (id === own.id ? own : getOrderOfAnyClient(table, id))));
  return copies.map((copy) => {
    const order = orders.find((each) => each?.id === copy.orderId);
    const facts = { patient: order ? joinName(order.patient) : '', placed_at: order?.createdAt ?? null };
    return { ...representCopy(copy), ...facts, order_status: order?.orderStatus ?? null };
  });
}

/** Represents a prescription that is the same document as one of the order. */
export const representCopy = ({ of, orderId, prescriptionId, isRejected, isWaiting }: Copy) => ({
  prescription: of,
  order: orderId,
  copy: prescriptionId,
  is_rejected: isRejected,
  is_waiting: isWaiting === true,
});

/** The result of a command that has changed an order. The links of the document are signed, so that it is made only if it is printed. */
export const toChangedResult = async (order: Order, sentence: string, context: Context) => ({
  document: context.isJson ? await showOrder(order, context) : null,
  text: `${sentence}\n`,
});

/** Returns everything of an order for a person to read, first what the pharmacist needs to know of the patient. */
function orderText(order: ShownOrder, today: string, io: CommandIo): string {
  const tables = [
    order.details.map(toLineRow),
    order.prescriptions.map(toPrescriptionRow),
    (order.collecting?.attempts ?? []).map(toAttemptRow),
    order.refunds.map(({ parts, is_surplus, ...row }) => {
      return { ...row, of: is_surplus ? 'beside the total' : parts.map(partText).join(', ') };
    }),
    order.tax_documents.map(({ kept, ...row }) => ({ ...row, kept: kept.join(', ') })),
    order.kept_documents,
    order.stock,
    order.notes,
    order.history.map(toEventRow),
  ];
  const facts = factLines({ ...describePatient(order, today), ...describeOrder(order) });
  const scans = order.prescriptions.map(scanText).join('');
  const copies = order.copies.map(copyText).join('');
  return [facts, scans, copies, ...tables.map((rows) => recordTable(rows, io))].filter(Boolean).join('\n');
}

function describePatient({ patient, patient_on_record: record }: ShownOrder, today: string) {
  const { sex, birthdate, medical_condition, ...person } = patient.user;
  const isSamePerson = record.name === null;
  return {
    patient: nameText(person),
    medical_condition,
    age: ageText(birthdate, today),
    sex,
    on_record: isSamePerson ? recordText(record, today) : null,
  };
}

/** Returns the warning that the record of an order's patient is another person's, by name; undefined if it is not. */
function otherPersonText({ patient, patient_on_record: record }: ShownOrder, today: string): string | undefined {
  if (record.name === null) return undefined;
  const told = recordText(record, today) || 'no health data';
  return `The record is of ${record.name}, not of ${nameText(patient.user)}: ${told}.\n`;
}

const recordText = (record: ShownOrder['patient_on_record'], today: string): string =>
  join(', ', [record.medical_condition, ageText(record.birthdate, today), record.sex, record.phone]);

const ageText = (birthdate: string | null, today: string): string | null =>
  birthdate === null ? null : `${countYears(birthdate, today)} (${birthdate})`;

const countYears = (birthdate: string, today: string): number =>
  Number(today.slice(0, 4)) - Number(birthdate.slice(0, 4)) - (today.slice(5) < birthdate.slice(5) ? 1 : 0);

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
  patient_record: personText(order.patient.user),
  generated_by: order.generated_by && personText(order.generated_by),
  updated_by: order.updated_by && personText(order.updated_by),
  shipping: order.shipping && addressText(order.shipping),
  store: order.store && `${order.store.company_name}, ${addressText(order.store)}`,
  shipping_method: `${order.shipping_method.company} (${order.shipping_method.method})`,
  shipments: order.shipments.map((each) => join(' ', [each.carrier, each.tracking_number])).join(', '),
  payment_method: order.payment_method.name,
  payment_form: order.payment_form,
  rejection_reason: order.rejection_reason,
  collected_by: order.collecting?.method ?? null,
  money_besides: besidesText(order.collecting),
  coupon: order.coupon?.code ?? null,
  invoicing: order.invoicing && `${order.invoicing.rfc}, ${order.invoicing.full_name}`,
  receiver_kept_until: order.receiver_kept_until,
  cfdi: order.cfdi,
  global_invoice: order.global_invoice && `${order.global_invoice.period}, part ${order.global_invoice.part}`,
  comments: order.comments,
  tags: order.tags,
  insurance_refund_status: order.insurance_refund_status,
  lots: order.details
    .flatMap(({ id, lots }) => lots.map(({ lot, expiry, quantity }) => `${id}: ${quantity} of ${lot} (${expiry})`))
    .join(', '),
  subtotal: order.subtotal,
  discount: order.discount,
  iva: order.iva,
  shipping_price: order.shipping_price,
  shipping_discount: order.shipping_discount,
  total: order.total,
});

const toAttemptRow = ({
  number: attempt,
  is_left,
  ...row
}: NonNullable<ShownOrder['collecting']>['attempts'][number]) => {
  return { attempt, ...row, left: is_left ? 'yes' : 'no' };
};

const besidesText = (collecting: ShownOrder['collecting']): string | null =>
  collecting && collecting.troubles.length > 0 ? `${collecting.besides} (${collecting.troubles.join(', ')})` : null;

const join = (separator: string, parts: readonly (string | null)[]): string => parts.filter(Boolean).join(separator);

type Person = ShownOrder['patient']['user'];
type Names = Pick<Person, 'first_name' | 'last_name' | 'second_last_name'>;
const nameText = ({ first_name, last_name, second_last_name }: Names) =>
  join(' ', [first_name, last_name, second_last_name]);

const personText = (person: Person) => join(' ', [`${person.id}:`, nameText(person), person.email, person.phone]);

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

/** Returns what went back: `7001:2 (57.00), shipping (79.00)`. */
const partText = ({ line, quantity, amount }: ShownOrder['refunds'][number]['parts'][number]): string =>
  `${line === null ? 'shipping' : `${line}${quantity > 0 ? `:${quantity}` : ''}`} (${amount})`;

type Line = ShownOrder['details'][number];
const toLineRow = ({ id, product, name, presentation, quantity, price, discount, iva, total, ...line }: Line) => {
  const requires = line.requires_prescription ? 'prescription' : '';
  const medicine = join(', ', [line.sanitary_fraction, line.is_antibiotic ? 'antibiotic' : null]);
  return { product, name, presentation, quantity, price, discount, iva, total, requires, medicine, line: id };
};

type Prescription = ShownOrder['prescriptions'][number];
const toPrescriptionRow = ({ id: prescription, prescriber, ...shown }: Prescription) => ({
  prescription,
  issue_date: shown.issue_date,
  age_days: shown.age_days,
  expiring_date: shown.expiring_date,
  verified: verifiedText(shown),
  prescriber: prescriber && join(', ', Object.values(prescriber)),
  document_name: shown.document_name,
  document: shown.document,
});

function scanText({ id, scan }: Prescription): string {
  if (scan === 'pending') return `Prescription ${id} is not scanned yet.\n`;
  return scan === 'threat' ? `Malware was found in prescription ${id}, which is withheld.\n` : '';
}

/** Returns the sentence about a prescription that is the same document as one of the order. */
export function copyText({
  prescription,
  order,
  copy,
  is_rejected,
  is_waiting,
  ...facts
}: ReturnType<typeof representCopy> & { readonly patient?: string }): string {
  const state = is_rejected ? ', which was rejected' : is_waiting ? ', which nobody has verified' : '';
  const whose = facts.patient ? ` for ${facts.patient}` : '';
  return `Prescription ${prescription} is the same document as prescription ${copy} of order ${order}${whose}${state}.\n`;
}

function verifiedText({ verified_at, verified_for, rejected_at }: Omit<Prescription, 'id' | 'prescriber'>): string {
  if (rejected_at !== null) return 'rejected';
  if (verified_at === null) return 'no';
  const quantities = verified_for.map(({ product: productId, quantity }) => quantityText({ productId, quantity }));
  return quantities.join(', ') || 'yes';
}

type Event = ShownOrder['history'][number];
const toEventRow = ({ at, version, what, from, to, prescriptions = [], reason, by }: Event) => {
  const subject = from === undefined ? prescriptions.join(', ') : `${from} -> ${to}`;
  return { at, version, what, detail: join(': ', [subject, reason ?? null]), by: actorText(by) };
};

function actorText(by: Event['by']): string {
  if (by === 'system') return 'system';
  return 'user' in by ? `user ${by.user}` : `operator ${by.operator}`;
}
