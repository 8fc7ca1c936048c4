import { setTimeout as pause } from 'node:timers/promises';
import { logError } from '../../runtime/log.ts';
import { deliverToEndpoint } from './deliver-to-endpoint.ts';
import type { DeliveryCounts, DeliveryDeps, Run } from './endpoint-turn.ts';
import { areQueuesDue, type Endpoint, listEndpoints, readOldestNew } from './endpoints.ts';

// With 16 connections each they stay below a function's 1,024 file descriptors.
const ENDPOINTS_AT_ONCE = 50;
// How often the run looks for due endpoints while others are slow.
const LOOK_MS = 1_000;

type Limits = Pick<Run, 'endsAt'> & {
  /** The total wait for retries that are due soon, as the next scheduled run is up to a minute away. */
  readonly patienceMs: number;
};

/**
 * Delivers the pending events of all endpoints. Runs may overlap and be killed at any call:
 * - Each endpoint has its own turn in parallel. Meanwhile the run looks every second for due endpoints, so a slow one delays no
 *   other. If 50 are slow, the next scheduled run serves the rest.
 * - An order's events are sent in sequence, each after the one before is delivered or given up. Each run keeps this order by
 *   itself: two runs may repeat events, which leases make rare, but never overtake.
 * - A failed event waits in its order's queue with all later ones. An endpoint's position moves once all events of a page are
 *   finished or queued, and a queue is only replaced if it has not changed.
 * - The next run continues from the stored outcomes and queues; an event in flight is repeated.
 * Throws at the end if a turn has failed.
 */
export async function deliverWebhooks(deps: DeliveryDeps, { endsAt, patienceMs }: Limits): Promise<DeliveryCounts> {
  const run: Turns = {
    deps,
    endsAt,
    counts: { delivered: 0, failed: 0, givenUp: 0 },
    turns: new Map(),
    failures: new Set(),
  };
  const { turns, failures } = run;
  try {
    for (let patience = patienceMs; Date.now() < endsAt; ) {
      const idle = (await listOpen(deps)).filter(({ id }) => !turns.has(id) && !failures.has(id));
      const due = await filterDue(idle, deps);
      for (const endpoint of due.slice(0, ENDPOINTS_AT_ONCE - turns.size)) startTurn(run, endpoint);
      if (turns.size === 0) {
        const soon = new Date(deps.now().getTime() + patience);
        if (!idle.some((endpoint) => areQueuesDue(endpoint, soon))) break;
        patience -= LOOK_MS;
      }
      await Promise.race([pause(LOOK_MS), ...(turns.size > 0 ? [Promise.all(turns.values())] : [])]);
    }
  } finally {
    await Promise.all(turns.values());
  }
  if (failures.size > 0) throw new Error(`webhooks of ${failures.size} endpoints were not delivered`);
  return run.counts;
}

type Turns = Run & {
  readonly turns: Map<number, Promise<void>>;
  /** Endpoints whose turn has failed wait for the next run. */
  readonly failures: Set<number>;
};

function startTurn({ turns, failures, ...run }: Turns, { clientId, id }: Endpoint): void {
  const turn = deliverToEndpoint({ clientId, id }, run)
    .catch((error: unknown) => {
      logError('webhooks were not delivered', error, { clientId, endpointId: id });
      failures.add(id);
    })
    .finally(() => turns.delete(id));
  turns.set(id, turn);
}

async function listOpen({ table, now }: DeliveryDeps): Promise<Endpoint[]> {
  const time = now().toISOString();
  const isOver = (end: string | null): boolean => end === null || end <= time;
  return (await listEndpoints(table)).filter(
    ({ disabled, pausedUntil, leaseUntil }) => disabled === null && isOver(pausedUntil) && isOver(leaseUntil),
  );
}

async function filterDue(endpoints: readonly Endpoint[], { table, now }: DeliveryDeps): Promise<Endpoint[]> {
  const isDue = async (endpoint: Endpoint) =>
    areQueuesDue(endpoint, now()) || (await readOldestNew(table, endpoint)) !== undefined;
  const due = await Promise.all(endpoints.map(isDue));
  return endpoints.filter((_, index) => due[index]);
}
