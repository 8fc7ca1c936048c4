import { requiredText } from '../../../shared/api/fields.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import {
  creditInvoice,
  getCreditableCents,
  replaceInvoice,
} from '../../../shared/usecases/operations/invoices/correct-invoice.ts';
import { type Command, command } from '../command.ts';
import { changed, orderId, version } from '../orders/changed-order.ts';
import { amount, paymentForm } from '../orders/payment-fields.ts';
import { receiverOptions, toReceiver } from './receiver-options.ts';

export const invoicesReplace = command({
  name: 'invoices replace',
  summary:
    'Replace the invoice of an order, for a corrected receiver or with the payment of today; the old one is cancelled',
  example: '42 --zipcode 06700',
  arguments: { orderId },
  options: {
    ...receiverOptions,
    version,
  },
  async run({ orderId: id, version, ...corrections }, call) {
    const receiver = toReceiver(corrections);
    const operation = { operator: await call.operator(), now: now() };
    const order = await replaceInvoice(
      { id, version, receiver, ...operation },
      { table: openTable(), business: business() },
    );
    return changed(order, `The invoice of order ${id} is being replaced.`, call);
  },
});

export const invoicesCredit = command({
  name: 'invoices credit',
  summary: 'Issue a credit note of a part of an invoice, or of all of it; orders refund does so for what it records',
  example: '42 --amount 50.00 --form 03',
  arguments: { orderId },
  options: {
    amount,
    form: paymentForm.optional(),
    reason: requiredText(200).meta({ title: 'text' }).optional(),
    version,
  },
  async run({ orderId: id, amount: amountCents, form, reason: purpose, version }, call) {
    const operation = { operator: await call.operator(), now: now() };
    const order = await creditInvoice({ id, version, amountCents, form, purpose, ...operation }, openTable());
    const left = getCreditableCents(order) ?? 0;
    const what = `A credit note of ${formatCents(amountCents)} is being issued for the invoice of order ${id}`;
    return changed(order, `${what}, of which ${formatCents(left)} is left.`, call);
  },
});

export const correctionCommands: readonly Command[] = [invoicesReplace, invoicesCredit];
