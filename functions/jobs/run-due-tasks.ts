import { documents, invoicing, mail, payments, table } from '../../shared/deps.ts';
import { countUnsent, countUnsettled } from '../../shared/invoices/count-invoices.ts';
import { runDueTasks } from '../../shared/invoices/run-due-tasks.ts';
import { countPaymentExceptions } from '../../shared/payments/payment-exceptions.ts';
import { reconcilePayments } from '../../shared/payments/reconcile-payments.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business, collecting } from '../../shared/runtime/config.ts';
import { logError, logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/**
 * Runs every five minutes, for tax documents and payments in parallel: a second job would add eight resources to the
 * stack. Throws for the alarm if something failed, which a later run tries again, or a mail needs a person.
 */
export async function handler(): Promise<void> {
  const results = await Promise.allSettled([runDocuments(), ...(collecting() ? [runPayments()] : [])]);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  // Lambda logs the one that is thrown.
  const [first, ...others] = failures;
  for (const other of others) logError('another part of the job failed too', other, {});
  if (first) throw first;
}

async function runDocuments(): Promise<void> {
  const deps = { table: table(), business: business(), documents: documents(), invoicing, mail };
  const outcomes = await runDueTasks({ by: 'system', now: now() }, deps);
  logInfo('tasks on tax documents', outcomes);
  reportMetrics({
    ...(await countUnsettled(table(), { now: now(), timeZone: business().timeZone })),
    // Without a sender no mail is sent, which is no reason for an alarm.
    ...(mail() ? await countUnsent(table()) : { unsentMail: 0 }),
  });
  if (outcomes.failed) throw new Error(`${outcomes.failed} tasks on tax documents failed`);
  const lost = (outcomes.mail_given_up ?? 0) + (outcomes.mail_unconfirmed ?? 0);
  if (lost > 0) throw new Error(`${lost} mails need a person`);
}

async function runPayments(): Promise<void> {
  const outcomes = await reconcilePayments({ by: 'system', now: now() }, { table: table(), payments });
  logInfo('payments reconciled', outcomes);
  reportMetrics({ paymentExceptions: await countPaymentExceptions(table()) });
  if (outcomes.failed) throw new Error(`${outcomes.failed} payments could not be reconciled`);
}
