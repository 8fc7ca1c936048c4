import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { TextField } from '../../ui/field.tsx';
import type { Prescription } from '../parts/prescriptions.tsx';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { useDocumentInView } from './use-document-in-view.ts';

/** Rejects a prescription, with the reason. */
export function RejectForm({ prescription: { id }, ...props }: ActionProps & { readonly prescription: Prescription }) {
  const [reason, setReason] = useState('');
  useDocumentInView();
  const act = async (version: number) => {
    const input = { id: props.work.order.id, prescription: id, version, reason };
    const order = await runCommand('orders-reject-prescription', input);
    return { order, text: translate(ACTION_TEXTS.rejected, { id }) };
  };
  return (
    <ActionForm {...props} title={translate(ACTION_TEXTS.reject)} kind="danger" act={act}>
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
