import type { Mailer } from '../../mail/send.ts';
import type { Invoke } from '../../runtime/job-clients.ts';
import { logError } from '../../runtime/log.ts';
import type { MetricName } from '../../runtime/metrics.ts';
import type { Table } from '../../store/table.ts';
import { lastSequence, readFeed } from '../feed.ts';
import { changeEndpoint, type Endpoint, listEndpoints } from './endpoints.ts';
import { composeWebhookNotice } from './webhook-notice.ts';

type WakeDeps = {
  readonly table: Table;
  /** Starts the delivery to one endpoint in an invocation of its own, so that a slow receiver delays no other one. */
  readonly invoke: Invoke;
};

/** Starts the delivery to the endpoints of clients that have new events. Never throws: a job looks once a minute, too. */
export async function wakeDelivery(clientIds: readonly number[], deps: WakeDeps): Promise<void> {
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
export async function wakeDueDeliveries(now: Date, deps: WakeDeps): Promise<void> {
  const endpoints = await listEndpoints(deps.table);
  const due = await Promise.all(
    endpoints.map(async (endpoint) => ((await hasEventsDue(endpoint, now, deps.table)) ? endpoint : [])),
  );
  await wake(due.flat(), deps);
}

async function hasEventsDue({ disabled, pausedUntil, dueAt, clientId, position }: Endpoint, now: Date, table: Table) {
  const time = now.toISOString();
  if (disabled !== null || (pausedUntil !== null && pausedUntil > time)) return false;
  return (dueAt !== null && dueAt <= time) || (await lastSequence(table, clientId)) > position;
}

async function wake(endpoints: readonly Endpoint[], { invoke }: WakeDeps): Promise<void> {
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

type MailDeps = { readonly table: Table; readonly mail: () => Mailer | undefined };

/**
 * Tells the owners of endpoints that the service has disabled. A mail that SES has not taken is sent again by a later run;
 * one that it may have taken is not.
 */
export async function mailOwners({ table, mail }: MailDeps): Promise<number> {
  const due = (await listEndpoints(table)).filter(({ isNoticeDue }) => isNoticeDue);
  let sent = 0;
  for (const endpoint of due) sent += await mailOwner(endpoint, { table, mail });
  return sent;
}

async function mailOwner(endpoint: Endpoint, { table, mail }: MailDeps): Promise<number> {
  const { id, clientId, ownerEmail: to, url, disabled } = endpoint;
  if (!disabled || disabled.by === 'operator') return 0;
  const mailer = mail();
  if (!mailer) return 0;
  const { sender, sellerName, send } = mailer;
  const { host } = new URL(url);
  const notice = { to, sender, sellerName, endpointId: id, host, reason: disabled.by, disabledAt: disabled.at };
  const answer = await send(await composeWebhookNotice(notice), to);
  if (answer.outcome === 'refused') {
    logError('the owner of a webhook was not told', new Error(answer.code), { clientId, endpointId: id });
    return 0;
  }
  await changeEndpoint(table, endpoint, { isNoticeDue: false });
  return 1;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;

type WebhookMetrics = Pick<
  Record<MetricName, number>,
  'webhooksDisabled' | 'webhooksGivenUp' | 'webhookBacklogMinutes'
>;

/** Counts what an operator has to know about the endpoints. */
export async function watchEndpoints(table: Table, now: Date): Promise<WebhookMetrics> {
  const endpoints = await listEndpoints(table);
  const aDayAgo = new Date(now.getTime() - DAY_MS).toISOString();
  const isDisabled = ({ disabled }: Endpoint) => disabled && disabled.by !== 'operator' && disabled.at > aDayAgo;
  const ages = await Promise.all(endpoints.map((endpoint) => backlogMs(endpoint, now, table)));
  return {
    webhooksDisabled: endpoints.filter(isDisabled).length,
    webhooksGivenUp: endpoints.filter(({ lastGivenUpAt }) => lastGivenUpAt && lastGivenUpAt > aDayAgo).length,
    webhookBacklogMinutes: Math.floor(Math.max(0, ...ages) / MINUTE_MS),
  };
}

async function backlogMs({ clientId, position, disabled }: Endpoint, now: Date, table: Table): Promise<number> {
  if (disabled) return 0;
  const [oldest] = await readFeed(table, { clientId, after: position, limit: 1 });
  return oldest ? now.getTime() - Date.parse(oldest.event.time) : 0;
}
