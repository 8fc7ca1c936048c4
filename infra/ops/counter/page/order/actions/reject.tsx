import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { Panel } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Prescription } from '../parts/prescriptions.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { useDocumentInView } from './use-document-in-view.ts';
import { nameAct } from './verify.tsx';

// The rules allow another reason for one that is rejected, which nobody needs here.
export const isRejectable = ({ next_actions: { reject }, prescriptions }: ShownOrder, { id }: Prescription): boolean =>
  reject.includes(id) && prescriptions.some((each) => each.id === id && each.rejected_at === null);

/** Rejects a prescription, with the reason. */
export function RejectForm({ prescription, ...props }: ActionProps & { readonly prescription: Prescription }) {
  const { id } = prescription;
  const { order } = props.work;
  const [reason, setReason] = useState('');
  useDocumentInView();
  const act = async (version: number) => {
    const input = { id: order.id, prescription: id, version, reason };
    const document = await runCommand('orders-reject-prescription', input);
    return { order: document, text: translate(ACTION_TEXTS.rejected, { id }) };
  };
  return (
    <ActionForm
      {...props}
      box={Panel}
      title={nameAct(order, prescription, ACTION_TEXTS.reject)}
      kind="danger"
      isPossible={isRejectable(order, prescription)}
      act={act}
    >
      {(errorOf) => (
        <TextField
          label={translate(ACTION_TEXTS.reason)}
          value={reason}
          onChange={setReason}
          isRequired
          maxLength={200}
          error={errorOf('reason')}
        />
      )}
    </ActionForm>
  );
}
