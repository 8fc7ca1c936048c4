import { PAYMENT_FORMS } from '../../../../shared/invoices/rules/sat-tables.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../shared/messages/status-texts.ts';
import type { OrderStatus, PaymentStatus } from '../../../../shared/order/rules/status.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { WAIT_TEXTS } from '../queue/queue-rows.ts';
import { formatMoney, formatPhone } from '../ui/format.ts';

export type ShownOrder = DocumentOf<'orders-show'>;
export type OrderEvent = ShownOrder['history'][number];
export type Prescription = ShownOrder['prescriptions'][number];
export type TaxDocument = ShownOrder['tax_documents'][number];
type Person = ShownOrder['patient']['user'];

/** Joins the parts of a text that there are. */
export const join = (parts: readonly (string | false | null | undefined)[], separator = ', '): string =>
  parts.filter(Boolean).join(separator);

export const joinName = (person: Pick<Person, 'first_name' | 'last_name' | 'second_last_name'>): string =>
  join([person.first_name, person.last_name, person.second_last_name], ' ');

const MONTHS_OF_A_CHILD = 24;

/** Returns the age of a person on a day `2026-11-23`, as doses go by it: in months below two years. */
function ageText(birthdate: string, today: string): string {
  const [year = 0, month = 0, day = 0] = birthdate.split('-').map(Number);
  const [yearNow = 0, monthNow = 0, dayNow = 0] = today.split('-').map(Number);
  const isBeforeDay = dayNow < day ? 1 : 0;
  const months = (yearNow - year) * 12 + monthNow - month - isBeforeDay;
  if (months < MONTHS_OF_A_CHILD) return months === 1 ? '1 mes' : `${months} meses`;
  return `${Math.floor(months / 12)} años`;
}

const SEXES = { M: 'masculino', F: 'femenino' } as const;

/** Returns the age and the sex of a patient, on which a dose depends; what nobody has told is named as well. */
export function patientText({ birthdate, sex }: Pick<Person, 'birthdate' | 'sex'>, today: string): string {
  const age = birthdate ? ageText(birthdate, today) : 'edad no indicada';
  return `${age}, ${sex ? `sexo ${SEXES[sex]}` : 'sexo no indicado'}`;
}

/** Returns what the record of the patient says otherwise than the order; '' if nothing does. */
export const recordText = (record: ShownOrder['patient_on_record']): string =>
  join([
    record.name,
    record.birthdate && `nacimiento ${record.birthdate}`,
    record.sex && `sexo ${SEXES[record.sex]}`,
    record.medical_condition && `alergias y padecimientos: ${record.medical_condition}`,
    record.phone && `teléfono ${formatPhone(record.phone)}`,
  ]);

type Quantity = { readonly product: number; readonly quantity: number };

/** Returns a quantity of a product by its name: `2 × Losartán`. */
const quantityText = ({ product, quantity }: Quantity, { details }: ShownOrder): string =>
  `${quantity} × ${details.find((line) => line.product === product)?.name ?? product}`;

export const quantitiesText = (quantities: readonly Quantity[], order: ShownOrder): string =>
  join(quantities.map((each) => quantityText(each, order)));

/** Returns the number of a prescription with the name of its file: `Receta 7 · receta-ana.pdf`. */
export const prescriptionName = ({ id, document_name: name }: Prescription): string =>
  join([`Receta ${id}`, name], ' · ');

export function waitText(order: ShownOrder, wait: ShownOrder['waits_for'][number]): string {
  const isOfPrescription = wait === 'prescription' || wait === 'verification';
  const { uncovered } = order.next_actions;
  if (!isOfPrescription || uncovered.length === 0) return WAIT_TEXTS[wait];
  return `${WAIT_TEXTS[wait]} (${quantitiesText(uncovered, order)})`;
}

/** True if nobody works on an order any more, so that its prescriptions are judged for good. */
const isOver = ({ order_status: status }: ShownOrder): boolean => status === 'delivered' || status === 'cancelled';

/**
 * Returns the name of what is done by verifying a prescription: that, or once the order is over, to record who prescribed it if
 * that is not known; '' if neither can be done.
 */
export function verificationText(order: ShownOrder, id: number): string {
  const { prescriptions, next_actions: next } = order;
  if (!next.verify.some(({ prescription }) => prescription === id)) return '';
  if (!isOver(order)) return 'Verificar receta';
  const isUnnamed = prescriptions.some((each) => each.id === id && each.verified_at && !each.prescriber);
  return isUnnamed ? 'Anotar quien prescribe' : '';
}

/** True if a prescription can be rejected. The rules allow another reason for one that is rejected, which nobody needs here. */
export const isRejectable = (order: ShownOrder, id: number): boolean =>
  !isOver(order) &&
  order.next_actions.reject.includes(id) &&
  order.prescriptions.some((each) => each.id === id && each.rejected_at === null);

/** True if a prescription that has come to the counter may be added: one is required, and there is a patient. */
export const isAttachable = (order: ShownOrder): boolean =>
  !isOver(order) &&
  order.patient.user.deleted_at === null &&
  order.details.some(({ requires_prescription: isRequired }) => isRequired);

const PAST_APPROVED: readonly OrderStatus[] = ['in_process', 'ready', 'shipped', 'delivered', 'delayed'];
const SETTLED: readonly PaymentStatus[] = ['paid', 'credit'];

/**
 * Returns the warning of a move that takes an order on which nobody has paid; '' without one. An order that is picked up in a
 * store may be paid there, until it is handed over.
 */
export function unpaidWarning({ payment_status: payment, store, total }: ShownOrder, to: OrderStatus): string {
  if (SETTLED.includes(payment) || !PAST_APPROVED.includes(to)) return '';
  if (store && to !== 'delivered') return '';
  return `No está pagada: ${PAYMENT_STATUS_TEXTS[payment].es}. Faltan ${formatMoney(total)} por cobrar.`;
}

/** Returns a form of SAT's c_FormaPago with its name, which is Spanish as in the law. */
export const formText = (form: string): string => join([form, PAYMENT_FORMS[form]], ' ');

/** The words for the reasons of the payment provider that are met often; others are shown as they are. */
const REJECTION_TEXTS: Readonly<Record<string, string>> = {
  expired: 'venció sin que se pagara',
  cancelled: 'se canceló',
  refused: 'el proveedor lo rechazó',
  rejected: 'el proveedor lo rechazó',
  card_declined: 'el banco no lo autorizó',
  generic_decline: 'el banco no lo autorizó',
  do_not_honor: 'el banco no lo autorizó',
  insufficient_funds: 'fondos insuficientes',
  expired_card: 'tarjeta vencida',
  incorrect_cvc: 'código de seguridad incorrecto',
  processing_error: 'error del banco al procesarlo',
  authentication_required: 'el banco pide autenticarse',
};

/** Returns the reason of a payment that was rejected, by the provider or in the words of an operator. */
export const rejectionText = (reason: string): string => find(REJECTION_TEXTS, reason) ?? reason;

const REFUND_STATUS_TEXTS = {
  pending: 'pedido al proveedor',
  succeeded: '',
  failed: 'el proveedor no pudo devolverlo',
};

/** Returns how a refund stands and what it is for: `el proveedor no pudo devolverlo, 2 × Losartán, envío`. */
export function refundedText(
  { status, parts, is_surplus }: Pick<ShownOrder['refunds'][number], 'status' | 'parts' | 'is_surplus'>,
  order: ShownOrder,
): string {
  const product = (line: number) => order.details.find(({ id }) => id === line)?.product ?? line;
  const said = parts.map(({ line, quantity }) => {
    if (line === null) return 'envío';
    return quantity > 0 ? quantityText({ product: product(line), quantity }, order) : '';
  });
  return join([REFUND_STATUS_TEXTS[status], is_surplus && 'dinero aparte del total', ...said]);
}

/** Returns what has become of the last refund of an order, as the sentence about it ends: the provider may take days. */
export const refundDoneText = (order: Pick<ShownOrder, 'refunds'> | null): string =>
  order?.refunds.at(-1)?.status === 'pending' ? 'pedido al proveedor de pagos, que aún no lo confirma' : 'registrado';

const EVENT_TEXTS = {
  created: 'Creada',
  changed: 'Cambiada',
  cancelled: 'Cancelada',
  moved: 'Estado',
  paid: 'Pago',
  payment_moved: 'Pago',
  refunded: 'Reembolso',
  payment_requested: 'Referencia de pago',
  payment_rejected: 'Pago',
  payment_not_made: 'Referencia de pago que no se pudo pedir',
  payment_mismatched: 'Dinero aparte del total',
  payment_disputed: 'Pago en disputa',
  payment_handled: 'Pago atendido',
  refund_failed: 'Reembolso fallido',
  prescription_attached: 'Receta agregada',
  prescription_verified: 'Receta verificada',
  prescription_age_accepted: 'Antigüedad de la receta aceptada',
  prescriber_recorded: 'Quien prescribe, anotado',
  prescription_rejected: 'Receta rechazada',
  invoiced_globally: 'En la factura global',
  invoice_handled: 'Factura atendida',
  invoice_mailed: 'Factura enviada por correo',
  mail_unconfirmed: 'Correo sin confirmar',
  mail_given_up: 'Correo abandonado',
  erased: 'Datos del paciente borrados',
};

export const KIND_TEXTS = {
  invoice: 'Factura',
  payment: 'Complemento de pago',
  complement: 'Complemento de pago',
  credit: 'Nota de crédito',
  credit_note: 'Nota de crédito',
};

export const DOCUMENT_STATUS_TEXTS = {
  requested: 'solicitada',
  retrying: 'por intentarse de nuevo',
  refused: 'rechazada por sus datos',
  not_issued: 'no emitida',
  issued: 'emitida',
  cancelling: 'cancelándose',
  cancellation_pending: 'la cancelación espera al receptor',
  cancellation_rejected: 'cancelación rechazada',
  cancelled: 'cancelada',
};

const find = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** Returns what has happened in words: `Estado: Aprobada → En surtido`. */
export function eventText(event: OrderEvent): string {
  const { what, prescriptions = [], reason } = event;
  const why = what === 'payment_rejected' && reason ? rejectionText(reason) : reason;
  return join([nameText(event), changeText(event), prescriptions.join(', '), why], ': ');
}

function nameText({ what }: OrderEvent): string {
  const own = find(EVENT_TEXTS, what);
  if (own) return own;
  const [, kind = '', status = ''] = /^(invoice|complement|credit_note)_(\w+)$/.exec(what) ?? [];
  const [named, state] = [find(KIND_TEXTS, kind), find(DOCUMENT_STATUS_TEXTS, status)];
  return named && state ? `${named} ${state}` : what;
}

function changeText({ what, from, to }: OrderEvent): string {
  if (from === undefined || to === undefined) return '';
  if (what === 'refunded') return `${formatMoney(from)} → ${formatMoney(to)}`;
  const texts = PAYMENT_MOVES.includes(what) ? PAYMENT_STATUS_TEXTS : ORDER_STATUS_TEXTS;
  const say = (value: string) => find<{ readonly es: string }>(texts, value)?.es ?? value;
  return `${say(from)} → ${say(to)}`;
}

const PAYMENT_MOVES: readonly OrderEvent['what'][] = ['paid', 'payment_moved', 'payment_rejected'];

/** Returns who has made a change of an order; one of its people by their name. */
export function actorText({ by }: OrderEvent, { patient, generated_by, updated_by }: ShownOrder): string {
  if (by === 'system') return 'sistema';
  if ('operator' in by) return by.operator;
  const known = [patient.user, generated_by, updated_by].find((person) => person?.id === by.user);
  return (known && joinName(known)) || `usuario ${by.user}`;
}

/** Returns what has happened to an order since a version of it, and by whom, with a key of each. */
export function listChanges(order: ShownOrder, version: number) {
  const events = order.history.filter((event) => event.version > version);
  if (events.length === 0) return [{ key: 'job', text: 'un trabajo automático la revisó.' }];
  return events.map((event) => ({
    key: `${event.version} ${event.what}`,
    text: `${eventText(event)} (${actorText(event, order)})`,
  }));
}
