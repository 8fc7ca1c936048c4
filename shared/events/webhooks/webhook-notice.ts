import { composeMail, oneLine } from '../../mail/compose-mail.ts';
import type { MailSender } from '../../runtime/config.ts';

export type WebhookNotice = NoticeWords & { readonly to: string; readonly sender: MailSender };

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

type NoticeReason = 'failures' | 'gone';

type NoticeWords = {
  readonly endpointId: number;
  /** Without the path, which may contain a secret. */
  readonly host: string;
  readonly reason: NoticeReason;
  readonly disabledAt: string;
  readonly sellerName: string;
};

const REASONS: Readonly<Record<NoticeReason, string>> = {
  failures: 'Durante un día ninguno de nuestros envíos tuvo una respuesta 2xx.',
  gone: 'El servidor respondió 410 (Gone): ya no quiere recibir eventos.',
};

const toText = ({ endpointId, host, reason, disabledAt, sellerName }: NoticeWords): string =>
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
