import { useLayoutEffect, useState } from 'preact/hooks';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { CallError, callServer } from '../call.ts';
import { linkTo } from '../routes.ts';
import { Field, TextField } from '../ui/field.tsx';
import { ActionForm, type ActionProps, type Done, type RunAct, useFields, withoutBlanks } from './action-form.tsx';
import {
  chooseVerification,
  isAttachable,
  isRejectable,
  type Prescription,
  quantityText,
  type ShownOrder,
  VERIFICATION_TEXTS,
} from './order-texts.ts';
import { PatientHead } from './parts.tsx';

const TOO_OLD = 'Se expidió hace más tiempo del permitido: márquelo para aceptarlo, o rechace la receta.';

type VerifyFormProps = ActionProps & {
  /** The verdict that the form records. */
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

/** Rejects a prescription, with the reason. */
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
