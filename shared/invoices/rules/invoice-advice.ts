import type { Text } from '../../messages/say.ts';
import type { InvoiceAction } from './document-values.ts';
import type { InvoiceListStatus } from './invoice-status.ts';

/** The commands on invoices that may be what there is to do: `invoices issue`, … */
type InvoiceCommand = 'issue' | 'cancel' | 'replace' | 'resend' | 'handled';

/** Returns the event behind a status, and the remedy or that nothing has to be done, each in Spanish and in English. */
const advise = (es: string, en: string, remedyEs: string, remedyEn: string, commands: readonly InvoiceCommand[]) => ({
  meaning: { es, en },
  remedy: { es: remedyEs, en: remedyEn },
  commands,
});

/** The meaning and the remedy of each status of an invoice; operators, the counter and the operators' guide read it. */
export const INVOICE_ADVICE: Readonly<Record<InvoiceListStatus, ReturnType<typeof advise>>> = {
  not_issued: advise(
    'No se emitió, y ningún proceso lo vuelve a intentar.',
    'Nothing was issued, and no job tries again.',
    'Corrija lo que dice el motivo y emítala; o márquela como atendida si ya no se debe.',
    'Correct what the reason says, then issue it; or mark it as handled if it is not owed any more.',
    ['issue', 'handled'],
  ),
  total_differs: advise(
    'Se emitió con otro total que el de la orden, por un centavo o más.',
    'It was issued with another total than its order, by a cent or more.',
    'Sustitúyala; o márquela como atendida si la diferencia se acepta.',
    'Replace it; or mark it as handled if you accept the difference.',
    ['replace', 'handled'],
  ),
  form_differs: advise(
    'Dice otra forma de pago que aquella en que se cobró la orden.',
    'It says another form of payment than that in which its order was collected.',
    'Sustitúyala (RMF 2.7.1.39); o márquela como atendida.',
    'Replace it (RMF 2.7.1.39); or mark it as handled.',
    ['replace', 'handled'],
  ),
  cancellation_rejected: advise(
    'El receptor rechazó la cancelación o el SAT no la permitió: sigue vigente.',
    'The receiver rejected the cancellation, or SAT did not allow it: it is still valid.',
    'Hable con el receptor y pida de nuevo la cancelación; o márquela como atendida.',
    'Talk to the receiver, then ask for the cancellation again; or mark it as handled.',
    ['cancel', 'handled'],
  ),
  pue_unpaid: advise(
    'Dice que se paga en su mes (PUE), y no se pagó o pasó a crédito.',
    'It says paid in its month (PUE), and was not, or went to credit.',
    'Sustitúyala (RMF 2.7.1.39), también si ya se pagó; o márquela como atendida.',
    'Replace it (RMF 2.7.1.39), also if it was paid since; or mark it as handled.',
    ['replace', 'handled'],
  ),
  complement_due: advise(
    'Dice que se paga después (PPD), y la orden ya está pagada: el complemento se debe a más tardar el día 5 del mes siguiente.',
    'It says paid later (PPD), and the order is paid: its complement is due by the 5th of the next month.',
    'Nada: un proceso lo emite. Márquelo como atendido si lo emitió en otra parte.',
    'Nothing: a job issues it. Mark it as handled if you issued it elsewhere.',
    ['handled'],
  ),
  mail_unconfirmed: advise(
    'No se sabe si salió un correo.',
    'It is not known whether a mail was sent.',
    'Envíelo de nuevo; o márquelo como atendido si ya llegó.',
    'Send it again; or mark it as handled if it has arrived.',
    ['resend', 'handled'],
  ),
  mail_given_up: advise(
    'Un correo no se pudo enviar, y ningún proceso lo vuelve a intentar.',
    'A mail could not be sent, and no job tries again.',
    'Revise la dirección y envíelo de nuevo; o márquelo como atendido si lo entregó de otro modo.',
    'Check the address and send it again; or mark it as handled if you delivered it in another way.',
    ['resend', 'handled'],
  ),
  mail_due: advise(
    'Falta enviar un correo.',
    'A mail has yet to be sent.',
    'Nada: un proceso lo envía.',
    'Nothing: a job sends it.',
    ['resend'],
  ),
  requested: advise(
    'Se pidió al proveedor, y todavía no se sabe si se emitió.',
    'The provider was asked, and it is not known yet whether it was issued.',
    'Nada: un proceso lo averigua cada cinco minutos.',
    'Nothing: a job finds out every five minutes.',
    [],
  ),
  retrying: advise(
    'Todavía no se emite; un proceso lo intenta de nuevo.',
    'It is not issued yet; a job tries again.',
    'Nada; o emítala de una vez.',
    'Nothing; or issue it at once.',
    ['issue'],
  ),
  cancelling: advise(
    'Falta pedir su cancelación al proveedor.',
    'The provider has yet to be asked to cancel it.',
    'Nada: un proceso la pide.',
    'Nothing: a job asks.',
    [],
  ),
  cancellation_pending: advise(
    'El receptor todavía no acepta la cancelación.',
    'The receiver has yet to accept the cancellation.',
    'Nada; o recuérdele que la acepte en su buzón tributario.',
    "Nothing; or remind them to accept it in SAT's mailbox (buzón tributario).",
    [],
  ),
  awaiting_payment: advise(
    'Está vigente y tiene que pagarse en su mes.',
    'It is valid and has to be paid in its month.',
    'Registre el pago en cuanto se haga.',
    'Record the payment once it is made.',
    ['resend'],
  ),
  issued: advise('Está vigente.', 'It is valid.', 'Nada.', 'Nothing.', ['resend']),
  refused: advise(
    'No se emitió, y no se debe: se rechazaron sus datos y se avisó a quien la pidió, o alguien la atendió.',
    'Nothing was issued, and nothing is owed: its data were refused and whoever asked was told, or it was handled.',
    'Nada.',
    'Nothing.',
    ['issue'],
  ),
  cancelled: advise('Está cancelada.', 'It is cancelled.', 'Nada.', 'Nothing.', []),
};

/** Returns the advice on each open action of an invoice, or else on its status. */
export function adviseInvoice(status: InvoiceListStatus, waiting: readonly InvoiceAction[]) {
  const statuses: readonly InvoiceListStatus[] = waiting.length > 0 ? waiting : [status];
  return statuses.map((each) => ({ status: each, ...INVOICE_ADVICE[each] }));
}

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
  global_credit_not_issued: {
    es: 'Todavía no se emite la nota de crédito que la saca de la factura global.',
    en: 'The credit note that takes it out of the global invoice is not issued yet.',
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
  no_sender: {
    es: 'No se envían correos: la etapa no tiene remitente (`sender`). Se enviarán cuando lo tenga.',
    en: 'No mail is sent: the stage has no sender (`sender`). It is sent once there is one.',
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
