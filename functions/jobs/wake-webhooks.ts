import { invokeDelivery, mail, table } from '../../shared/deps.ts';
import { mailOwners, wakeDueDeliveries, watchEndpoints } from '../../shared/events/webhooks/tend-endpoints.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

/** Runs every minute: starts the retries that are due, and tells the owners of endpoints that were disabled. */
export async function handler(): Promise<void> {
  await wakeDueDeliveries(now(), { table: table(), invoke: invokeDelivery() });
  logInfo('owners of webhooks told', { mails: await mailOwners({ table: table(), mail }) });
  reportMetrics(await watchEndpoints(table(), now()));
}
