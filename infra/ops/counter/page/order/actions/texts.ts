import { defineTexts } from '../../text.ts';

export const ACTION_TEXTS = defineTexts({
  actions: { es: 'Acciones', en: 'Actions' },
  verify: { es: 'Verificar receta', en: 'Verify prescription' },
  reject: { es: 'Rechazar receta', en: 'Reject prescription' },
  next: { es: 'Siguiente paso', en: 'Next step' },
  move: { es: 'Cambiar estado…', en: 'Change status…' },
  moveTitle: { es: 'Cambiar el estado de la orden', en: 'Change the status of the order' },
  pay: { es: 'Pago…', en: 'Payment…' },
  payTitle: { es: 'Cambiar el estado del pago', en: 'Change the status of the payment' },
  refund: { es: 'Reembolsar', en: 'Refund' },
  invoice: { es: 'Factura…', en: 'Invoice…' },
  invoiceTitle: { es: 'Qué hacer con la factura', en: 'What to do with the invoice' },
  cancel: { es: 'No hacer nada', en: 'Do nothing' },
  checkFields: { es: 'Revise los campos marcados.', en: 'Check the marked fields.' },
  tryAgain: {
    es: 'Lo escrito sigue aquí; si todavía vale, envíelo de nuevo.',
    en: 'What you wrote is still here; if it still holds, send it again.',
  },
  notAllowed: {
    es: 'La orden, como está ahora, ya no lo permite: elija otra cosa, o cierre el formulario.',
    en: 'The order, as it is now, no longer allows this: choose something else, or close the form.',
  },
  to: { es: 'Nuevo estado', en: 'New status' },
  chooseOne: { es: 'Elija uno', en: 'Choose one' },
  noStatus: { es: 'Elija el nuevo estado.', en: 'Choose the new status.' },
  cancelsForGood: {
    es: 'Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.',
    en: 'A cancelled order stays so: its invoice is cancelled, and what was paid is to be refunded.',
  },
  prescriber: { es: 'Nombre de quien prescribe', en: 'Name of the prescriber' },
  licence: { es: 'Cédula profesional', en: 'Professional licence (cédula)' },
  address: { es: 'Domicilio de quien prescribe', en: 'Address of the prescriber' },
  prescriberHint: {
    es: 'Para el registro; puede anotarse después al verificar de nuevo.',
    en: 'For the register; it may be noted later by verifying again.',
  },
  noPrescriber: {
    es: 'Quien prescribe ya está anotado: escriba a quién anotar en su lugar.',
    en: 'The prescriber is recorded already: write whom to record instead.',
  },
  acceptAge: {
    es: 'Aceptar que se expidió hace más tiempo del permitido',
    en: 'Accept that it was issued longer ago than allowed',
  },
  tooOld: {
    es: 'Se expidió hace más tiempo del permitido: márquelo para aceptarlo, o rechace la receta.',
    en: 'It was issued longer ago than allowed: tick the box to accept that, or reject the prescription.',
  },
  verifiesFor: { es: 'Se verifica para: {products}', en: 'It is verified for: {products}' },
  reason: { es: 'Motivo', en: 'Reason' },
  form: { es: 'Forma de pago (SAT)', en: 'Payment form (SAT)' },
  formOfMethod: { es: 'La del método de pago', en: 'That of the payment method' },
  chooseForm: { es: 'Elija una', en: 'Choose one' },
  amount: { es: 'Importe', en: 'Amount' },
  atMost: { es: 'A lo más {amount}', en: 'At most {amount}' },
  issue: { es: 'Emitir lo que no se emitió', en: 'Issue what was not issued' },
  cancelInvoice: { es: 'Pedir de nuevo la cancelación', en: 'Ask for the cancellation again' },
  replace: { es: 'Sustituir la factura', en: 'Replace the invoice' },
  credit: { es: 'Nota de crédito', en: 'Credit note' },
  resend: { es: 'Enviar de nuevo el correo', en: 'Send the mail again' },
  handled: { es: 'Marcar como atendida', en: 'Mark as handled' },
  issueMeaning: {
    es: 'Se emite ahora lo que no se ha emitido de la orden, con la fecha de hoy, y se manda por correo.',
    en: 'What was not issued of the order is issued now, with the date of today, and mailed.',
  },
  correctHere: {
    es: 'Si el motivo fue un dato del receptor, corríjalo aquí.',
    en: 'If the reason was a fact about the receiver, correct it here.',
  },
  cancelMeaning: {
    es: 'Se pide de nuevo la cancelación al SAT. El receptor puede tener que aceptarla.',
    en: 'SAT is asked again for the cancellation. The receiver may have to accept it.',
  },
  replaceMeaning: {
    es: 'Se emite otra factura con el pago de hoy y con lo que se corrija aquí. La presente vale hasta entonces; después se cancela (motivo 01).',
    en: 'Another invoice is issued with the payment of today and with what is corrected here. The present one is valid until then, and is cancelled afterwards (motive 01).',
  },
  resendMeaning: {
    es: 'Se mandan ahora los correos que quizá no llegaron, o de nuevo el de la factura.',
    en: 'The mails that may not have arrived are sent now, or that of the invoice again.',
  },
  handledMeaning: {
    es: 'Se registra que alguien ya hizo lo que esperaba. No se emite ni se cancela nada.',
    en: 'It is recorded that somebody has done what it waited for. Nothing is issued or cancelled.',
  },
  handledActions: { es: 'Queda como atendido:', en: 'This is marked as handled:' },
  rfc: { es: 'RFC', en: 'RFC' },
  fullName: { es: 'Nombre o razón social', en: 'Name' },
  fiscalRegime: { es: 'Régimen fiscal', en: 'Fiscal regime' },
  cfdiUse: { es: 'Uso del CFDI', en: 'CFDI use' },
  zipcode: { es: 'Código postal', en: 'Zip code' },
  email: { es: 'Correo', en: 'E-mail' },
  done: { es: '{action}: hecho.', en: '{action}: done.' },
  moved: { es: 'La orden ahora está: {status}.', en: 'The order is now: {status}.' },
  paid: { es: 'Estado del pago: {status}.', en: 'Status of the payment: {status}.' },
  verified: { es: 'Receta {id} verificada.', en: 'Prescription {id} is verified.' },
  rejected: { es: 'Receta {id} rechazada.', en: 'Prescription {id} is rejected.' },
  refunded: { es: 'Reembolso de {amount} registrado.', en: 'The refund of {amount} is recorded.' },
  copies: {
    es: 'El documento de la receta {id} está también en:',
    en: 'The document of prescription {id} is also in:',
  },
  copy: { es: 'orden {order}, receta {copy}', en: 'order {order}, prescription {copy}' },
  rejectedCopy: {
    es: 'orden {order}, receta {copy}, que se rechazó',
    en: 'order {order}, prescription {copy}, which was rejected',
  },
  partly: {
    es: 'No todo quedó hecho; el estado de la factura dice el motivo.',
    en: 'Not everything is done; the status of the invoice says why.',
  },
});

/** The names of the next steps, by the status that they lead to. */
export const STEP_TEXTS = defineTexts({
  approved: { es: 'Aprobar', en: 'Approve' },
  in_process: { es: 'Surtir', en: 'Prepare' },
  ready: { es: 'Marcar lista', en: 'Mark as ready' },
  shipped: { es: 'Enviar', en: 'Ship' },
  delivered: { es: 'Entregar', en: 'Deliver' },
});
