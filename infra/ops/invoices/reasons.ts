import type { Text } from '../../../shared/messages/say.ts';

/** Why a document was not issued, or its cancellation was rejected, by the code that is stored. */
const REASONS: Readonly<Record<string, Text>> = {
  refused: { es: 'El proveedor o el SAT rechaza sus datos.', en: 'The provider or SAT refuses its data.' },
  not_built: {
    es: 'No se pudo armar; el registro de errores dice por qué.',
    en: 'It could not be built; the log says why.',
  },
  unavailable: { es: 'El proveedor no estaba disponible.', en: 'The provider was not available.' },
  cancelled_with_provider: {
    es: 'Alguien la canceló en el portal del proveedor.',
    en: 'Somebody cancelled it at the provider.',
  },
  failed_with_provider: { es: 'El proveedor no la pudo timbrar.', en: 'The provider could not have it stamped.' },
  not_found: { es: 'La solicitud nunca llegó al proveedor.', en: 'The request never reached the provider.' },
  failed: {
    es: 'El intento falló; el registro de errores dice por qué.',
    en: 'The attempt failed; the log says why.',
  },
  global_not_issued: {
    es: 'Todavía no se emite la factura global a la que se refiere.',
    en: 'The global invoice that it refers to is not issued yet.',
  },
  invoice_cancelled: {
    es: 'Se canceló la factura a la que se refiere.',
    en: 'The invoice that it refers to was cancelled.',
  },
  invoice_cancelling: {
    es: 'Se está cancelando la factura a la que se refiere.',
    en: 'The invoice that it refers to is being cancelled.',
  },
  payment_rejected: { es: 'Se rechazó el pago de la orden.', en: 'The payment of the order was rejected.' },
  order_cancelled: { es: 'La orden está cancelada.', en: 'The order is cancelled.' },
  order_invoiced: {
    es: 'La orden ya está facturada, por sí sola o en una factura global.',
    en: 'The order is invoiced already, by itself or in a global invoice.',
  },
  invoice_in_progress: { es: 'La factura está en proceso.', en: 'The invoice is in progress.' },
  nothing_to_invoice: { es: 'El total de la orden es 0.', en: 'The total of the order is 0.' },
  invoice_window_closed: {
    es: 'Pasaron las 72 horas o el mes de la orden.',
    en: 'The 72 hours or the month of the order are over.',
  },
  rejected: { es: 'El receptor rechazó la cancelación.', en: 'The receiver rejected the cancellation.' },
  not_cancelable: {
    es: 'El SAT no permite cancelarla: otros documentos vigentes se refieren a ella, o pasó el plazo.',
    en: 'SAT does not allow it: other valid documents refer to it, or its time to be cancelled is over.',
  },
};

/** Returns the text of a reason; of a code that is not known, the code itself. */
export function explainReason(reason: string | null): Text | null {
  if (reason === null) return null;
  return REASONS[reason] ?? { es: reason, en: reason };
}
