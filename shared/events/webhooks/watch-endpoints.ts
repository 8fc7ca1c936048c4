import { composeMail, oneLine } from '../../mail/compose-mail.ts';
import type { Mailer } from '../../mail/send.ts';
import type { MailSender } from '../../runtime/config.ts';
import { logError } from '../../runtime/log.ts';
import type { MetricName } from '../../runtime/metrics.ts';
import type { Table } from '../../store/table.ts';
import { changeEndpoint, type Endpoint, listEndpoints, readOldestNew } from './endpoints.ts';

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

export type WebhookNotice = {
  readonly to: string;
  readonly sender: MailSender;
  readonly sellerName: string;
  readonly endpointId: number;
  /** Without the path, which may contain a secret. */
  readonly host: string;
  readonly reason: keyof typeof REASONS;
  readonly disabledAt: string;
};

/** Throws RangeError as `composeMail` does. */
export function composeWebhookNotice(notice: WebhookNotice): Promise<Uint8Array> {
  const { to, sender, endpointId, disabledAt } = notice;
  const sellerName = oneLine(notice.sellerName);
  return composeMail({
    to,
    sender,
    subject: `Webhook ${endpointId} desactivado – ${sellerName}`,
    reference: `webhook ${endpointId} ${disabledAt}`,
    text: toText({ ...notice, sellerName }),
  });
}

const REASONS = {
  failures: 'Durante un día ninguno de nuestros envíos tuvo una respuesta 2xx.',
  gone: 'El servidor respondió 410 (Gone): ya no quiere recibir eventos.',
} as const;

const toText = ({ endpointId, host, reason, disabledAt, sellerName }: WebhookNotice): string =>
  `Hola:

Desactivamos el webhook ${endpointId} (${host}) el ${disabledAt}.

${REASONS[reason]} Ya no le enviamos eventos.

Los eventos de los últimos 30 días se conservan: puede leerlos en /api/events/. Cuando el servidor vuelva a responder,
pídanos activar el webhook; le enviaremos los eventos pendientes en su orden.

Saludos,
${sellerName}

Recibe este correo porque esta dirección se indicó como responsable del webhook. Si no fue usted, responda a este correo
y díganoslo.
`;
