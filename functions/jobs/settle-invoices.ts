import { documents, invoicing, mail, payments, table } from '../../shared/deps.ts';
import { countUnsettled } from '../../shared/invoices/count-invoices.ts';
import { settleInvoices } from '../../shared/invoices/settle-invoices.ts';
import { countPaymentExceptions } from '../../shared/payments/payment-exceptions.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business, collecting } from '../../shared/runtime/config.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/**
 * Runs every five minutes, for invoices and for payments side by side: a job of its own would take eight resources of the
 * stack. Throws when something could not be settled, for the alarm; a later run tries it again.
 */
export async function handler(): Promise<void> {
  const results = await Promise.allSettled([runInvoices(), ...(collecting() ? [runPayments()] : [])]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function runInvoices(): Promise<void> {
  const outcomes = await settleInvoices(
    { by: 'system', now: now() },
    { table: table(), business: business(), documents: documents(), invoicing, mail },
  );
  logInfo('invoices settled', outcomes);
  reportMetrics(await countUnsettled(table(), { now: now(), timeZone: business().timeZone }));
  if (outcomes.failed) throw new Error(`${outcomes.failed} invoices could not be settled`);
}

async function runPayments(): Promise<void> {
  const outcomes = await reconcilePayments({ by: 'system', now: now() }, { table: table(), payments });
  logInfo('payments settled', outcomes);
  reportMetrics({ paymentExceptions: await countPaymentExceptions(table()) });
  if (outcomes.failed) throw new Error(`${outcomes.failed} payments could not be settled`);
}
