import type { Invoke } from '../../runtime/aws/job-clients.ts';
import { logError } from '../../runtime/log.ts';
import { lastSequence } from '../../store/events/feed.ts';
import type { Table } from '../../store/table.ts';
import { type Endpoint, listEndpoints } from '../../store/webhooks/endpoints.ts';

type Deps = {
  readonly table: Table;
  /** Starts the delivery to one endpoint in an invocation of its own, so that a slow receiver delays no other one. */
  readonly invoke: Invoke;
};

/** Starts the delivery to the endpoints of clients that have new events. Never throws: a job looks once a minute, too. */
export async function wakeDelivery(clientIds: readonly number[], deps: Deps): Promise<void> {
  try {
    const endpoints = await listEndpoints(deps.table);
    await wake(
      endpoints.filter(({ clientId, disabled }) => disabled === null && clientIds.includes(clientId)),
      deps,
    );
  } catch (error) {
    logError('webhooks were not woken', error, {});
  }
}

/** Starts the delivery to the endpoints that have an event to get by now, as far as nobody else has done so. */
export async function wakeDueDeliveries(now: Date, deps: Deps): Promise<void> {
  const endpoints = await listEndpoints(deps.table);
  const due = await Promise.all(
    endpoints.map(async (endpoint) => ((await isDue(endpoint, now, deps.table)) ? endpoint : [])),
  );
  await wake(due.flat(), deps);
}

async function isDue({ disabled, pausedUntil, dueAt, clientId, position }: Endpoint, now: Date, table: Table) {
  const time = now.toISOString();
  if (disabled !== null || (pausedUntil !== null && pausedUntil > time)) return false;
  return (dueAt !== null && dueAt <= time) || (await lastSequence(table, clientId)) > position;
}

async function wake(endpoints: readonly Endpoint[], { invoke }: Deps): Promise<void> {
  await Promise.all(
    endpoints.map(async ({ clientId, id }) => {
      try {
        await invoke({ clientId, endpointId: id });
      } catch (error) {
        logError('a webhook was not woken', error, { clientId, endpointId: id });
      }
    }),
  );
}
