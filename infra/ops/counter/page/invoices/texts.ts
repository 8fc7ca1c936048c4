import { defineTexts } from '../text.ts';

export const INVOICES_TEXTS = defineTexts({
  title: { es: 'Facturas', en: 'Invoices' },
  loading: { es: 'Leyendo…', en: 'Reading…' },
  show: { es: 'Mostrar', en: 'Show' },
  waiting: { es: 'Lo que espera a una persona', en: 'What waits for a person' },
  byStatus: { es: 'Por estado', en: 'By status' },
  nothingWaits: { es: 'Nada espera a una persona.', en: 'Nothing waits for a person.' },
  noneOfStatus: { es: 'Ninguna factura tiene este estado.', en: 'No invoice has this status.' },
  listedOne: { es: 'Una factura', en: 'One invoice' },
  listed: { es: '{count} facturas', en: '{count} invoices' },
  firstOnly: { es: 'Se muestran las primeras {count}.', en: 'The first {count} are shown.' },
  order: { es: 'Orden', en: 'Order' },
  client: { es: 'cliente {client}', en: 'client {client}' },
  total: { es: 'Total', en: 'Total' },
  since: { es: 'Desde', en: 'Since' },
  happened: { es: 'Qué pasó', en: 'What has happened' },
  toDo: { es: 'Qué hacer', en: 'What to do' },
  complementBy: { es: 'A más tardar el {day}.', en: 'By {day} at the latest.' },
  refresh: { es: 'Leer de nuevo', en: 'Read again' },
  actionOn: { es: '{action}: orden {folio}', en: '{action}: order {folio}' },
  done: { es: '{text} Orden {folio}.', en: '{text} Order {folio}.' },

  patient: { es: 'Paciente', en: 'Patient' },
  receiver: { es: 'Receptor', en: 'Receiver' },
  noReceiver: { es: 'sin datos de facturación', en: 'without invoicing data' },
  status: { es: 'Estado', en: 'Status' },
});
