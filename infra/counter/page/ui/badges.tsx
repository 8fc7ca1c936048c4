import type { InvoiceListStatus } from '../../../../shared/invoices/rules/invoice-status.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../shared/messages/status-texts.ts';
import type { OrderStatus, PaymentStatus } from '../../../../shared/order/rules/status.ts';

export const orderStatusText = (status: OrderStatus): string => ORDER_STATUS_TEXTS[status].es;
export const paymentStatusText = (status: PaymentStatus): string => PAYMENT_STATUS_TEXTS[status].es;

export const OrderStatusBadge = ({ status }: { readonly status: OrderStatus }) => (
  <span class={`badge order-${status}`}>{orderStatusText(status)}</span>
);

export const PaymentStatusBadge = ({ status }: { readonly status: PaymentStatus }) => (
  <span class={`badge payment-${status}`}>{paymentStatusText(status)}</span>
);

/** The name of each status by which invoices are listed, the most urgent first, and its tone. */
export const INVOICE_STATUSES = {
  not_issued: { text: 'No emitida', tone: 'urgent' },
  total_differs: { text: 'Otro total', tone: 'urgent' },
  form_differs: { text: 'Otra forma de pago', tone: 'urgent' },
  cancellation_rejected: { text: 'Cancelación rechazada', tone: 'urgent' },
  pue_unpaid: { text: 'PUE sin pagar', tone: 'urgent' },
  complement_due: { text: 'Complemento por emitir', tone: 'urgent' },
  mail_unconfirmed: { text: 'Correo sin confirmar', tone: 'urgent' },
  mail_given_up: { text: 'Correo no enviado', tone: 'urgent' },
  mail_due: { text: 'Correo por enviar', tone: 'job' },
  requested: { text: 'Pedida', tone: 'job' },
  retrying: { text: 'Se reintenta', tone: 'job' },
  cancelling: { text: 'Por cancelar', tone: 'job' },
  cancellation_pending: { text: 'Cancelación por aceptar', tone: 'job' },
  awaiting_payment: { text: 'Por pagar en su mes', tone: 'job' },
  issued: { text: 'Vigente', tone: 'fine' },
  refused: { text: 'Rechazada', tone: 'over' },
  cancelled: { text: 'Cancelada', tone: 'over' },
} as const satisfies Readonly<Record<InvoiceListStatus, { text: string; tone: string }>>;

export const InvoiceStatusBadge = ({ status }: { readonly status: InvoiceListStatus }) => {
  const { text, tone } = INVOICE_STATUSES[status];
  return <span class={`badge invoice-${tone}`}>{text}</span>;
};
