import { documents, invoicing, mail, table } from '../../shared/deps.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';
import { countUnsettled } from '../../shared/usecases/invoices/count-invoices.ts';
import { settleInvoices } from '../../shared/usecases/invoices/settle-invoices.ts';

/** Runs every five minutes. Throws when an invoice could not be settled, for the alarm; a later run tries it again. */
export async function handler(): Promise<void> {
  const outcomes = await settleInvoices(
    { by: 'system', now: now() },
    { table: table(), business: business(), documents: documents(), invoicing, mail },
  );
  logInfo('invoices settled', outcomes);
  reportMetrics(await countUnsettled(table(), { now: now(), timeZone: business().timeZone }));
  if (outcomes.failed) throw new Error(`${outcomes.failed} invoices could not be settled`);
}
