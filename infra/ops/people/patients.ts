import * as z from 'zod';
import {
  type Erasure,
  erasePatient,
  isErased,
  planErasure,
  prepareErasure,
} from '../../../shared/erasure/erase-patient.ts';
import { removedDocuments } from '../../../shared/erasure/patient-records.ts';
import { type Command, command } from '../command.ts';
import type { Call } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, flag, recordId } from '../input.ts';
import { ask, withProgress } from '../prompt.ts';
import { existingUser } from './users.ts';

const patientsErase = command({
  name: 'patients erase',
  summary:
    'Remove a patient and their documents for good. The amounts of their orders stay, the receiver of an issued invoice ' +
    'until tax law needs it no more (CFF art. 30), and the documents of a dispensed order for a year',
  example: '--client 2 --email luz.mora@example.mx --dry-run',
  input: z.object({
    client: recordId,
    email: emailAddress.optional(),
    id: recordId.optional(),
    dryRun: flag,
    yes: flag,
  }),
  oneOf: { names: ['email', 'id'], isRequired: true },
  async run({ client, email, id, dryRun, yes }, context) {
    const patientId = id ?? (await existingUser({ client, email: email ?? '' }, context.table)).id;
    const asked = { clientId: client, patientId, now: context.now };
    const plan = await (dryRun ? planErasure : prepareErasure)(asked, context);
    const document = { client, patient: patientId, dry_run: dryRun, ...toErasureDocument(plan) };
    const planText = `To be removed of patient ${patientId}:\n${erasureText(document)}`;
    if (dryRun) return { document, text: `${planText}Nothing was removed.\n` };
    if (isErased(plan)) return { document, text: `Nothing is left of patient ${patientId}.\n${erasureText(document)}` };
    if (!yes) await confirm(patientId, planText, context);
    const erasing = { ...asked, operator: await context.operator() };
    await withProgress('Erasing', context, (onProgress) => erasePatient(erasing, context, onProgress));
    return { document, text: `Removed of patient ${patientId}:\n${erasureText(document)}` };
  },
});

async function confirm(patientId: number, planText: string, call: Call): Promise<void> {
  if (!call.isTerminal) throw new UsageError('To erase, say --yes; to see what that would remove, say --dry-run.');
  call.stderr.write(planText);
  const question = `This cannot be undone. To go on, type the id of the patient, ${patientId}: `;
  const [typed = ''] = await ask([question], call, 'shown');
  if (typed.trim() !== String(patientId)) throw new CommandRefusal('That is another id: nothing was removed.');
}

const toErasureDocument = ({ orders, person, kept, retained }: Erasure) => ({
  orders: orders.map(({ before }) => before.id),
  documents: orders.reduce((sum, { before, after }) => sum + removedDocuments(before, after).length, 0),
  invoicing_records: person?.records ?? 0,
  patient_record: person !== null,
  kept: kept.map(({ orderId, cfdi, until }) => ({ order: orderId, cfdi, until })),
  kept_documents: retained.map(({ orderId, documents, until }) => ({ order: orderId, documents, until })),
});

/** Returns a line for each kind of thing that goes, and for each that is kept. */
function erasureText({
  orders,
  patient_record,
  kept,
  kept_documents,
  ...counts
}: ReturnType<typeof toErasureDocument>) {
  const lines = [
    patient_record && '- the record with e-mail, phone and default address',
    patient_record && `- ${counts.invoicing_records} invoicing records`,
    orders.length > 0 && `- names, addresses and comments in ${orders.length} orders: ${orders.join(', ')}`,
    orders.length > 0 && `- ${counts.documents} prescriptions with their documents`,
    ...kept.map(
      ({ order, until }) => `Kept until ${until}: the receiver of the invoice of order ${order} (CFF art. 30).`,
    ),
    ...kept_documents.map(
      ({ order, documents, until }) =>
        `Kept until ${until}: ${documents} prescription documents of order ${order} (antibiotics agreement of 2010).`,
    ),
  ];
  return lines.map((line) => (line === false ? '' : `${line}\n`)).join('');
}

export const patientCommands: readonly Command[] = [patientsErase];
