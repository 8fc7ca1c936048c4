import type { OrderWait } from '../../../../../shared/domain/order-waits.ts';
import type { Text } from '../text.ts';

/** The words of the queue for what an order waits for. */
export const WAIT_TEXTS: Readonly<Record<OrderWait, Text>> = {
  prescription: { es: 'Receta', en: 'Prescription' },
  verification: { es: 'Verificar receta', en: 'Verify prescription' },
  approval: { es: 'Aprobación', en: 'Approval' },
  stock: { es: 'Existencias', en: 'Stock' },
  preparation: { es: 'Surtido', en: 'Preparation' },
  shipment: { es: 'Envío', en: 'Shipment' },
  receipt: { es: 'Entrega', en: 'Receipt' },
  payment: { es: 'Pago', en: 'Payment' },
  refund: { es: 'Reembolso', en: 'Refund' },
  invoice: { es: 'Factura', en: 'Invoice' },
};
