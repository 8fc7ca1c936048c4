import { setTimeout as pause } from 'node:timers/promises';
import { readFeed } from '../../store/events/feed.ts';
import { type EndpointKey, getEndpoint } from '../../store/webhooks/endpoints.ts';
import { firstDueLanes } from '../../store/webhooks/lanes.ts';
import { Lease, LeaseLost } from '../../store/webhooks/lease.ts';
import { Lanes } from './deliver-lanes.ts';
import { deliverPage } from './deliver-page.ts';
import { type DeliveryCounts, type DeliveryDeps, Worker } from './worker.ts';

const PAGE = 100;

type Limits = {
  /** The time, as of `Date.now()`, after which no more events are sent. */
  readonly endsAt: number;
  /** The longest time to wait in all for retries that are due soon, as the next schedule is up to a minute away. */
  readonly patienceMs: number;
};

/**
 * Delivers what an endpoint is to get: new events of its client, and retries that are due. Does nothing while another worker
 * is at it; that one looks once more after it has released the lease, so that no event is left behind. Returns what was sent.
 */
export async function deliverEvents(
  key: EndpointKey,
  deps: DeliveryDeps,
  { endsAt, patienceMs }: Limits,
): Promise<DeliveryCounts> {
  const counts = { delivered: 0, failed: 0, givenUp: 0 };
  let patience = patienceMs;
  while (Date.now() < endsAt) {
    const taken = await Lease.take(deps.table, key, deps.now);
    if (!taken) break;
    await workOff(new Worker(taken, deps, { endsAt, counts }));
    const waitMs = await millisecondsToWork(key, deps);
    if (waitMs > patience) break;
    patience -= waitMs;
    if (waitMs > 0) await pause(waitMs);
  }
  return counts;
}

async function workOff(worker: Worker): Promise<void> {
  const { table } = worker.deps;
  const { clientId } = worker.endpoint;
  try {
    const lanes = new Lanes(worker);
    while (!worker.isStopped) {
      const events = await readFeed(table, { clientId, after: worker.endpoint.position, limit: PAGE });
      const due = await lanes.readDue();
      if (events.length === 0 && due.size === 0) break;
      await deliverPage(worker, lanes, { events, due });
    }
    await worker.lease.release({ dueAt: lanes.nextDueAt });
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** Returns how long it is until the endpoint has to get something; 0 for now, Infinity for nothing, or nothing soon. */
async function millisecondsToWork({ clientId, id }: EndpointKey, { table, now }: DeliveryDeps): Promise<number> {
  const endpoint = await getEndpoint(table, { clientId, id });
  if (!endpoint || endpoint.disabled) return Number.POSITIVE_INFINITY;
  const [unread] = await readFeed(table, { clientId, after: endpoint.position, limit: 1 });
  const [due] = await firstDueLanes(table, id, 1);
  const { pausedUntil } = endpoint;
  const [first] = [...(unread ? [now().toISOString()] : []), ...(due ? [due.dueAt] : [])].sort();
  if (first === undefined) return Number.POSITIVE_INFINITY;
  const next = pausedUntil !== null && pausedUntil > first ? pausedUntil : first;
  return Math.max(0, Date.parse(next) - now().getTime());
}
