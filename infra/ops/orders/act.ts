import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { payments } from '../../../shared/deps.ts';
import { formatCents, parseCents } from '../../../shared/domain/money.ts';
import { handleInvoice } from '../../../shared/invoices/open-actions.ts';
import { FORM_TO_BE_DEFINED } from '../../../shared/invoices/rules/build/invoice.ts';
import { listOpenActions } from '../../../shared/invoices/rules/invoice-status.ts';
import { PAYMENT_FORMS } from '../../../shared/invoices/rules/sat-tables.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { existingOrder } from '../../../shared/order/operate-order.ts';
import { formatFolio } from '../../../shared/order/rules/status.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { payByHand } from '../../../shared/payments/move-payment.ts';
import { findPaymentExceptions, handlePayment } from '../../../shared/payments/payment-exceptions.ts';
import { askForPayment } from '../../../shared/payments/reconcile-payment.ts';
import { giveBack } from '../../../shared/payments/reconcile-refunds.ts';
import {
  getRefundableCents,
  getSurplusCents,
  listPaymentExceptions,
  PAYMENT_LISTS,
} from '../../../shared/payments/rules/payment-exceptions.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { type Command, command } from '../command.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { flag, orderId, upTo, version } from '../input.ts';
import { textTable } from '../output.ts';
import { Interrupted } from '../prompt.ts';
import { ordersNote, ordersUpdate } from './annotate.ts';
import { ordersCashUp } from './cash-up.ts';
import { ordersExport } from './export.ts';
import { orderStatus, ordersList, paymentStatus } from './list.ts';
import { prescriptionCommands } from './prescriptions.ts';
import { ordersRebuild } from './rebuild.ts';
import { ordersRecall } from './recall.ts';
import { ordersShow, toChangedResult } from './show.ts';

// Money that has moved has a form.
const FORMS = Object.keys(PAYMENT_FORMS).filter((form) => form !== FORM_TO_BE_DEFINED);

/** SAT's c_FormaPago of a payment or of what goes back. */
export const paymentForm = z.enum(FORMS).meta({ title: 'NN' });

const amount = z
  .string()
  .max(15)
  .transform((written) => parseCents(written) ?? 0)
  .refine((cents) => cents > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: '100.00' });

const orderLine = z
  .string()
  .regex(/^[1-9]\d{0,14}(:[1-9]\d{0,4})?$/, 'not_an_order_line' satisfies MessageCode)
  .transform((written) => {
    const [line, quantity] = written.split(':').map(Number);
    return { line: line ?? 0, quantity };
  });

const dispensedLot = z
  .string()
  .regex(
    /^[1-9]\d{0,14}:[\p{L}\d][\p{L}\d ./_-]{0,29}:20\d\d-(?:0[1-9]|1[0-2])(?::[1-9]\d{0,4})?$/u,
    'not_a_lot' satisfies MessageCode,
  )
  .transform((written) => {
    const [line = '', lot = '', expiry = '', quantity] = written.split(':');
    return {
      line: Number(line),
      lot: lot.trim(),
      expiry,
      quantity: quantity === undefined ? quantity : Number(quantity),
    };
  });

/** The part of an order to refund or credit: an amount, or lines and the shipment. */
export const returned = {
  amount: amount.optional().describe('spread over all that is left'),
  all: flag.describe('all that is left'),
  line: z
    .array(orderLine)
    .max(50)
    .optional()
    .meta({ title: 'id[:quantity]' })
    .describe('a line by its id, as orders show names it; without a quantity all that is left of it'),
  shipping: flag.describe('what is left of the shipping'),
};

type Returned = z.output<z.ZodObject<typeof returned>>;

export function checkReturned({ amount, all, line, shipping }: Returned): void {
  const ways = [amount !== undefined, all, line !== undefined || shipping];
  if (ways.filter(Boolean).length !== 1)
    throw new UsageError('Give either --amount, or --all, or what goes back with --line and --shipping.');
}

export const toAskedParts = ({
  amount: amountCents,
  all: isAll,
  line: lines = [],
  shipping: isShipping,
}: Returned) => ({
  amountCents,
  isAll,
  lines,
  isShipping,
});

export const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  example: "42 --to shipped --carrier 'Paquetería Andariega' --tracking 1Z999AA10123456784",
  positional: ['id'],
  input: z.object({
    id: orderId,
    to: orderStatus,
    carrier: requiredText(60).optional().meta({ title: 'name' }).describe('who carries it; with --to shipped'),
    tracking: requiredText(60).optional().meta({ title: 'number' }).describe('its number there; with --to shipped'),
    lot: z
      .array(dispensedLot)
      .max(100)
      .optional()
      .meta({ title: 'line:lot:YYYY-MM[:quantity]' })
      .describe('a lot and its expiry, from which a line is dispensed; with --to in_process'),
    unpaid: flag.describe('prepare an order that is collected before it is paid'),
    refunded: flag.describe('move an order on that was refunded in full'),
    reason: requiredText(200)
      .optional()
      .meta({ title: 'text' })
      .describe('why; with --unpaid or --refunded, or --to cancelled, whose client reads it'),
    version,
  }),
  check({ to, carrier, tracking, lot, unpaid, refunded, reason }) {
    if ((unpaid || refunded) !== (reason !== undefined) && to !== 'cancelled')
      throw new UsageError('--unpaid or --refunded, and --reason: They go together.');
    if (unpaid && to !== 'in_process') throw new UsageError('--unpaid: It goes with --to in_process.');
    if (carrier !== undefined && to !== 'shipped') throw new UsageError('--carrier: It goes with --to shipped.');
    if (tracking !== undefined && to !== 'shipped') throw new UsageError('--tracking: It goes with --to shipped.');
    if (lot !== undefined && to !== 'in_process') throw new UsageError('--lot: It goes with --to in_process.');
  },
  async run({ unpaid, refunded, reason, lot: lots, ...written }, context) {
    const move = { ...written, lots };
    const { carrier, tracking } = move;
    const trackingUrl = carrier && tracking ? await findTrackingUrl(carrier, tracking) : null;
    const reasons = {
      ...(unpaid && { unpaidReason: reason }),
      ...(refunded && { refundedReason: reason }),
      ...(move.to === 'cancelled' && { cancelReason: reason }),
    };
    const moved = await moveOrder({ ...move, ...reasons, trackingUrl, ...(await context.operation()) }, context);
    const { table } = context;
    const isToWithdraw = move.to === 'cancelled' && moved.payment;
    const order = isToWithdraw ? await askForPayment(moved, await context.act(), { table, payments }) : moved;
    return toChangedResult(order, `Order ${move.id} is ${move.to} now.`, context);
  },
});

/** Returns the page of a shipment, or null: a catalog that cannot be read now keeps no order from being shipped. */
async function findTrackingUrl(carrier: string, tracking: string): Promise<string | null> {
  try {
    return await withPublishedCatalog((catalog) => catalog.trackingUrl(carrier, tracking));
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return null;
  }
}

export const ordersPay = command({
  name: 'orders pay',
  summary: "Move the payment of an order to another payment_status; --form is SAT's c_FormaPago in which it was paid",
  example: '42 --status paid --form 04',
  positional: ['id'],
  input: z.object({
    id: orderId,
    status: paymentStatus,
    form: paymentForm.optional(),
    // The interface's bound of `rejection_reason`.
    reason: requiredText(50).meta({ title: 'text' }).optional(),
    version,
  }),
  check({ status, form, reason }) {
    if (form !== undefined && status !== 'paid') throw new UsageError('--form: It goes with --status paid.');
    if (reason !== undefined && status !== 'rejected')
      throw new UsageError('--reason: It goes with --status rejected.');
  },
  async run({ status, ...move }, context) {
    const { table } = context;
    const order = await payByHand({ ...move, to: status, ...(await context.operation()) }, { table, payments });
    return toChangedResult(order, `The payment of order ${move.id} is ${status} now.`, context);
  },
});

const REFUND_TEXTS = {
  requested: 'is asked back from the payment provider, which has not answered yet',
  pending: 'is on its way back',
  succeeded: 'is refunded through the payment provider',
  failed: 'is not refunded',
} as const;

export const ordersRefund = command({
  name: 'orders refund',
  summary:
    "Record that a part of what was paid for an order has gone back, in the form of SAT's c_FormaPago; without it, give back through the payment provider what came by card",
  example: '42 --line 7001:1 --shipping --form 03',
  positional: ['id'],
  input: z.object({
    id: orderId,
    ...returned,
    surplus: flag.describe('what came beside the total, or --amount of it: no credit note, nothing off the lines'),
    form: paymentForm.optional(),
    reason: requiredText(200).optional().meta({ title: 'text' }).describe('why, for the history'),
    version,
  }),
  check({ surplus, ...asked }) {
    if (!surplus) return checkReturned(asked);
    if (asked.line !== undefined || asked.shipping || asked.all)
      throw new UsageError('--surplus: It goes with --amount or alone.');
  },
  async run({ id, form, reason, version, surplus: isSurplus, ...asked }, context) {
    const refund = { id, form, reason, version, isSurplus, ...toAskedParts(asked) };
    const { table } = context;
    const order = await giveBack({ ...refund, ...(await context.operation()) }, { table, payments });
    const { cents = 0, provided, isSurplus: isBeside } = order.refunds?.at(-1) ?? {};
    const of = `${isBeside ? 'beside the total ' : ''}of order ${id}`;
    const what = `${formatCents(cents)} ${of} ${provided ? REFUND_TEXTS[provided.status] : 'is refunded'}`;
    const openText = formatCents(isBeside ? getSurplusCents(order) : getRefundableCents(order));
    const failure = provided?.status === 'failed' ? 'The payment provider gave nothing back.' : undefined;
    return { ...(await toChangedResult(order, `${what}, ${openText} is not.`, context)), failure };
  },
});

const list = z.enum(PAYMENT_LISTS).meta({ title: 'list' });

const COLUMNS = ['list', 'id', 'folio', 'client', 'total', 'besides'] as const;

const paymentsList = command({
  name: 'payments list',
  summary:
    'List the orders whose payment waits for somebody: money beside the total (mismatch), a dispute, a reference that was not made, a refund that failed',
  example: '--list mismatch',
  input: z.object({ list: list.optional(), limit: upTo(1_000, '20').describe('of each list') }),
  async run({ list: wanted, limit }, context) {
    const lists = wanted === undefined ? PAYMENT_LISTS : [wanted];
    const orders = (await findPaymentExceptions(context.table, lists, limit)).map((row) => ({
      list: row.list,
      id: row.orderId,
      folio: formatFolio(row.orderId),
      client: row.clientId,
      total: formatCents(row.totalCents),
      besides: formatCents(row.cents),
    }));
    return { document: { orders }, text: textTable(COLUMNS, orders, context) };
  },
});

export const ordersHandled = command({
  name: 'orders handled',
  summary:
    'Record that a person has dealt with what the payment or the invoice of an order waited for, so that no alarm counts it any more',
  example: '42 --what invoice',
  positional: ['orderId'],
  input: z.object({
    orderId,
    what: z.enum(['payment', 'invoice']).optional().describe('needed if both wait for somebody'),
    version,
  }),
  async run({ orderId: id, what, version }, context) {
    const { table } = context;
    const order = await existingOrder(table, id);
    const waiting = { payment: listPaymentExceptions(order), invoice: listOpenActions(order) };
    if (!what && waiting.payment.length > 0 && waiting.invoice.length > 0)
      throw new CommandRefusal(`The payment and the invoice of order ${id} wait for somebody: --what says which.`);
    const handled =
      (what ?? (waiting.payment.length > 0 ? 'payment' : 'invoice')) === 'invoice'
        ? await handleInvoice({ id, version }, await context.act(), table)
        : await handlePayment({ id, version, ...(await context.operation()) }, table).then(() => waiting.payment);
    return { document: { order: id, handled }, text: `Handled of order ${id}: ${handled.join(', ')}.\n` };
  },
});

export const orderCommands: readonly Command[] = [
  ordersList,
  ordersShow,
  ordersMove,
  ordersPay,
  ordersRefund,
  ordersNote,
  ordersUpdate,
  ordersCashUp,
  ...prescriptionCommands,
  ordersHandled,
  ordersExport,
  ordersRecall,
  ordersRebuild,
];

export const paymentCommands: readonly Command[] = [paymentsList];
