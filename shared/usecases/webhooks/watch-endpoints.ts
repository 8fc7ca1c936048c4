import type { MetricName } from '../../runtime/metrics.ts';
import { readFeed } from '../../store/events/feed.ts';
import type { Table } from '../../store/table.ts';
import { type Endpoint, listEndpoints } from '../../store/webhooks/endpoints.ts';

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
