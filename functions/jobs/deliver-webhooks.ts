import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { deliveryDeps } from '../../shared/deps.ts';
import { deliverEvents } from '../../shared/events/webhooks/deliver-events.ts';
import { logInfo } from '../../shared/runtime/log.ts';

const wanted = z.object({ clientId: z.number(), endpointId: z.number() });

// The longest delivery with its calls to the table.
const LAST_DELIVERY_MS = 20_000;
// A retry that is due sooner is waited for; the schedule that wakes for the others comes once a minute.
const PATIENCE_MS = 10_000;

/** Delivers the events of one endpoint, until none is due. Whoever has news for it invokes this. */
export async function handler(event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> {
  const { clientId, endpointId } = wanted.parse(event);
  const endsAt = Date.now() + context.getRemainingTimeInMillis() - LAST_DELIVERY_MS;
  const counts = await deliverEvents({ clientId, id: endpointId }, deliveryDeps(), { endsAt, patienceMs: PATIENCE_MS });
  logInfo('webhooks delivered', { clientId, endpointId, ...counts });
}
