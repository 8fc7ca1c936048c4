import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../../shared/messages/status-texts.ts';
import { defineTexts, translate } from '../text.ts';
import { formatMoney } from '../ui/format.ts';
import { joinName } from './parts/people.tsx';
import { ORDER_TEXTS } from './texts.ts';
import type { OrderEvent, ShownOrder } from './use-order.ts';

const EVENT_TEXTS = defineTexts({
  created: { es: 'Creada', en: 'Created' },
  changed: { es: 'Cambiada', en: 'Changed' },
  cancelled: { es: 'Cancelada', en: 'Cancelled' },
  moved: { es: 'Estado', en: 'Status' },
  paid: { es: 'Pago', en: 'Payment' },
  payment_moved: { es: 'Pago', en: 'Payment' },
  refunded: { es: 'Reembolso', en: 'Money refunded' },
  prescription_attached: { es: 'Receta agregada', en: 'Prescription attached' },
  prescription_verified: { es: 'Receta verificada', en: 'Prescription verified' },
  prescription_age_accepted: { es: 'Antigüedad de la receta aceptada', en: 'Age of the prescription accepted' },
  prescriber_recorded: { es: 'Quien prescribe, anotado', en: 'Prescriber recorded' },
  prescription_rejected: { es: 'Receta rechazada', en: 'Prescription rejected' },
  invoiced_globally: { es: 'En la factura global', en: 'In the global invoice' },
  invoice_handled: { es: 'Factura atendida', en: 'Invoice handled' },
  invoice_mailed: { es: 'Factura enviada por correo', en: 'Invoice mailed' },
  mail_unconfirmed: { es: 'Correo sin confirmar', en: 'Mail unconfirmed' },
  mail_given_up: { es: 'Correo abandonado', en: 'Mail given up' },
  erased: { es: 'Datos del paciente borrados', en: 'Data of the patient erased' },
});

const KIND_TEXTS = defineTexts({
  invoice: { es: 'Factura', en: 'Invoice' },
  payment: { es: 'Complemento de pago', en: 'Payment complement' },
  complement: { es: 'Complemento de pago', en: 'Payment complement' },
  credit: { es: 'Nota de crédito', en: 'Credit note' },
  credit_note: { es: 'Nota de crédito', en: 'Credit note' },
});

const DOCUMENT_STATUS_TEXTS = defineTexts({
  requested: { es: 'solicitada', en: 'requested' },
  retrying: { es: 'por intentarse de nuevo', en: 'to be tried again' },
  refused: { es: 'rechazada por sus datos', en: 'refused for its data' },
  not_issued: { es: 'no emitida', en: 'not issued' },
  issued: { es: 'emitida', en: 'issued' },
  cancelling: { es: 'cancelándose', en: 'being cancelled' },
  cancellation_pending: { es: 'la cancelación espera al receptor', en: 'cancellation waits for the receiver' },
  cancellation_rejected: { es: 'cancelación rechazada', en: 'cancellation rejected' },
  cancelled: { es: 'cancelada', en: 'cancelled' },
});

type TaxDocument = ShownOrder['tax_documents'][number];
export const kindText = (kind: TaxDocument['kind']): string => translate(KIND_TEXTS[kind]);
export const documentStatusText = (status: TaxDocument['status']): string => translate(DOCUMENT_STATUS_TEXTS[status]);

const find = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** Returns what has happened in the chosen language: `Moved: Approved → In process`. */
export function eventText(event: OrderEvent): string {
  const { prescriptions = [], reason } = event;
  const details = [changeText(event), prescriptions.join(', '), reason].filter(Boolean);
  return [nameText(event), ...details].join(': ');
}

function nameText({ what }: OrderEvent): string {
  const own = find(EVENT_TEXTS, what);
  if (own) return translate(own);
  const [, kind = '', status = ''] = /^(invoice|complement|credit_note)_(\w+)$/.exec(what) ?? [];
  const [named, state] = [find(KIND_TEXTS, kind), find(DOCUMENT_STATUS_TEXTS, status)];
  return named && state ? `${translate(named)} ${translate(state)}` : what;
}

function changeText({ what, from, to }: OrderEvent): string {
  if (from === undefined || to === undefined) return '';
  if (what === 'refunded') return `${formatMoney(from)} → ${formatMoney(to)}`;
  const texts = what === 'paid' || what === 'payment_moved' ? PAYMENT_STATUS_TEXTS : ORDER_STATUS_TEXTS;
  const say = (value: string) => {
    const text = find(texts, value);
    return text ? translate(text) : value;
  };
  return `${say(from)} → ${say(to)}`;
}

/** Returns who has made a change of an order; one of its people by their name. */
export function actorText({ by }: OrderEvent, { patient, generated_by, updated_by }: ShownOrder): string {
  if (by === 'system') return translate(ORDER_TEXTS.system);
  if ('operator' in by) return by.operator;
  const known = [patient.user, generated_by, updated_by].find((person) => person?.id === by.user);
  return (known && joinName(known)) || translate(ORDER_TEXTS.user, { id: by.user });
}
