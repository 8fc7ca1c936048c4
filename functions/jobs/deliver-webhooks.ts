import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { mailPasswords } from '../../shared/access/mail-passwords.ts';
import { deliveryDeps, mail, table } from '../../shared/deps.ts';
import { deliverWebhooks } from '../../shared/events/webhooks/deliver-webhooks.ts';
import { mailOwners, watchEndpoints } from '../../shared/events/webhooks/watch-endpoints.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

// The longest delivery, including its calls to the table.
const LAST_DELIVERY_MS = 20_000;
// Waits for retries that are due sooner; others are left to the schedule, once a minute.
const PATIENCE_MS = 10_000;

/**
 * Runs on new events of feeds and every minute. Scheduled runs also mail links for passwords, before anything that may take
 * long, and the owners of disabled endpoints, and report metrics.
 */
export async function handler(
  event: Partial<DynamoDBStreamEvent>,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  if (!event.Records) {
    const mails = await mailPasswords({ table: table(), mail, now: now() });
    if (mails > 0) logInfo('links for passwords mailed', { mails });
  }
  const endsAt = Date.now() + context.getRemainingTimeInMillis() - LAST_DELIVERY_MS;
  logInfo('webhooks delivered', await deliverWebhooks(deliveryDeps(), { endsAt, patienceMs: PATIENCE_MS }));
  if (event.Records) return;
  logInfo('owners of webhooks mailed', { mails: await mailOwners({ table: table(), mail }) });
  reportMetrics(await watchEndpoints(table(), now()));
}
