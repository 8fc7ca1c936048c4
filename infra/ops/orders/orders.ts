import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import { representForOperator } from '../../../shared/answers/order.ts';
import { date, requiredText } from '../../../shared/api/fields.ts';
import { FORM_TO_BE_DEFINED } from '../../../shared/domain/invoices/invoice.ts';
import { PAYMENT_FORMS } from '../../../shared/domain/invoices/tax-id-tables.ts';
import { sumPrescribed } from '../../../shared/domain/prescriptions/coverage.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { openTable } from '../../../shared/store/table.ts';
import { moveOrder, movePayment } from '../../../shared/usecases/orders/move-order.ts';
import { existingOrder, quantityText } from '../../../shared/usecases/orders/operate-order.ts';
import { attachPrescription } from '../../../shared/usecases/prescriptions/attach-prescription.ts';
import { verifyPrescription } from '../../../shared/usecases/prescriptions/verify-prescription.ts';
import { type Call, type Command, type CommandResult, command } from '../command.ts';
import { recordId, UsageError } from '../input.ts';
import { openDocuments } from './documents.ts';
import { orderListCommands, orderStatus, paymentStatus } from './order-list.ts';
import { orderText } from './order-text.ts';
import { ordersRecount } from './recount.ts';

export const orderId = recordId.describe('the id of an order');

const version = recordId.meta({ title: 'number' }).optional();

const ordersShow = command({
  name: 'orders show',
  summary: 'Show everything of an order; links to its documents are good for 5 minutes',
  example: '42',
  arguments: { id: orderId },
  async run({ id }, call) {
    const document = await representForOperator(await existingOrder(openTable(), id), openDocuments());
    return { document, text: orderText(document, call) };
  },
});

const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  example: '42 --to approved',
  arguments: { id: orderId },
  options: { to: orderStatus, version },
  async run({ id, to, version }, call) {
    const operation = { operator: await call.operator(), now: now() };
    const order = await moveOrder({ id, version, to, ...operation }, { table: openTable(), business: business() });
    return changed(order, `Order ${id} is ${to} now.`, call);
  },
});

// An order that was paid has a form.
const PAID_FORMS = Object.keys(PAYMENT_FORMS).filter((form) => form !== FORM_TO_BE_DEFINED);
const paymentForm = z.enum(PAID_FORMS).meta({ title: 'NN' });

const ordersPay = command({
  name: 'orders pay',
  summary: "Move the payment of an order to another payment_status; --form is SAT's c_FormaPago in which it was paid",
  example: '42 --status paid --form 04',
  arguments: { id: orderId },
  options: { status: paymentStatus, form: paymentForm.optional(), version },
  async run({ id, status, form, version }, call) {
    if (form !== undefined && status !== 'paid') throw new UsageError('--form: It goes with --status paid.');
    const operation = { operator: await call.operator(), now: now() };
    const order = await movePayment({ id, version, to: status, form, ...operation }, { table: openTable() });
    return changed(order, `The payment of order ${id} is ${status} now.`, call);
  },
});

const ordersAttach = command({
  name: 'orders attach-prescription',
  summary: 'Add a prescription to an order: a PDF, JPEG or PNG file of at most 3 MB',
  example: '42 --file receta.pdf --issue-date 2026-11-01',
  arguments: { id: orderId },
  options: {
    file: requiredText(4_096).meta({ title: 'path' }),
    issueDate: date.meta({ title: 'YYYY-MM-DD' }),
    expiringDate: date.meta({ title: 'YYYY-MM-DD' }).optional(),
  },
  async run({ id, file, issueDate, expiringDate = null }, call) {
    const table = openTable();
    const document = { bytes: await readFile(file), fileName: basename(file) };
    const deps = { table, ids: new Ids(table), documents: openDocuments(), business: business() };
    const operation = { operator: await call.operator(), now: now() };
    const order = await attachPrescription({ id, ...document, issueDate, expiringDate, ...operation }, deps);
    const added = order.prescriptions.at(-1)?.id;
    return changed(order, `Prescription ${added} is attached to order ${id}, not verified yet.`, call);
  },
});

const ordersVerify = command({
  name: 'orders verify-prescription',
  summary: 'Record that a pharmacist has approved the prescriptions of an order, or one of them, for its present lines',
  example: '42',
  arguments: { id: orderId },
  options: { prescription: recordId.optional(), version },
  async run({ id, prescription, version }, call) {
    const operation = { operator: await call.operator(), now: now() };
    const deps = { table: openTable(), business: business() };
    const order = await verifyPrescription({ id, version, prescription, ...operation }, deps);
    const which = prescription === undefined ? 'Every prescription' : `Prescription ${prescription}`;
    const what = sumPrescribed(order.lines).map(quantityText).join(', ');
    return changed(order, `${which} of order ${id} is verified now${what && ` for: ${what}`}.`, call);
  },
});

/** The links of the document are signed, so that it is made only if it is printed. */
const changed = async (order: Order, sentence: string, { isJson }: Call): Promise<CommandResult> => ({
  document: isJson ? await representForOperator(order, openDocuments()) : null,
  text: `${sentence}\n`,
});

export const orderCommands: readonly Command[] = [
  ...orderListCommands,
  ordersShow,
  ordersMove,
  ordersPay,
  ordersAttach,
  ordersVerify,
  ordersRecount,
];
