import { localDate } from '../../../../../shared/domain/working-day.ts';
import { timeZone } from '../ui/format.ts';
import { joinName, patientText, type ShownOrder, sentText } from './order-texts.ts';

/** Who takes the medicine and what is dangerous for them, where nobody has to look for it. */
export function PatientHead({ order }: { readonly order: ShownOrder }) {
  const { user } = order.patient;
  const sent = sentText(order.patient_as_sent);
  return (
    <p class="patient">
      <strong>{joinName(user) || 'Paciente borrado'}</strong>{' '}
      <span>{patientText(user, localDate(new Date(), timeZone.value))}</span>{' '}
      {user.medical_condition ? (
        <span class="condition">{`Alergias y padecimientos: ${user.medical_condition}`}</span>
      ) : (
        <span class="soft">Sin alergias ni padecimientos indicados</span>
      )}
      {sent && <span class="condition">{`La orden dice: ${sent}`}</span>}
    </p>
  );
}
