import * as z from 'zod';
import { localDate } from '../../../shared/domain/working-day.ts';
import { representForOperator } from '../../../shared/order/answers/order.ts';
import { existingOrder } from '../../../shared/order/operate-order.ts';
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
import type { Context } from '../context.ts';
import { orderId } from '../input.ts';
import { documentText } from '../output.ts';

export const ordersShow = command({
  name: 'orders show',
  summary: 'Show everything of an order; links to its documents are good for 5 minutes',
  example: '42',
  positional: ['id'],
  input: z.object({ id: orderId }),
  async run({ id }, context) {
    const order = await existingOrder(context.table, id);
    const document = await showOrder(order, context);
    return { document, ...describeOrder(document, joinName(order.patient), context) };
  },
});

type ShownOrder = Awaited<ReturnType<typeof showOrder>>;

async function showOrder(order: Order, { now, business, documents, table }: Context) {
  const maximumAgeDays = prescriptionConfig().PRESCRIPTION_MAXIMUM_AGE_DAYS;
  const found = await findCopies(order, order.prescriptions, table);
  const next = listNextActions(order, { now, business, maximumAgeDays, copies: found });
  const today = localDate(now, business.timeZone);
  const waits = listWaits(order, today);
  const shown = await representForOperator(order, await readOrderEvents(table, order.id), documents);
  // A link is long, and last in its row.
  const prescriptions = shown.prescriptions.map(({ document, ...each }) => {
    return { ...each, age_days: countDaysSince(each.issue_date, today), document };
  });
  const copies = await describeCopies(found, order, table);
  const stock = await readStock(order, business, table);
  return { ...shown, prescriptions, copies, stock, left: listLeft(order), waits_for: waits, next_actions: next };
}

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

/** Returns everything of an order for a person: first what a pharmacist must know of the patient, the history at its end. */
function describeOrder(document: ShownOrder, name: string, { now, business, stdout }: Context) {
  const {
    patient,
    patient_on_record: record,
    copies,
    collecting,
    history,
    left: _,
    next_actions: __,
    ...facts
  } = document;
  const { sex, birthdate, medical_condition, ...patient_record } = patient.user;
  const { attempts, ...payment } = collecting ?? {};
  const today = localDate(now, business.timeZone);
  const age = ageText(birthdate, today);
  const recorded = [record.medical_condition, ageText(record.birthdate, today), record.sex, record.phone];
  const health = recorded.filter(Boolean).join(', ');
  const warnings = [
    record.name === null ? '' : `The record is of ${record.name}, not of ${name}: ${health || 'no health data'}.\n`,
    ...document.prescriptions.map(scanText),
    ...copies.map(copyText),
  ];
  const person = { patient: name, medical_condition, age, sex, on_record: record.name === null && health };
  const parts = { ...person, ...facts, patient_record, payment, attempts, history };
  return { warning: warnings.join(''), text: documentText(parts, stdout) };
}

const ageText = (birthdate: string | null, today: string): string | null =>
  birthdate === null ? null : `${countYears(birthdate, today)} (${birthdate})`;

const countYears = (birthdate: string, today: string): number =>
  Number(today.slice(0, 4)) - Number(birthdate.slice(0, 4)) - (today.slice(5) < birthdate.slice(5) ? 1 : 0);

function scanText({ id, scan }: ShownOrder['prescriptions'][number]): string {
  if (scan === 'pending') return `Prescription ${id} is not scanned yet.\n`;
  return scan === 'threat' ? `Malware was found in prescription ${id}, which is withheld.\n` : '';
}

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
