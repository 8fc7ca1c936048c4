import { useState } from 'preact/hooks';
import { CallError, type DocumentOf, runCommand } from '../../call.ts';
import { linkTo } from '../../routes.ts';
import { type Text, translate } from '../../text.ts';
import { Panel } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Prescription, quantityText } from '../parts/prescriptions.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps, type Done } from './action-form.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { useDocumentInView } from './use-document-in-view.ts';
import { useWritten } from './use-written.ts';

export const isVerifiable = ({ next_actions: { verify } }: ShownOrder, { id }: Prescription): boolean =>
  verify.some(({ prescription }) => prescription === id);

/** Verifies a prescription for the present lines, with who prescribed it. */
export function VerifyForm({ prescription, ...props }: ActionProps & { readonly prescription: Prescription }) {
  const { id } = prescription;
  const { order } = props.work;
  const present = presentPrescriber(order, id);
  const { fields: prescriber, write } = useWritten(present);
  const [acceptAge, setAcceptAge] = useState(false);
  useDocumentInView();
  const isOld = order.next_actions.verify.some((each) => each.prescription === id && each.is_age_to_accept);
  const act = async (version: number) => {
    if (isOld && !acceptAge) throw new CallError({ code: 'age_not_accepted', ...ACTION_TEXTS.tooOld });
    const input = { id: order.id, prescription: id, version, acceptAge, ...correct(present, prescriber) };
    const document = await runCommand('orders-verify-prescription', input);
    const text = translate(ACTION_TEXTS.verified, { id });
    return { order: document, text, warning: warnOfCopies(id, document.copies) };
  };
  return (
    <ActionForm
      {...props}
      box={Panel}
      title={nameAct(order, prescription, ACTION_TEXTS.verify)}
      isPossible={isVerifiable(order, prescription)}
      act={act}
    >
      {(errorOf) => (
        <>
          <p>{translate(ACTION_TEXTS.verifiesFor, { products: prescribedText(order) })}</p>
          <TextField
            label={translate(ACTION_TEXTS.prescriber)}
            hint={translate(ACTION_TEXTS.prescriberHint)}
            value={prescriber.prescriber}
            onChange={(value) => write('prescriber', value)}
            error={errorOf('prescriber')}
          />
          <TextField
            label={translate(ACTION_TEXTS.licence)}
            inputMode="numeric"
            value={prescriber.licence}
            onChange={(value) => write('licence', value)}
            error={errorOf('licence')}
          />
          <TextField
            label={translate(ACTION_TEXTS.address)}
            value={prescriber.prescriberAddress}
            onChange={(value) => write('prescriberAddress', value)}
            error={errorOf('prescriberAddress')}
          />
          {isOld && (
            <label class="check">
              <input
                type="checkbox"
                checked={acceptAge}
                onChange={({ currentTarget }) => setAcceptAge(currentTarget.checked)}
              />
              {translate(ACTION_TEXTS.acceptAge)}
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
  const error = { path: ['prescriber'], code: 'required', ...ACTION_TEXTS.noPrescriber };
  throw new CallError({ code: 'invalid_input', ...ACTION_TEXTS.noPrescriber, errors: [error] });
}

/** Returns the title of a form about a prescription, with its number where it is not the only one. */
export const nameAct = ({ prescriptions }: ShownOrder, { id }: Prescription, act: Text): string =>
  prescriptions.length > 1 ? `${translate(act)} ${id}` : translate(act);

/** Returns the fields that something is written in. */
export const withoutBlanks = <Key extends string>(
  fields: Readonly<Record<Key, string>>,
): Partial<Record<Key, string>> =>
  Object.fromEntries(Object.entries<string>(fields).filter(([, value]) => value.trim() !== '')) as Partial<
    Record<Key, string>
  >;

const prescribedText = (order: ShownOrder): string =>
  order.details
    .filter((line) => line.requires_prescription && line.quantity > 0)
    .map((line) => quantityText(line, order))
    .join(', ');

type Copy = DocumentOf<'orders-verify-prescription'>['copies'][number];

/** Warns of the orders that have the same document, each with its link. */
function warnOfCopies(prescription: number, copies: readonly Copy[]): Done['warning'] {
  if (copies.length === 0) return undefined;
  const title = translate(ACTION_TEXTS.copies, { id: prescription });
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
  translate(is_rejected ? ACTION_TEXTS.rejectedCopy : ACTION_TEXTS.copy, { order, copy });
