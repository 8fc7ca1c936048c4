import { useLayoutEffect, useState } from 'preact/hooks';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { CallError, callServer } from '../call.ts';
import { linkTo } from '../routes.ts';
import { Field, TextField } from '../ui/field.tsx';
import { formatCalendarDay, formatDateTime } from '../ui/format.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { DocumentViewer } from '../viewer/document-viewer.tsx';
import { ActionForm, type ActionProps, type Done, type RunAct, useFields, withoutBlanks } from './action-form.tsx';
import {
  chooseVerification,
  isAttachable,
  isRejectable,
  type Prescription,
  prescriptionName,
  quantityText,
  type ShownOrder,
  VERIFICATION_TEXTS,
} from './order-texts.ts';
import { type Fact, Facts, Part, PatientHead } from './parts.tsx';

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

const TOO_OLD = 'Se expidió hace más tiempo del permitido: márquelo para aceptarlo, o rechace la receta.';

type VerifyFormProps = ActionProps & {
  readonly act: keyof typeof VERIFICATION_TEXTS;
  readonly prescription: Prescription;
};

/** Verifies a prescription for the present lines, with who prescribed it. */
export function VerifyForm({ act, prescription, ...props }: VerifyFormProps) {
  const { id } = prescription;
  const { order } = props.work;
  const present = presentPrescriber(order, id);
  const { fields: prescriber, bind } = useFields(present);
  const [acceptAge, setAcceptAge] = useState(false);
  useDocumentInView();
  const isOld = order.next_actions.verify.some((each) => each.prescription === id && each.is_age_to_accept);
  const verify = async (run: RunAct) => {
    if (isOld && !acceptAge) throw new CallError({ code: 'age_not_accepted', text: TOO_OLD });
    const input = { id: order.id, prescription: id, acceptAge, ...correct(present, prescriber) };
    const document = await run('orders-verify-prescription', input);
    const text = `Receta ${id} verificada.`;
    return { order: document, text, warning: warnOfCopies(id, document.copies) };
  };
  return (
    <ActionForm
      {...props}
      isBeside
      title={nameAct(order, prescription, VERIFICATION_TEXTS[act])}
      isPossible={chooseVerification(order, id) !== undefined}
      act={verify}
    >
      {(errorOf) => (
        <>
          <PatientHead order={order} />
          <p>{`Se verifica para: ${prescribedText(order)}`}</p>
          <TextField
            label="Nombre de quien prescribe"
            hint="Para el registro; puede anotarse después al verificar de nuevo."
            {...bind('prescriber', errorOf)}
          />
          <TextField label="Cédula profesional" inputMode="numeric" {...bind('licence', errorOf)} />
          <TextField label="Domicilio de quien prescribe" {...bind('prescriberAddress', errorOf)} />
          {isOld && (
            <label class="check">
              <input
                type="checkbox"
                checked={acceptAge}
                onChange={({ currentTarget }) => setAcceptAge(currentTarget.checked)}
              />
              Aceptar que se expidió hace más tiempo del permitido
            </label>
          )}
        </>
      )}
    </ActionForm>
  );
}

// By the keys of the command.
type Prescriber = Readonly<Record<'prescriber' | 'licence' | 'prescriberAddress', string>>;

function presentPrescriber({ prescriptions }: ShownOrder, prescription: number): Prescriber {
  const known = prescriptions.find(({ id }) => id === prescription)?.prescriber;
  return { prescriber: known?.name ?? '', licence: known?.licence ?? '', prescriberAddress: known?.address ?? '' };
}

/** Returns the prescriber if it is another one than is recorded. Throws a CallError if nothing of them is left. */
function correct(present: Prescriber, prescriber: Prescriber): Partial<Prescriber> {
  if (JSON.stringify(prescriber) === JSON.stringify(present)) return {};
  const fields = withoutBlanks(prescriber);
  if (Object.keys(fields).length > 0) return fields;
  const text = 'Quien prescribe ya está anotado: escriba a quién anotar en su lugar.';
  throw new CallError({ code: 'invalid_input', text, errors: [{ path: ['prescriber'], code: 'required', text }] });
}

/** Returns the title of a form about a prescription, with its number where it is not the only one. */
const nameAct = ({ prescriptions }: ShownOrder, { id }: Prescription, act: string): string =>
  prescriptions.length > 1 ? `${act} ${id}` : act;

const prescribedText = (order: ShownOrder): string =>
  order.details
    .filter((line) => line.requires_prescription && line.quantity > 0)
    .map((line) => quantityText(line, order))
    .join(', ');

type Copy = DocumentOf<'orders-verify-prescription'>['copies'][number];

/** Warns of the orders that have the same document, each with its link. */
function warnOfCopies(prescription: number, copies: readonly Copy[]): Done['warning'] {
  if (copies.length === 0) return undefined;
  const title = `El documento de la receta ${prescription} está también en:`;
  const drawn = (
    <>
      {title}
      <ul class="changes">
        {copies.map((each) => (
          <li key={each.copy}>
            <a href={linkTo({ view: 'orders', id: each.order })}>{copyText(each)}</a>
          </li>
        ))}
      </ul>
    </>
  );
  return { text: [title, ...copies.map(copyText)].join(' '), drawn };
}

const copyText = ({ order, copy, is_rejected }: Copy): string =>
  `orden ${order}, receta ${copy}${is_rejected ? ', que se rechazó' : ''}`;

export function RejectForm({ prescription, ...props }: ActionProps & { readonly prescription: Prescription }) {
  const { id } = prescription;
  const { order } = props.work;
  const { fields, bind } = useFields({ reason: '' });
  useDocumentInView();
  const act = async (run: RunAct) => {
    const input = { id: order.id, prescription: id, ...fields };
    const document = await run('orders-reject-prescription', input);
    return { order: document, text: `Receta ${id} rechazada.` };
  };
  return (
    <ActionForm
      {...props}
      isBeside
      title={nameAct(order, prescription, 'Rechazar receta')}
      kind="danger"
      isPossible={isRejectable(order, id)}
      act={act}
    >
      {(errorOf) => <TextField label="Motivo" isRequired maxLength={200} {...bind('reason', errorOf)} />}
    </ActionForm>
  );
}

/** Brings the document that a dialog asks about into view, and the page back to where it was when the dialog closes. */
function useDocumentInView(): void {
  useLayoutEffect(() => {
    const { scrollX, scrollY } = window;
    document.querySelector('.viewer')?.scrollIntoView({ block: 'nearest' });
    return () => window.scrollTo(scrollX, scrollY);
  }, []);
}

/** Adds a prescription that the patient has brought or sent outside of the order. */
export function AttachForm(props: ActionProps) {
  const { order } = props.work;
  const [file, setFile] = useState<File>();
  const { fields, bind } = useFields({ issueDate: '', expiringDate: '' });
  const attach = async () => {
    const text = 'Elija el archivo de la receta.';
    if (!file) throw new CallError({ code: 'no_file', text, errors: [{ path: ['file'], code: 'required', text }] });
    const told = new URLSearchParams({ name: file.name, ...withoutBlanks(fields) });
    const answer = await callServer<{ readonly document: ShownOrder }>('POST', `/documents/${order.id}?${told}`, file);
    return { order: answer.document, text: 'La receta se agregó: falta verificarla.' };
  };
  return (
    <ActionForm {...props} title="Agregar receta" isPossible={isAttachable(order)} act={attach}>
      {(errorOf) => (
        <>
          <PatientHead order={order} />
          <Field label="Archivo" hint="PDF, JPEG o PNG, de 3 MB a lo más" error={errorOf('file')}>
            {(control) => (
              <input
                {...control}
                type="file"
                accept=".pdf,.jpg,.jpeg,.png"
                onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
              />
            )}
          </Field>
          <TextField type="date" label="Expedida el" {...bind('issueDate', errorOf)} />
          <TextField type="date" label="Vence el" hint="Si la receta lo dice" {...bind('expiringDate', errorOf)} />
        </>
      )}
    </ActionForm>
  );
}
