import { setTimeout as pause } from 'node:timers/promises';
import { logError } from '../../runtime/log.ts';
import { deliverToEndpoint } from './deliver-to-endpoint.ts';
import type { DeliveryCounts, DeliveryDeps, Run } from './endpoint-turn.ts';
import { areQueuesDue, type Endpoint, listEndpoints, readOldestNew } from './endpoints.ts';

// With 16 connections each they stay below the 1,024 file descriptors of a function.
const ENDPOINTS_AT_ONCE = 50;
// While somebody is slow, the others are looked after this often.
const LOOK_MS = 1_000;

type Limits = Pick<Run, 'endsAt'> & {
  /** The longest time to wait in all for retries that are due soon, as the next schedule is up to a minute away. */
  readonly patienceMs: number;
};

/**
 * Delivers what all endpoints have to get by now. Runs may overlap and be killed at any call:
 * - Each endpoint has a turn of its own beside the others. While one is under way, the run looks every second for endpoints
 *   with something new, so one that hangs delays no other. If 50 hang, the next run of the schedule serves the others.
 * - The events of an order are sent in turn, each once the one before is delivered or given up. Every run keeps to this by
 *   itself, so two runs may repeat events, but none arrives before its predecessor. The lease of a turn spares repetitions.
 * - An event that fails waits in the queue of its order with those behind it, and later ones are added. The position of an
 *   endpoint moves once all events of a page are finished or in queues, and a queue is only replaced as it was read.
 * - What a killed run has written, outcomes and queues, tells the next one where to go on; an event in flight is repeated.
 * Throws at the end if a turn has failed; the others have had theirs.
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
  /** The turns that are under way, by endpoint. */
  readonly turns: Map<number, Promise<void>>;
  /** The endpoints whose turns have failed, which are left to the next run. */
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

/** Returns the endpoints that may get events now and are in no other job's turn. */
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
