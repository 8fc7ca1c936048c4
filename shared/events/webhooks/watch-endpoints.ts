import type { Mailer } from '../../mail/send.ts';
import { logError } from '../../runtime/log.ts';
import type { MetricName } from '../../runtime/metrics.ts';
import type { Table } from '../../store/table.ts';
import { changeEndpoint, type Endpoint, listEndpoints, readOldestNew } from './endpoints.ts';
import { composeWebhookNotice } from './webhook-notice.ts';

type MailDeps = { readonly table: Table; readonly mail: () => Mailer | undefined };

/** Mails the owners of endpoints that the service has disabled. A refused mail is retried by a later run. */
export async function mailOwners({ table, mail }: MailDeps): Promise<number> {
  const due = (await listEndpoints(table)).filter(({ isNoticeDue }) => isNoticeDue);
  let mails = 0;
  for (const endpoint of due) mails += await mailOwner(endpoint, { table, mail });
  return mails;
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
    logError('the owner of a webhook was not mailed', new Error(answer.code), { clientId, endpointId: id });
    return 0;
  }
  await changeEndpoint(table, endpoint, { isNoticeDue: false });
  return 1;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60 * 1_000;

export async function watchEndpoints(table: Table, now: Date): Promise<Partial<Record<MetricName, number>>> {
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

async function backlogMs(endpoint: Endpoint, now: Date, table: Table): Promise<number> {
  const oldest = endpoint.disabled ? undefined : await readOldestNew(table, endpoint);
  return oldest ? now.getTime() - Date.parse(oldest.event.time) : 0;
}
