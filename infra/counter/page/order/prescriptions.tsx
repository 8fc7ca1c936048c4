import { useState } from 'preact/hooks';
import { linkToOrder } from '../ui/address.ts';
import { Button, Notice } from '../ui/controls.tsx';
import { formatCalendarDay, formatDateTime, formatDay, formatDaysAgo } from '../ui/format.ts';
import { useShortcut } from '../ui/keys.ts';
import { ORDER } from '../ui/statuses.ts';
import { Facts, Part } from '../ui/view.tsx';
import { DocumentViewer } from '../viewer/document-viewer.tsx';
import { findVerifiable, join, type Prescription, quantitiesText, type ShownOrder } from './texts.ts';

/**
 * Returns the prescription to show: the chosen one until the set of unjudged ones changes, else the first unjudged one. While a
 * form is open, which may judge it, it stays.
 */
export function useChosenPrescription({ prescriptions }: ShownOrder, isHeld: boolean) {
  const open = prescriptions.filter((each) => !each.verified_at && !each.rejected_at).map(({ id }) => id);
  const [choice, setChoice] = useState({ id: open[0], open });
  if (!isHeld && choice.open.join() !== open.join())
    setChoice({ id: open.find((id) => id === choice.id) ?? open[0] ?? choice.id, open });
  const choose = (id: number) => {
    if (!isHeld) setChoice({ id, open });
  };
  return { chosen: prescriptions.find(({ id }) => id === choice.id) ?? prescriptions[0], isHeld, choose };
}

type PrescriptionsProps = { readonly order: ShownOrder } & ReturnType<typeof useChosenPrescription>;

export function Prescriptions({ order, chosen, isHeld, choose }: PrescriptionsProps) {
  const { id, prescriptions, kept_documents: kept } = order;
  useShortcut('s', 'Ver la receta siguiente', () => {
    const at = prescriptions.findIndex((each) => each.id === chosen?.id);
    const next = prescriptions[(at + 1) % prescriptions.length];
    if (next) choose(next.id);
  });
  return (
    <Part title="Recetas">
      {prescriptions.length > 1 && (
        <div class="row">
          {prescriptions.map((each) => (
            <Button key={each.id} isPressed={each === chosen} isUnavailable={isHeld} onClick={() => choose(each.id)}>
              <JudgementMark {...each} /> {prescriptionName(each)}
            </Button>
          ))}
        </div>
      )}
      {chosen && (
        <>
          <h3>{prescriptionName(chosen)}</h3>
          <Facts
            facts={[
              ['Estado', judgementText(chosen)],
              ['Expedida', `${formatCalendarDay(chosen.issue_date)} (${formatDaysAgo(chosen.age_days)})`],
              ['Vence', chosen.expiring_date && formatCalendarDay(chosen.expiring_date)],
              ['Verificada para', quantitiesText(chosen.verified_for, order)],
              ['Quien prescribe', prescriberText(chosen)],
              ['Antivirus', chosen.scan && SCAN_TEXTS[chosen.scan]],
            ]}
          />
          <Doubts order={order} id={chosen.id} />
          {chosen.scan !== 'threat' && (
            <DocumentViewer key={chosen.id} path={`/documents/${id}/${chosen.id}`} name={`Receta ${chosen.id}`} />
          )}
        </>
      )}
      {!chosen && kept.length === 0 && <p class="soft">La orden no tiene recetas.</p>}
      {!chosen && kept.length > 0 && <p>Los datos del paciente se borraron; por ley se guardan estos documentos:</p>}
      {!chosen &&
        kept.map(({ prescription, kept_until: day }) => (
          <p key={prescription}>{`Receta ${prescription}, hasta el ${formatCalendarDay(day)}`}</p>
        ))}
    </Part>
  );
}

const prescriptionName = ({ id, document_name: name }: Prescription): string => join([`Receta ${id}`, name], ' · ');

function JudgementMark({ verified_at, rejected_at }: Prescription) {
  if (rejected_at !== null) return <span role="img" aria-label="Rechazada:" children="✗" />;
  return verified_at === null ? null : <span role="img" aria-label="Verificada:" children="✓" />;
}

function judgementText({ verified_at, verified_by, rejected_at, rejection_reason }: Prescription) {
  if (rejected_at !== null) return `Rechazada: ${rejection_reason ?? ''}`;
  if (verified_at === null) return 'Sin verificar';
  return (
    <>
      {`Verificada, ${formatDateTime(verified_at)}`}
      <span class="staff">, {verified_by}</span>
    </>
  );
}

const SCAN_TEXTS = {
  pending: 'sin revisar todavía',
  clean: 'revisada, sin software malicioso',
  threat: 'tiene software malicioso y no se puede abrir: rechácela y pida otra copia',
} as const;

const prescriberText = ({ prescriber }: Prescription): string =>
  join([prescriber?.name, prescriber?.licence && `cédula ${prescriber.licence}`, prescriber?.address]);

const copyText = ({ order, copy, is_rejected, is_waiting, ...of }: ShownOrder['copies'][number]): string =>
  join([
    `orden ${order}, receta ${copy}`,
    of.patient && `de ${of.patient}`,
    of.placed_at && formatDay(of.placed_at),
    of.order_status && ORDER[of.order_status].text.toLowerCase(),
    is_rejected && 'que se rechazó',
    is_waiting && 'sin verificar',
  ]);

function Doubts({ order, id }: { readonly order: ShownOrder; readonly id: number }) {
  const copies = order.copies.filter(({ prescription }) => prescription === id);
  const { is_age_to_accept: isOld = false } = findVerifiable(order, id) ?? {};
  if (copies.length === 0 && !isOld) return null;
  return (
    <Notice tone="warning">
      {isOld && <p>Se expidió hace más tiempo del permitido.</p>}
      {copies.map((each) => (
        <p key={each.copy}>
          El documento está también en: <a href={linkToOrder(each.order)}>{copyText(each)}</a>
        </p>
      ))}
    </Notice>
  );
}
