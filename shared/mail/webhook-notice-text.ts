/** Why the service disabled an endpoint. */
type NoticeReason = 'failures' | 'gone';

export type NoticeWords = {
  readonly endpointId: number;
  /** The name of the server, without the path, which may hold a secret. */
  readonly host: string;
  readonly reason: NoticeReason;
  readonly disabledAt: string;
  readonly sellerName: string;
};

const REASONS: Readonly<Record<NoticeReason, string>> = {
  failures: 'Durante un día ninguno de nuestros envíos tuvo una respuesta 2xx.',
  gone: 'El servidor respondió 410 (Gone): ya no quiere recibir eventos.',
};

/** Returns the plain text body of the mail to the owner of an endpoint. */
export const noticeText = ({ endpointId, host, reason, disabledAt, sellerName }: NoticeWords): string =>
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
