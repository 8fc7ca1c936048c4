import { useState } from 'preact/hooks';
import { CallError, callServer } from '../call.ts';
import { linkTo } from '../routes.ts';
import { Button } from '../ui/button.tsx';
import { formatCalendarDay, formatDateTime } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { DocumentViewer } from '../viewer/document-viewer.tsx';
import { type Form, type FormField, findChanged, requireField, type Values } from './action-form.tsx';
import {
  isAttachable,
  isRejectable,
  join,
  type Prescription,
  prescriptionName,
  quantitiesText,
  type ShownOrder,
  verificationText,
} from './order-texts.ts';
import { Facts, Part, PatientHead } from './parts.tsx';

/**
 * The prescription that is looked at: the one chosen, until what is left to judge changes; or the first that somebody has to
 * judge. It stays the same while a form is open, which may judge it.
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
  const { id, prescriptions } = order;
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
      {chosen ? (
        <>
          <h3>{prescriptionName(chosen)}</h3>
          <Facts
            facts={[
              ['Estado', judgementText(chosen)],
              ['Expedida', formatCalendarDay(chosen.issue_date)],
              ['Vence', chosen.expiring_date && formatCalendarDay(chosen.expiring_date)],
              ['Verificada para', quantitiesText(chosen.verified_for, order)],
              ['Quien prescribe', prescriberText(chosen)],
            ]}
          />
          <Doubts order={order} id={chosen.id} />
          <DocumentViewer key={chosen.id} path={`/documents/${id}/${chosen.id}`} name={`Receta ${chosen.id}`} />
        </>
      ) : (
        <WithoutPrescription kept={order.kept_documents} />
      )}
    </Part>
  );
}

type Copy = ShownOrder['copies'][number];
const copyText = ({ order, copy, is_rejected, is_waiting }: Copy): string =>
  `orden ${order}, receta ${copy}${is_rejected ? ', que se rechazó' : ''}${is_waiting ? ', sin verificar' : ''}`;

/** Warns, before anybody decides, of the orders that have the same document, each with its link, and of a great age. */
function Doubts({ order, id }: { readonly order: ShownOrder; readonly id: number }) {
  const copies = order.copies.filter(({ prescription }) => prescription === id);
  const { is_age_to_accept: isOld = false } = findVerifiable(order, id) ?? {};
  if (copies.length === 0 && !isOld) return null;
  return (
    <Notice kind="warning">
      {isOld && <p>Se expidió hace más tiempo del permitido.</p>}
      {copies.map((each) => (
        <p key={each.copy}>
          El documento está también en: <a href={linkTo({ view: 'orders', id: each.order })}>{copyText(each)}</a>
        </p>
      ))}
    </Notice>
  );
}

const findVerifiable = ({ next_actions: next }: ShownOrder, id: number) =>
  next.verify.find(({ prescription }) => prescription === id);

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
  if (rejected_at !== null) return <span role="img" aria-label="Rechazada:" children="✗" />;
  return verified_at === null ? null : <span role="img" aria-label="Verificada:" children="✓" />;
}

function judgementText({ verified_at, verified_by, rejected_at, rejection_reason }: Prescription): string {
  if (rejected_at !== null) return `Rechazada: ${rejection_reason ?? ''}`;
  if (verified_at === null) return 'Sin verificar';
  return `Verificada, ${formatDateTime(verified_at)}, ${verified_by}`;
}

const prescriberText = ({ prescriber }: Prescription): string =>
  join([prescriber?.name, prescriber?.licence && `cédula ${prescriber.licence}`, prescriber?.address]);

const TOO_OLD = 'Se expidió hace más tiempo del permitido: márquelo para aceptarlo, o rechace la receta.';
const COPIED = 'El documento está también en otra orden: márquelo para aceptarlo, o rechace la receta.';

/** Verifies a prescription for the present lines, with who prescribed it. */
export const verifyForm =
  (title: string, id: number): Form =>
  (order) => {
    const prescribed = order.details.filter((line) => line.requires_prescription && line.quantity > 0);
    const prescriber = listPrescriberFields(order.prescriptions.find((each) => each.id === id)?.prescriber);
    const { is_age_to_accept: isOld = false, is_copy_to_accept: isCopy = false } = findVerifiable(order, id) ?? {};
    return {
      title: nameAct(order, id, title),
      isBeside: true,
      isPossible: verificationText(order, id) !== '',
      parts: [
        { note: <PatientHead order={order} /> },
        { note: <p>{`Se verifica para: ${quantitiesText(prescribed, order)}`}</p> },
        ...prescriber,
        isOld && acceptance('acceptAge', 'Aceptar que se expidió hace más tiempo del permitido'),
        isCopy && acceptance('acceptCopy', 'Aceptar que el documento está también en otra orden'),
      ],
      async act(run, values, sent) {
        const [acceptAge, acceptCopy] = [sent.has('acceptAge'), sent.has('acceptCopy')];
        if (isOld && !acceptAge) throw new CallError({ code: 'age_not_accepted', text: TOO_OLD });
        if (isCopy && !acceptCopy) throw new CallError({ code: 'copy_not_accepted', text: COPIED });
        const accepted = { acceptAge, acceptCopy, ...readPrescriber(prescriber, values) };
        const input = { id: order.id, prescription: id, ...accepted };
        return { order: await run('orders-verify-prescription', input), text: `Receta ${id} verificada.` };
      },
    };
  };

const acceptance = (name: string, text: string) => ({
  note: (
    <label class="check" key={name}>
      <input type="checkbox" name={name} />
      {text}
    </label>
  ),
});

const listPrescriberFields = (known: Prescription['prescriber'] | undefined): readonly FormField[] => [
  {
    name: 'prescriber',
    label: 'Nombre de quien prescribe',
    hint: 'Para el registro; puede anotarse después al verificar de nuevo.',
    present: known?.name,
  },
  { name: 'licence', label: 'Cédula profesional', inputMode: 'numeric', present: known?.licence },
  { name: 'prescriberAddress', label: 'Domicilio de quien prescribe', present: known?.address },
];

/** Returns the prescriber if it is another one than is recorded. Throws a CallError if nothing of them is left. */
function readPrescriber(fields: readonly FormField[], values: Values): Values {
  if (Object.keys(findChanged(fields, values)).length === 0) return {};
  if (Object.keys(values).length > 0) return values;
  throw requireField('prescriber', 'Quien prescribe ya está anotado: escriba a quién anotar en su lugar.');
}

/** Returns the title of a form about a prescription, with its number where it is not the only one. */
const nameAct = ({ prescriptions }: ShownOrder, id: number, act: string): string =>
  prescriptions.length > 1 ? `${act} ${id}` : act;

export const rejectForm =
  (id: number): Form =>
  (order) => ({
    title: nameAct(order, id, 'Rechazar receta'),
    kind: 'danger',
    isBeside: true,
    isPossible: isRejectable(order, id),
    parts: [{ name: 'reason', label: 'Motivo', isRequired: true, maxLength: 200 }],
    async act(run, { reason = '' }) {
      const input = { id: order.id, prescription: id, reason };
      return { order: await run('orders-reject-prescription', input), text: `Receta ${id} rechazada.` };
    },
  });

/** Adds a prescription that the patient has brought or sent outside of the order. */
export const attachForm: Form = (order) => ({
  title: 'Agregar receta',
  isPossible: isAttachable(order),
  parts: [
    { note: <PatientHead order={order} /> },
    {
      name: 'file',
      label: 'Archivo',
      hint: 'PDF, JPEG o PNG, de 3 MB a lo más',
      control: (tied) => <input {...tied} type="file" name="file" accept=".pdf,.jpg,.jpeg,.png" />,
    },
    { name: 'issueDate', label: 'Expedida el', type: 'date' },
    { name: 'expiringDate', label: 'Vence el', hint: 'Si la receta lo dice', type: 'date' },
  ],
  async act(_, values, sent) {
    const file = sent.get('file');
    // A browser sends a file without a name where none is chosen.
    if (!(file instanceof File) || file.name === '') throw requireField('file', 'Elija el archivo de la receta.');
    const told = new URLSearchParams({ ...values, name: file.name });
    const answer = await callServer<{ readonly document: ShownOrder }>('POST', `/documents/${order.id}?${told}`, file);
    return { order: answer.document, text: 'La receta se agregó: falta verificarla.' };
  },
});
