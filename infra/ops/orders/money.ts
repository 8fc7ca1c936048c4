import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents, formatDifference, parseCents } from '../../../shared/domain/money.ts';
import { dayAfter, localDate, toInstant } from '../../../shared/domain/working-day.ts';
import { handleInvoice } from '../../../shared/invoices/open-actions.ts';
import { FORM_TO_BE_DEFINED } from '../../../shared/invoices/rules/build/invoice.ts';
import { listOpenActions } from '../../../shared/invoices/rules/invoice-status.ts';
import { PAYMENT_FORMS } from '../../../shared/invoices/rules/sat-tables.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { existingOrder } from '../../../shared/order/operate-order.ts';
import { type TillRow, tillRows } from '../../../shared/order/rows/payment-rows.ts';
import { formatFolio } from '../../../shared/order/rules/status.ts';
import { payByHand } from '../../../shared/payments/move-payment.ts';
import { findPaymentExceptions, handlePayment } from '../../../shared/payments/payment-exceptions.ts';
import { giveBack } from '../../../shared/payments/reconcile-refunds.ts';
import {
  getRefundableCents,
  getSurplusCents,
  listPaymentExceptions,
  PAYMENT_LISTS,
} from '../../../shared/payments/rules/payment-exceptions.ts';
import { command } from '../command.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { day, flag, listLimit, orderId, recordId, version } from '../input.ts';
import { paymentStatus } from './list.ts';
import { toChangedResult } from './show.ts';

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

export const toAskedParts = ({ amount, all, line = [], shipping }: Returned) => {
  return { amountCents: amount, isAll: all, lines: line, isShipping: shipping };
};

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
    const order = await payByHand({ ...move, to: status, ...(await context.operation()) }, context);
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
    const order = await giveBack({ ...refund, ...(await context.operation()) }, context);
    const { cents = 0, provided, isSurplus: isBeside } = order.refunds?.at(-1) ?? {};
    const of = `${isBeside ? 'beside the total ' : ''}of order ${id}`;
    const what = `${formatCents(cents)} ${of} ${provided ? REFUND_TEXTS[provided.status] : 'is refunded'}`;
    const openText = formatCents(isBeside ? getSurplusCents(order) : getRefundableCents(order));
    const failure = provided?.status === 'failed' ? 'The payment provider gave nothing back.' : undefined;
    return { ...(await toChangedResult(order, `${what}, ${openText} is not.`, context)), failure };
  },
});

export const paymentsList = command({
  name: 'payments list',
  summary:
    'List the orders whose payment waits for somebody: money beside the total (mismatch), a dispute, a reference that was not made, a refund that failed',
  input: z.object({ limit: listLimit.describe('of each list') }),
  async run({ limit }, { table }) {
    const orders = (await findPaymentExceptions(table, PAYMENT_LISTS, limit)).map((row) => ({
      list: row.list,
      id: row.orderId,
      folio: formatFolio(row.orderId),
      client: row.clientId,
      total: formatCents(row.totalCents),
      besides: formatCents(row.cents),
    }));
    return { document: { orders } };
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
    return { document: { order: id, handled } };
  },
});

export const ordersCashUp = command({
  name: 'orders cash-up',
  summary: 'Add up what was paid and given back on a day of the shop, by form of payment, person and store',
  example: '--day 2026-11-23 --store 1',
  input: z.object({
    day: day.optional().describe('today by default'),
    store: recordId.optional().describe('only orders that are collected at this store, by its id'),
    by: requiredText(300)
      .optional()
      .meta({ title: 'name' })
      .describe('only what this person recorded, as a history names them, or provider'),
  }),
  async run({ day, store, by }, { table, now, business: { timeZone } }) {
    const date = day ?? localDate(now, timeZone);
    const startOf = (date: string) => toInstant(date, '00:00', timeZone);
    const all = await tillRows(table, { from: startOf(date), until: startOf(dayAfter(date)) });
    const found = all.filter((row) => (store ?? row.store?.id) === row.store?.id && (by ?? row.by) === row.by);
    const stores = new Map(found.flatMap(({ store }) => (store ? [[store.id, store.name] as const] : [])));
    const groups = Map.groupBy(found, (row) => [row.form, row.by, row.store?.id ?? ''].join('\t'));
    const rows = [...groups.keys()].sort().map((key) => addUp(groups.get(key) ?? []));
    return {
      document: { day: date, rows, ...sumRows(found), stores: [...stores].map(([id, name]) => ({ id, name })) },
    };
  },
});

const addUp = (group: readonly TillRow[]) => {
  const { form = '', by = '', store = null } = group[0] ?? {};
  return { form, by, store: store?.id ?? null, ...sumRows(group) };
};

const sumRows = (rows: readonly TillRow[]) => ({
  paid: formatDifference(rows.reduce((sum, { paidCents }) => sum + paidCents, 0)),
  // Negative on a day on which more failed than went back.
  refunded: formatDifference(rows.reduce((sum, { refundedCents }) => sum + refundedCents, 0)),
});
