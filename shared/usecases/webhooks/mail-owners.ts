import type { Mailer } from '../../mail/send.ts';
import { composeWebhookNotice } from '../../mail/webhook-notice.ts';
import { logError } from '../../runtime/log.ts';
import type { Table } from '../../store/table.ts';
import { changeEndpoint, type Endpoint, listEndpoints } from '../../store/webhooks/endpoints.ts';

type Deps = { readonly table: Table; readonly mail: () => Mailer };

/**
 * Tells the owners of endpoints that the service has disabled. A mail that SES has not taken is sent again by a later run;
 * one that it may have taken is not.
 */
export async function mailOwners({ table, mail }: Deps): Promise<number> {
  const due = (await listEndpoints(table)).filter(({ isNoticeDue }) => isNoticeDue);
  let sent = 0;
  for (const endpoint of due) sent += await mailOwner(endpoint, { table, mail });
  return sent;
}

async function mailOwner(endpoint: Endpoint, { table, mail }: Deps): Promise<number> {
  const { id, clientId, ownerEmail: to, url, disabled } = endpoint;
  if (!disabled || disabled.by === 'operator') return 0;
  const { sender, sellerName, send } = mail();
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
