import { useState } from 'preact/hooks';
import { formatCalendarDay, formatDateTime } from '../ui/format.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { DocumentViewer } from '../viewer/document-viewer.tsx';
import { type Prescription, prescriptionName, quantityText, type ShownOrder } from './order-texts.ts';
import { type Fact, Facts, Part } from './parts.tsx';

const isOpen = ({ verified_at, rejected_at }: Prescription): boolean => verified_at === null && rejected_at === null;

/**
 * The prescription that is looked at: the one that a form judges; the one chosen, until what is left to judge changes; or the
 * first that somebody has to judge.
 */
export function useChosenPrescription({ prescriptions }: ShownOrder, judged: Prescription | undefined) {
  const open = prescriptions.filter(isOpen).map(({ id }) => id);
  const [choice, setChoice] = useState<Choice>({ id: open[0], open });
  const find = (id: number | undefined) => prescriptions.find((each) => each.id === id);
  if (choice.open.join() !== open.join()) {
    const isStillOpen = choice.id !== undefined && open.includes(choice.id);
    setChoice({ id: isStillOpen ? choice.id : (open[0] ?? choice.id), open });
  }
  const choose = (id: number) => setChoice({ id, open });
  return { chosen: find(judged?.id ?? choice.id) ?? prescriptions[0], choose };
}

type Choice = { readonly id: number | undefined; readonly open: readonly number[] };

type PrescriptionsProps = {
  readonly order: ShownOrder;
  readonly chosen: Prescription | undefined;
  /** True while a form judges the chosen one, which therefore stays in view. */
  readonly isHeld: boolean;
  onChoose(id: number): void;
};

/** The prescriptions of an order, of which one is seen with its document. */
export function Prescriptions({ order, chosen, isHeld, onChoose }: PrescriptionsProps) {
  const { id, prescriptions } = order;
  const choose = (next: Prescription | undefined) => {
    if (next && !isHeld) onChoose(next.id);
  };
  useShortcut('s', 'Ver la receta siguiente', () => {
    const at = prescriptions.findIndex((each) => each.id === chosen?.id);
    choose(prescriptions[(at + 1) % prescriptions.length]);
  });
  return (
    <Part title="Recetas">
      {prescriptions.length > 1 && (
        <div class="row">
          {prescriptions.map((each) => (
            <button
              key={each.id}
              type="button"
              class="button"
              aria-pressed={each === chosen}
              aria-disabled={isHeld}
              onClick={() => choose(each)}
            >
              <JudgementMark {...each} /> {prescriptionName(each)}
            </button>
          ))}
        </div>
      )}
      {chosen ? (
        <>
          <h3>{prescriptionName(chosen)}</h3>
          <Facts facts={listFacts(chosen, order)} />
          <DocumentViewer key={chosen.id} path={`/documents/${id}/${chosen.id}`} name={`Receta ${chosen.id}`} />
        </>
      ) : (
        <WithoutPrescription kept={order.kept_documents} />
      )}
    </Part>
  );
}

/** Says that there is none, or which documents the law has the shop keep of an erased patient. */
function WithoutPrescription({ kept }: { readonly kept: ShownOrder['kept_documents'] }) {
  if (kept.length === 0) return <p class="soft">La orden no tiene recetas.</p>;
  return (
    <>
      <p>Los datos del paciente se borraron; por ley se guardan estos documentos:</p>
      <ul class="changes">
        {kept.map(({ prescription: id, kept_until }) => (
          <li key={id}>{`Receta ${id}, hasta el ${formatCalendarDay(kept_until)}`}</li>
        ))}
      </ul>
    </>
  );
}

/** Tells the prescriptions apart that somebody has judged, by a sign and in words for a screen reader. */
function JudgementMark({ verified_at, rejected_at }: Prescription) {
  if (rejected_at === null && verified_at === null) return null;
  const [sign, text] = rejected_at === null ? ['✓', 'Verificada'] : ['✗', 'Rechazada'];
  return (
    <>
      <span aria-hidden="true">{sign}</span>
      <span class="for-screen-readers">{text}:</span>
    </>
  );
}

const listFacts = (prescription: Prescription, order: ShownOrder): Fact[] => [
  ['Estado', judgementText(prescription)],
  ['Expedida', formatCalendarDay(prescription.issue_date)],
  ['Vence', prescription.expiring_date && formatCalendarDay(prescription.expiring_date)],
  ['Verificada para', prescription.verified_for.map((one) => quantityText(one, order)).join(', ')],
  ['Quien prescribe', prescriberText(prescription)],
];

function judgementText({ verified_at, verified_by, rejected_at, rejection_reason }: Prescription): string {
  if (rejected_at !== null) return `Rechazada: ${rejection_reason ?? ''}`;
  if (verified_at === null) return 'Sin verificar';
  return `Verificada, ${formatDateTime(verified_at)}, ${verified_by}`;
}

function prescriberText({ prescriber }: Prescription): string {
  if (!prescriber) return '';
  const { name, licence, address } = prescriber;
  return [name, licence && `cédula ${licence}`, address].filter(Boolean).join(', ');
}
