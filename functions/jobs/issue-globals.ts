import { documents, invoicing, table } from '../../shared/deps.ts';
import { countLateGlobals } from '../../shared/invoices/count-invoices.ts';
import { issueDueGlobals, lastMonth, SALES_PER_PART } from '../../shared/invoices/global/issue-globals.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business, globalInvoiceConfig } from '../../shared/runtime/config.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/** Runs every hour. Does nothing if global invoices are issued elsewhere or not at all. */
export async function handler(): Promise<void> {
  const { GLOBAL_INVOICE: period, ISSUER_ZIPCODE: zipcode } = globalInvoiceConfig();
  if (period === 'off') return reportMetrics({ globalInvoicesLate: 0 });
  const stores = { table: table(), documents: documents() };
  const deps = { ...stores, business: business(), invoicing, zipcode, salesPerPart: SALES_PER_PART };
  const { timeZone } = deps.business;
  const parts = await issueDueGlobals({ by: 'system', now: now() }, deps);
  logInfo('global invoices issued', { parts: parts.length });
  const last = lastMonth(now(), timeZone);
  reportMetrics({ globalInvoicesLate: await countLateGlobals(table(), { now: now(), last, timeZone }) });
}
