import type { Text } from './say.ts';

export const ORDER_STATUS_TEXTS = {
  quoted: { es: 'Cotizada', en: 'Quoted' },
  pending_approval: { es: 'Por aprobar', en: 'Pending approval' },
  approved: { es: 'Aprobada', en: 'Approved' },
  in_process: { es: 'En surtido', en: 'In process' },
  ready: { es: 'Lista', en: 'Ready' },
  shipped: { es: 'Enviada', en: 'Shipped' },
  delivered: { es: 'Entregada', en: 'Delivered' },
  cancelled: { es: 'Cancelada', en: 'Cancelled' },
  delayed: { es: 'Retrasada', en: 'Delayed' },
  shortage: { es: 'Con faltantes', en: 'Shortage' },
} satisfies Readonly<Record<string, Text>>;

export const PAYMENT_STATUS_TEXTS = {
  unpaid: { es: 'Sin pagar', en: 'Unpaid' },
  credit: { es: 'A crédito', en: 'On credit' },
  paid: { es: 'Pagada', en: 'Paid' },
  in_process: { es: 'Pago en curso', en: 'Payment in process' },
  processing: { es: 'Pago por confirmar', en: 'Payment processing' },
  rejected: { es: 'Pago rechazado', en: 'Payment rejected' },
} satisfies Readonly<Record<string, Text>>;

export const CLAIM_STATUS_TEXTS = {
  not_started: { es: 'Sin iniciar', en: 'Not started' },
  missing_data: { es: 'Faltan datos', en: 'Missing data' },
  sent_to_broker: { es: 'Enviada al agente', en: 'Sent to broker' },
  sent_to_insurer: { es: 'Enviada a la aseguradora', en: 'Sent to insurer' },
  approved_by_insurer: { es: 'Aprobada por la aseguradora', en: 'Approved by insurer' },
} satisfies Readonly<Record<string, Text>>;

export type StatusTexts<Status extends string> = Readonly<Record<Status, Text>>;

/** Quotes a status for an operator: as the counter shows it, or as the terminal takes it. */
export const quoteStatus = <Status extends string>(status: Status, texts: StatusTexts<Status>): Text => ({
  es: `«${texts[status].es}»`,
  en: status,
});
