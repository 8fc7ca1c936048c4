import { useState } from 'preact/hooks';
import { CallError, type DocumentOf, runCommand } from '../../call.ts';
import { linkTo } from '../../routes.ts';
import { type Text, translate } from '../../text.ts';
import { Panel } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Prescription, quantityText } from '../parts/prescriptions.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { useDocumentInView } from './use-document-in-view.ts';

export const isVerifiable = ({ next_actions: { verify } }: ShownOrder, { id }: Prescription): boolean =>
  verify.some(({ prescription }) => prescription === id);

/** Verifies a prescription for the present lines, with who prescribed it. */
export function VerifyForm({ prescription, ...props }: ActionProps & { readonly prescription: Prescription }) {
  const { id, prescriber: known } = prescription;
  const [prescriber, setPrescriber] = useState(known?.name ?? '');
  const [licence, setLicence] = useState(known?.licence ?? '');
  const [prescriberAddress, setAddress] = useState(known?.address ?? '');
  const [acceptAge, setAcceptAge] = useState(false);
  const { order } = props.work;
  useDocumentInView();
  const isOld = order.next_actions.verify.some((each) => each.prescription === id && each.is_age_to_accept);
  const act = async (version: number) => {
    if (isOld && !acceptAge) throw new CallError({ code: 'age_not_accepted', ...ACTION_TEXTS.tooOld });
    const author = withoutBlanks({ prescriber, licence, prescriberAddress });
    const input = { id: order.id, prescription: id, version, acceptAge, ...author };
    const document = await runCommand('orders-verify-prescription', input);
    const text = translate(ACTION_TEXTS.verified, { id });
    return { order: document, text, more: <Copies copies={document.copies} /> };
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
            value={prescriber}
            onChange={setPrescriber}
            error={errorOf('prescriber')}
          />
          <TextField
            label={translate(ACTION_TEXTS.licence)}
            inputMode="numeric"
            value={licence}
            onChange={setLicence}
            error={errorOf('licence')}
          />
          <TextField
            label={translate(ACTION_TEXTS.address)}
            value={prescriberAddress}
            onChange={setAddress}
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

/** The orders that have the same document, each with its link. */
function Copies({ copies }: { readonly copies: readonly Copy[] }) {
  if (copies.length === 0) return null;
  return (
    <>
      {translate(ACTION_TEXTS.copies)}
      <ul class="changes">
        {copies.map(({ order, copy, is_rejected }) => (
          <li key={copy}>
            <a href={linkTo({ view: 'orders', id: order })}>
              {translate(is_rejected ? ACTION_TEXTS.rejectedCopy : ACTION_TEXTS.copy, { order, copy })}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
