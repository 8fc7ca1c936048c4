import { documents, invoicing, mail, table } from '../../shared/deps.ts';
import { countUnsent } from '../../shared/invoices/count-invoices.ts';
import { sendDueMail } from '../../shared/invoices/send-due-mail.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/** Runs every minute. Throws when a mail will not be sent again by itself, so that the alarm calls a person. */
export async function handler(): Promise<void> {
  const deps = { table: table(), documents: documents(), invoicing, mail };
  const outcomes = await sendDueMail({ by: 'system', now: now() }, deps);
  logInfo('mail sent', outcomes);
  // Without a sender all mails are kept, which is nothing to call a person for.
  reportMetrics(mail() ? await countUnsent(table()) : { unsentMail: 0 });
  const lost = (outcomes.given_up ?? 0) + (outcomes.unconfirmed ?? 0) + (outcomes.failed ?? 0);
  if (lost > 0) throw new Error(`${lost} mails need a person`);
}
