import { localDate } from '../domain/working-day.ts';
import type { Dispensing } from '../order/rows/dispensing-rows.ts';
import { formatFolio } from '../order/rules/status.ts';

/** One medicine of an order, as the register has it; dates are those of the shop. */
export type RegisterLine = ReturnType<typeof toRegisterLine>;

export function toRegisterLine(line: Dispensing['lines'][number], dispensing: Dispensing, timeZone: string) {
  const toDate = (at: string) => localDate(new Date(at), timeZone);
  const { orderId, dispensedAt, takenBackAt } = dispensing;
  const prescriptions = dispensing.prescriptions.filter(({ id }) => line.prescriptions.includes(id));
  return {
    date: toDate(dispensedAt),
    order: orderId,
    folio: formatFolio(orderId),
    product: line.productId,
    name: line.name,
    presentation: line.presentation,
    quantity: line.quantity,
    is_antibiotic: line.isAntibiotic,
    sanitary_fraction: line.sanitaryFraction,
    prescriptions: prescriptions.map(({ id, issueDate, prescriber, verifiedAt, verifiedBy }) => {
      return { id, issue_date: issueDate, prescriber, verified_on: toDate(verifiedAt), verified_by: verifiedBy };
    }),
    taken_back_on: takenBackAt && toDate(takenBackAt),
  };
}

/**
 * The columns of the register. The agreement on antibiotics (DOF 27 May 2010, as El Economista lists it on 2010-09-05) asks for the
 * date, the name, the presentation, the quantity, and name, cédula profesional and address of who prescribes; no patient.
 */
export const REGISTER_COLUMNS: readonly [string, (line: RegisterLine) => string | number][] = [
  ['Fecha de dispensación', ({ date }) => date],
  ['Folio', ({ folio }) => folio],
  ['Denominación', ({ name }) => name],
  ['Presentación', ({ presentation }) => presentation],
  ['Cantidad', ({ quantity }) => quantity],
  ['Antibiótico', ({ is_antibiotic }) => (is_antibiotic ? 'Sí' : 'No')],
  ['Fracción', ({ sanitary_fraction }) => sanitary_fraction ?? ''],
  ['Receta', ofPrescriptions(({ id }) => String(id))],
  ['Fecha de la receta', ofPrescriptions(({ issue_date }) => issue_date)],
  ['Nombre de quien prescribe', ofPrescriptions(({ prescriber }) => prescriber?.name)],
  ['Cédula profesional', ofPrescriptions(({ prescriber }) => prescriber?.licence)],
  ['Domicilio de quien prescribe', ofPrescriptions(({ prescriber }) => prescriber?.address)],
  ['Verificada por', ofPrescriptions(({ verified_by }) => verified_by)],
  ['Verificada el', ofPrescriptions(({ verified_on }) => verified_on)],
  ['Anulada el', ({ taken_back_on }) => taken_back_on ?? ''],
];

type Prescription = RegisterLine['prescriptions'][number];

/** Returns the values of a column from the prescriptions of a line, each once. */
function ofPrescriptions(pick: (prescription: Prescription) => string | null | undefined) {
  return ({ prescriptions }: RegisterLine): string =>
    [...new Set(prescriptions.map(pick).filter((value) => value))].join('; ');
}

/** True for an antibiotic that was handed out without all that the register asks for of who prescribed it. */
export const lacksPrescriber = ({ is_antibiotic, taken_back_on, prescriptions }: RegisterLine): boolean =>
  is_antibiotic &&
  taken_back_on === null &&
  !prescriptions.some(({ prescriber }) => prescriber?.licence && prescriber.address);
