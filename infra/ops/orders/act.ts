import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { payments } from '../../../shared/deps.ts';
import { FORM_TO_BE_DEFINED } from '../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../shared/domain/invoices/sat-tables.ts';
import { formatCents, parseCents } from '../../../shared/domain/money.ts';
import { sumRefunds } from '../../../shared/domain/order.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { moveOrder, refundOrder } from '../../../shared/usecases/operations/move-order.ts';
import { payByHand } from '../../../shared/usecases/payments/pay-by-hand.ts';
import { command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { flag, orderId, version } from '../input.ts';
import { orderStatus, paymentStatus } from './list.ts';
import { toChangedResult } from './show.ts';

// Money that has moved has a form.
const FORMS = Object.keys(PAYMENT_FORMS).filter((form) => form !== FORM_TO_BE_DEFINED);

/** SAT's c_FormaPago of a payment or of what goes back. */
export const paymentForm = z.enum(FORMS).meta({ title: 'NN' });

/** An amount of money in cents. */
export const amount = z
  .string()
  .max(15)
  .transform((written) => parseCents(written) ?? 0)
  .refine((cents) => cents > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: '100.00' });

export const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  example: "42 --to shipped --carrier 'Paquetería Andariega' --tracking 1Z999AA10123456784",
  positional: ['id'],
  input: z.object({
    id: orderId,
    to: orderStatus,
    carrier: requiredText(60).meta({ title: 'name' }).describe('who carries it; with --to shipped').optional(),
    tracking: requiredText(60).meta({ title: 'number' }).describe('its number there; with --to shipped').optional(),
    unpaid: flag.describe('prepare an order that is collected before it is paid'),
    reason: requiredText(200).meta({ title: 'text' }).describe('why; with --unpaid').optional(),
    version,
  }),
  check({ to, carrier, tracking, unpaid, reason }) {
    if (unpaid !== (reason !== undefined)) throw new UsageError('--unpaid and --reason go together.');
    if (unpaid && to !== 'in_process') throw new UsageError('--unpaid: It goes with --to in_process.');
    if (carrier !== undefined && to !== 'shipped') throw new UsageError('--carrier: It goes with --to shipped.');
    if (tracking !== undefined && to !== 'shipped') throw new UsageError('--tracking: It goes with --to shipped.');
  },
  async run({ reason: unpaidReason, ...move }, context) {
    const order = await moveOrder({ ...move, unpaidReason, ...(await context.operation()) }, context);
    return toChangedResult(order, `Order ${move.id} is ${move.to} now.`, context);
  },
});

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

export const ordersRefund = command({
  name: 'orders refund',
  summary: "Record that a part of what was paid for an order has gone back, in the form of SAT's c_FormaPago",
  example: '42 --amount 100.00 --form 03',
  positional: ['id'],
  input: z.object({ id: orderId, amount, form: paymentForm, version }),
  async run({ amount: amountCents, ...refund }, context) {
    const order = await refundOrder({ ...refund, amountCents, ...(await context.operation()) }, context.table);
    const what = `${formatCents(amountCents)} of order ${refund.id} is refunded`;
    const openText = formatCents(order.totalCents - sumRefunds(order));
    return toChangedResult(order, `${what}, ${openText} is not.`, context);
  },
});
