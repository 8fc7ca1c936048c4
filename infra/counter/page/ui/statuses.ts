import type { InvoiceListStatus } from '../../../../shared/invoices/rules/invoice-status.ts';
import type { Text } from '../../../../shared/messages/say.ts';
import {
  CLAIM_STATUS_TEXTS,
  ORDER_STATUS_TEXTS,
  PAYMENT_STATUS_TEXTS,
} from '../../../../shared/messages/status-texts.ts';
import type { OrderWait } from '../../../../shared/order/rules/waits.ts';

/** The colour of a status in its badge and in the charts, which tell neighbours apart by a texture too. */
export type Tone = 'warning' | 'info' | 'moving' | 'success' | 'danger' | 'text-soft' | 'accent';
type Texture = 'full' | 'striped' | 'dotted';
export type Status = { readonly text: string; readonly tone: Tone; readonly texture: Texture };

const show = ({ es: text }: Text, tone: Tone, texture: Texture = 'full'): Status => ({ text, tone, texture });

export const ORDER = {
  quoted: show(ORDER_STATUS_TEXTS.quoted, 'warning', 'dotted'),
  pending_approval: show(ORDER_STATUS_TEXTS.pending_approval, 'warning', 'striped'),
  approved: show(ORDER_STATUS_TEXTS.approved, 'info'),
  in_process: show(ORDER_STATUS_TEXTS.in_process, 'info', 'striped'),
  ready: show(ORDER_STATUS_TEXTS.ready, 'moving'),
  shipped: show(ORDER_STATUS_TEXTS.shipped, 'moving', 'striped'),
  delivered: show(ORDER_STATUS_TEXTS.delivered, 'success'),
  cancelled: show(ORDER_STATUS_TEXTS.cancelled, 'text-soft', 'dotted'),
  delayed: show(ORDER_STATUS_TEXTS.delayed, 'danger', 'striped'),
  shortage: show(ORDER_STATUS_TEXTS.shortage, 'danger'),
};

export const PAYMENT = {
  unpaid: show(PAYMENT_STATUS_TEXTS.unpaid, 'warning', 'striped'),
  credit: show(PAYMENT_STATUS_TEXTS.credit, 'info', 'dotted'),
  paid: show(PAYMENT_STATUS_TEXTS.paid, 'success'),
  in_process: show(PAYMENT_STATUS_TEXTS.in_process, 'moving', 'striped'),
  processing: show(PAYMENT_STATUS_TEXTS.processing, 'moving'),
  rejected: show(PAYMENT_STATUS_TEXTS.rejected, 'danger', 'dotted'),
};

export const CLAIM = {
  not_started: show(CLAIM_STATUS_TEXTS.not_started, 'text-soft'),
  missing_data: show(CLAIM_STATUS_TEXTS.missing_data, 'warning'),
  sent_to_broker: show(CLAIM_STATUS_TEXTS.sent_to_broker, 'moving'),
  sent_to_insurer: show(CLAIM_STATUS_TEXTS.sent_to_insurer, 'moving', 'striped'),
  approved_by_insurer: show(CLAIM_STATUS_TEXTS.approved_by_insurer, 'success'),
};

export const INVOICE: Readonly<Record<InvoiceListStatus, Omit<Status, 'texture'>>> = {
  not_issued: { text: 'No emitida', tone: 'warning' },
  total_differs: { text: 'Otro total', tone: 'warning' },
  form_differs: { text: 'Otra forma de pago', tone: 'warning' },
  cancellation_rejected: { text: 'Cancelación rechazada', tone: 'warning' },
  pue_unpaid: { text: 'PUE sin pagar', tone: 'warning' },
  complement_due: { text: 'Complemento por emitir', tone: 'warning' },
  mail_unconfirmed: { text: 'Correo sin confirmar', tone: 'warning' },
  mail_given_up: { text: 'Correo no enviado', tone: 'warning' },
  mail_due: { text: 'Correo por enviar', tone: 'info' },
  requested: { text: 'Pedida', tone: 'info' },
  retrying: { text: 'Se reintenta', tone: 'info' },
  cancelling: { text: 'Por cancelar', tone: 'info' },
  cancellation_pending: { text: 'Cancelación por aceptar', tone: 'info' },
  awaiting_payment: { text: 'Por pagar en su mes', tone: 'info' },
  issued: { text: 'Vigente', tone: 'success' },
  refused: { text: 'Rechazada', tone: 'text-soft' },
  cancelled: { text: 'Cancelada', tone: 'text-soft' },
};

export const WAITS: Readonly<Record<OrderWait, string>> = {
  prescription: 'Receta',
  verification: 'Verificar receta',
  approval: 'Aprobación',
  stock: 'Existencias',
  preparation: 'Surtido',
  shipment: 'Envío',
  receipt: 'Entrega',
  refunded: 'Reembolsada',
  payment: 'Pago',
  refund: 'Reembolso',
  invoice: 'Factura',
};

export const PAYMENT_ATTEMPT = {
  requested: 'por pedir al proveedor',
  open: 'por pagar',
  processing: 'en proceso',
  paid: 'pagado',
  failed: 'rechazado',
  expired: 'vencido',
  cancelled: 'cancelado',
  not_made: 'no se pudo pedir',
};

export const REFUND = { pending: 'pedido al proveedor', succeeded: '', failed: 'el proveedor no pudo devolverlo' };

/** Returns the style of a tone, which is a colour of the style sheet, of which some have a ground. */
export const toStyle = (tone: Tone) => ({ '--tone': `var(--${tone})`, '--tone-ground': `var(--${tone}-ground)` });
