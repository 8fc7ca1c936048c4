import type { InvoiceListStatus } from '../../../../../shared/domain/invoices/invoice-status.ts';
import { type Text, translate } from '../text.ts';

type Tone = 'urgent' | 'job' | 'fine' | 'over';

/** The name of each status by which invoices are listed, the most urgent first, and its tone. */
export const INVOICE_STATUS_TEXTS: Readonly<Record<InvoiceListStatus, Text & { readonly tone: Tone }>> = {
  not_issued: { es: 'No emitida', en: 'Not issued', tone: 'urgent' },
  total_differs: { es: 'Otro total', en: 'Total differs', tone: 'urgent' },
  cancellation_rejected: { es: 'Cancelación rechazada', en: 'Cancellation rejected', tone: 'urgent' },
  pue_unpaid: { es: 'PUE sin pagar', en: 'PUE unpaid', tone: 'urgent' },
  complement_due: { es: 'Complemento por emitir', en: 'Complement due', tone: 'urgent' },
  mail_unconfirmed: { es: 'Correo sin confirmar', en: 'Mail unconfirmed', tone: 'urgent' },
  mail_given_up: { es: 'Correo no enviado', en: 'Mail given up', tone: 'urgent' },
  mail_due: { es: 'Correo por enviar', en: 'Mail due', tone: 'job' },
  requested: { es: 'Pedida', en: 'Requested', tone: 'job' },
  retrying: { es: 'Se reintenta', en: 'Retrying', tone: 'job' },
  cancelling: { es: 'Por cancelar', en: 'Cancelling', tone: 'job' },
  cancellation_pending: { es: 'Cancelación por aceptar', en: 'Cancellation pending', tone: 'job' },
  awaiting_payment: { es: 'Por pagar en su mes', en: 'Awaiting payment', tone: 'job' },
  issued: { es: 'Vigente', en: 'Valid', tone: 'fine' },
  refused: { es: 'Rechazada', en: 'Refused', tone: 'over' },
  cancelled: { es: 'Cancelada', en: 'Cancelled', tone: 'over' },
};

export const INVOICE_STATUSES = Object.keys(INVOICE_STATUS_TEXTS) as InvoiceListStatus[];

export const InvoiceStatusBadge = ({ status }: { readonly status: InvoiceListStatus }) => {
  const text = INVOICE_STATUS_TEXTS[status];
  return <span class={`badge invoice-${text.tone}`}>{translate(text)}</span>;
};
