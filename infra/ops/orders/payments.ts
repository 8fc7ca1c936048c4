import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { sumRefunds } from '../../../shared/domain/order.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { movePayment, refundOrder } from '../../../shared/usecases/operations/move-order.ts';
import { type Command, command } from '../command.ts';
import { UsageError } from '../input.ts';
import { changed, orderId, version } from './changed-order.ts';
import { paymentStatus } from './order-list.ts';
import { amount, paymentForm } from './payment-fields.ts';

// The interface's bound of `rejection_reason`.
const reason = requiredText(50).meta({ title: 'text' });

export const ordersPay = command({
  name: 'orders pay',
  summary: "Move the payment of an order to another payment_status; --form is SAT's c_FormaPago in which it was paid",
  example: '42 --status paid --form 04',
  arguments: { id: orderId },
  options: { status: paymentStatus, form: paymentForm.optional(), reason: reason.optional(), version },
  async run({ id, status, form, reason, version }, call) {
    if (form !== undefined && status !== 'paid') throw new UsageError('--form: It goes with --status paid.');
    if (reason !== undefined && status !== 'rejected') {
      throw new UsageError('--reason: It goes with --status rejected.');
    }
    const operation = { operator: await call.operator(), now: now() };
    const order = await movePayment({ id, version, to: status, form, reason, ...operation }, { table: openTable() });
    return changed(order, `The payment of order ${id} is ${status} now.`, call);
  },
});

export const ordersRefund = command({
  name: 'orders refund',
  summary: "Record that a part of what was paid for an order has gone back, in the form of SAT's c_FormaPago",
  example: '42 --amount 100.00 --form 03',
  arguments: { id: orderId },
  options: { amount, form: paymentForm, version },
  async run({ id, amount: amountCents, form, version }, call) {
    const operation = { operator: await call.operator(), now: now() };
    const order = await refundOrder({ id, version, amountCents, form, ...operation }, openTable());
    const openCents = order.totalCents - sumRefunds(order);
    const what = `${formatCents(amountCents)} of order ${id} is refunded`;
    return changed(order, `${what}, ${formatCents(openCents)} is not.`, call);
  },
});

export const paymentCommands: readonly Command[] = [ordersPay, ordersRefund];
