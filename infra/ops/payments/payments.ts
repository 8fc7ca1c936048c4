import * as z from 'zod';
import { payments } from '../../../shared/deps.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { formatFolio } from '../../../shared/domain/order.ts';
import { PAYMENT_LISTS } from '../../../shared/domain/payments/payment-troubles.ts';
import { handlePayment, listTroubledPayments } from '../../../shared/usecases/payments/payment-troubles.ts';
import { settlePayments } from '../../../shared/usecases/payments/settle-payments.ts';
import { type Command, command } from '../command.ts';
import { orderId, upTo, version } from '../input.ts';
import { outcomesText } from '../invoices/act.ts';
import { toChangedResult } from '../orders/show.ts';
import { textTable } from '../output.ts';

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
    const orders = (await listTroubledPayments(context.table, lists, limit)).map((row) => ({
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

const paymentsSettle = command({
  name: 'payments settle',
  summary: 'Ask the payment provider about what is open and for what is missing, as AWS does every few minutes',
  async run(_, context) {
    const document = await settlePayments(await context.act(), { table: context.table, payments }, 'all');
    return {
      document,
      text: `Payments: ${outcomesText(document)}.\n`,
      failure: (document.failed ?? 0) > 0 ? `${document.failed} could not be looked after.` : undefined,
    };
  },
});

const paymentsHandled = command({
  name: 'payments handled',
  summary:
    'Record that a person has seen to what the payment of an order waited for, so that no alarm counts it any more',
  example: '42',
  positional: ['id'],
  input: z.object({ id: orderId, version }),
  async run(handled, context) {
    const order = await handlePayment({ ...handled, ...(await context.operation()) }, context.table);
    return toChangedResult(order, `The payment of order ${handled.id} is seen to.`, context);
  },
});

export const paymentCommands: readonly Command[] = [paymentsList, paymentsSettle, paymentsHandled];
