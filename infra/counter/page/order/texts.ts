import { PAYMENT_FORMS } from '../../../../shared/invoices/rules/sat-tables.ts';
import { isFinished, type OrderStatus } from '../../../../shared/order/rules/status.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { formatMoney, formatPhone } from '../ui/format.ts';
import { CLAIM, INVOICE, ORDER, PAYMENT, REFUND, WAITS } from '../ui/statuses.ts';

export type ShownOrder = DocumentOf<'orders-show'>;
export type OrderEvent = ShownOrder['history'][number];
export type Prescription = ShownOrder['prescriptions'][number];
export type TaxDocument = ShownOrder['tax_documents'][number];
type Person = ShownOrder['patient']['user'];

export const join = (parts: readonly (string | false | null | undefined)[], separator = ', '): string =>
  parts.filter(Boolean).join(separator);

export const joinName = (person: Pick<Person, 'first_name' | 'last_name' | 'second_last_name'>): string =>
  join([person.first_name, person.last_name, person.second_last_name], ' ');

const MONTHS_OF_A_CHILD = 24;

// Doses go by the age of a patient, below two years in months.
function ageText(birthdate: string, today: string): string {
  const [year = 0, month = 0, day = 0] = birthdate.split('-').map(Number);
  const [yearNow = 0, monthNow = 0, dayNow = 0] = today.split('-').map(Number);
  const months = (yearNow - year) * 12 + monthNow - month - (dayNow < day ? 1 : 0);
  if (months < MONTHS_OF_A_CHILD) return months === 1 ? '1 mes' : `${months} meses`;
  return `${Math.floor(months / 12)} años`;
}

const SEXES = { M: 'masculino', F: 'femenino' } as const;

export function patientText({ birthdate, sex }: Pick<Person, 'birthdate' | 'sex'>, today: string): string {
  const age = birthdate ? ageText(birthdate, today) : 'edad no indicada';
  return `${age}, ${sex ? `sexo ${SEXES[sex]}` : 'sexo no indicado'}`;
}

/** Returns where the patient's record differs from the order; '' if nowhere. */
export const recordText = (record: ShownOrder['patient_on_record']): string =>
  join([
    record.name,
    record.birthdate && `nacimiento ${record.birthdate}`,
    record.sex && `sexo ${SEXES[record.sex]}`,
    record.medical_condition && `alergias y padecimientos: ${record.medical_condition}`,
    record.phone && `teléfono ${formatPhone(record.phone)}`,
  ]);

type Quantity = { readonly product: number; readonly quantity: number };

export const quantitiesText = (quantities: readonly Quantity[], { details }: ShownOrder): string =>
  join(
    quantities.map(
      ({ product, quantity }) => `${quantity} × ${details.find((line) => line.product === product)?.name ?? product}`,
    ),
  );

export function waitText(order: ShownOrder, wait: ShownOrder['waits_for'][number]): string {
  const { uncovered } = order.next_actions;
  const isOfPrescription = wait === 'prescription' || wait === 'verification';
  return isOfPrescription && uncovered.length > 0
    ? `${WAITS[wait]} (${quantitiesText(uncovered, order)})`
    : WAITS[wait];
}

export const findVerifiable = ({ next_actions: next }: ShownOrder, id: number) =>
  next.verify.find(({ prescription }) => prescription === id);

/** Returns the name of the act of verifying a prescription, or, once the order is over, of recording an unknown prescriber; or ''. */
export function verificationText(order: ShownOrder, id: number): string {
  if (!findVerifiable(order, id)) return '';
  if (!isFinished(order.order_status)) return 'Verificar receta';
  const isUnnamed = order.prescriptions.some((each) => each.id === id && each.verified_at && !each.prescriber);
  return isUnnamed ? 'Anotar quien prescribe' : '';
}

/** The rules also allow a new reason for a rejected prescription, which nobody needs here. */
export const isRejectable = (order: ShownOrder, id: number): boolean =>
  !isFinished(order.order_status) &&
  order.next_actions.reject.includes(id) &&
  order.prescriptions.some((each) => each.id === id && each.rejected_at === null);

/** True if the order needs a prescription and still has a patient, so that one brought to the counter can be added. */
export const isAttachable = ({ order_status: status, patient, details }: ShownOrder): boolean =>
  !isFinished(status) && patient.user.deleted_at === null && details.some((line) => line.requires_prescription);

const PAST_APPROVED: readonly OrderStatus[] = ['in_process', 'ready', 'shipped', 'delivered', 'delayed'];

/** Returns a warning if a move takes an unpaid order further; one for pickup may be paid in the store until it is handed over. */
export function unpaidWarning({ payment_status: payment, store, total }: ShownOrder, to: OrderStatus): string {
  if (payment === 'paid' || payment === 'credit' || !PAST_APPROVED.includes(to)) return '';
  if (store && to !== 'delivered') return '';
  return `No está pagada: ${PAYMENT[payment].text}. Faltan ${formatMoney(total)} por cobrar.`;
}

export const formText = (form: string): string => join([form, PAYMENT_FORMS[form]], ' ');

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

export const rejectionText = (reason: string): string => find(REJECTION_TEXTS, reason) ?? reason;

/** Returns the status of a refund and what it pays back: `el proveedor no pudo devolverlo, 2 × Losartán, envío`. */
export function refundedText({ status, parts, is_surplus }: ShownOrder['refunds'][number], order: ShownOrder): string {
  const texts = parts.map(({ line, quantity }) => {
    if (line === null) return 'envío';
    const product = order.details.find(({ id }) => id === line)?.product ?? line;
    return quantity > 0 && quantitiesText([{ product, quantity }], order);
  });
  return join([REFUND[status], is_surplus && 'dinero aparte del total', ...texts]);
}

const EVENT_TEXTS = {
  created: 'Creada',
  changed: 'Cambiada',
  tagged: 'Etiquetas cambiadas',
  claim_moved: 'Reclamación',
  noted: 'Nota agregada',
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
  global_credit: 'Nota de crédito de la factura global',
};

const find = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

export function eventText(event: OrderEvent): string {
  const { what, prescriptions = [], reason } = event;
  const why = what === 'payment_rejected' && reason ? rejectionText(reason) : reason;
  return join([nameText(what), changeText(event), prescriptions.join(', '), why], ': ');
}

function nameText(what: string): string {
  const own = find(EVENT_TEXTS, what);
  if (own) return own;
  const [, kind = '', status = ''] = /^(invoice|complement|credit_note)_(\w+)$/.exec(what) ?? [];
  const [name, state] = [find(KIND_TEXTS, kind), find<{ readonly text: string }>(INVOICE, status)];
  return name && state ? `${name}: ${state.text}` : what;
}

function changeText({ what, from, to }: OrderEvent): string {
  if (from === undefined || to === undefined) return '';
  if (what === 'refunded') return `${formatMoney(from)} → ${formatMoney(to)}`;
  const isOfPayment = ['paid', 'payment_moved', 'payment_rejected'].includes(what);
  const statuses = isOfPayment ? PAYMENT : what === 'claim_moved' ? CLAIM : ORDER;
  const say = (value: string) => find<{ readonly text: string }>(statuses, value)?.text ?? value;
  return `${say(from)} → ${say(to)}`;
}

export function actorText({ by }: OrderEvent, { patient, generated_by, updated_by }: ShownOrder): string {
  if (by === 'system') return 'sistema';
  if ('operator' in by) return by.operator;
  const person = [patient.user, generated_by, updated_by].find((each) => each?.id === by.user);
  return (person && joinName(person)) || `usuario ${by.user}`;
}

export function listChanges(order: ShownOrder, version: number): readonly string[] {
  const events = order.history.filter((event) => event.version > version);
  if (events.length === 0) return ['un trabajo automático la revisó.'];
  return events.map((event) => `${eventText(event)} (${actorText(event, order)})`);
}
