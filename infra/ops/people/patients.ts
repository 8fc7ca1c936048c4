import * as z from 'zod';
import { removedDocuments } from '../../../shared/store/people/erasure.ts';
import { userByEmail } from '../../../shared/store/people/users.ts';
import type { Table } from '../../../shared/store/table.ts';
import { eraseRetained } from '../../../shared/usecases/people/erase-order.ts';
import {
  type Erasure,
  erasePatient,
  isErased,
  planErasure,
  prepareErasure,
} from '../../../shared/usecases/people/erase-patient.ts';
import { type Command, command } from '../command.ts';
import type { Call } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, flag, recordId } from '../input.ts';
import { countText } from '../output.ts';
import { ask, withProgress } from '../prompt.ts';

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
    const patientId = id ?? (await readPatientId(context.table, client, email ?? ''));
    const asked = { clientId: client, patientId, now: context.now };
    const plan = await (dryRun ? planErasure : prepareErasure)(asked, context);
    if (!dryRun && !isErased(plan)) {
      if (!yes) await confirm(patientId, plan, context);
      const erasing = { ...asked, operator: await context.operator() };
      await withProgress('Erasing', context, (onProgress) => erasePatient(erasing, context, onProgress));
    }
    return {
      document: { client, patient: patientId, dry_run: dryRun, ...toErasureDocument(plan) },
      text: dryRun ? `${planText(patientId, plan)}Nothing was removed.\n` : doneText(patientId, plan),
    };
  },
});

async function readPatientId(table: Table, client: number, address: string): Promise<number> {
  const user = await userByEmail(table, client, address);
  if (!user) throw new CommandRefusal(`Client ${client} has nobody with this e-mail.`);
  return user.id;
}

async function confirm(patientId: number, plan: Erasure, call: Call): Promise<void> {
  if (!call.isTerminal) throw new UsageError('To erase, say --yes; to see what that would remove, say --dry-run.');
  call.stderr.write(planText(patientId, plan));
  const question = `This cannot be undone. To go on, type the id of the patient, ${patientId}: `;
  const [typed = ''] = await ask([question], call, 'shown');
  if (typed.trim() !== String(patientId)) throw new CommandRefusal('That is another id: nothing was removed.');
}

const toErasureDocument = (plan: Erasure) => ({
  orders: orderIds(plan),
  documents: countDocuments(plan),
  invoicing_records: plan.person?.records ?? 0,
  patient_record: plan.person !== null,
  kept: plan.kept.map(({ orderId, cfdi, until }) => ({ order: orderId, cfdi, until })),
  kept_documents: plan.retained.map(({ orderId, documents, until }) => ({ order: orderId, documents, until })),
});

const orderIds = ({ orders }: Erasure): number[] => orders.map(({ before }) => before.id);

const countDocuments = ({ orders }: Erasure): number =>
  orders.reduce((sum, { before, after }) => sum + removedDocuments(before, after).length, 0);

const planText = (patientId: number, plan: Erasure): string =>
  `To be removed of patient ${patientId}:\n${erasureText(plan)}`;

const doneText = (patientId: number, plan: Erasure): string =>
  isErased(plan)
    ? `Nothing is left of patient ${patientId}.\n${keptText(plan)}`
    : `Removed of patient ${patientId}:\n${erasureText(plan)}`;

function erasureText(plan: Erasure): string {
  const { orders, person } = plan;
  const ids = orderIds(plan).join(', ');
  return [
    person ? `- the record with e-mail, phone and default address\n- ${person.records} invoicing records\n` : '',
    orders.length > 0 ? `- names, addresses and comments in ${orders.length} orders: ${ids}\n` : '',
    orders.length > 0 ? `- ${countDocuments(plan)} prescriptions with their documents\n` : '',
    keptText(plan),
  ].join('');
}

const keptText = ({ kept, retained }: Erasure): string =>
  [...kept.map(keptLine), ...retained.map(retainedLine)].join('');
const keptLine = ({ orderId, until }: Erasure['kept'][number]): string =>
  `Kept until ${until}: the receiver of the invoice of order ${orderId} (CFF art. 30).\n`;
const retainedLine = ({ orderId, documents, until }: Erasure['retained'][number]): string =>
  `Kept until ${until}: ${documents} prescription documents of order ${orderId} (antibiotics agreement of 2010).\n`;

const patientsEraseDue = command({
  name: 'patients erase-due',
  summary: 'Remove what was kept of erased patients until a day that is over, as AWS does every six hours',
  async run(_, context) {
    const { erased = 0, later = 0, paused = 0, failed = 0 } = await eraseRetained(await context.act(), context);
    const left = later + paused + failed;
    return {
      document: { erased, left },
      text: `Removed what ${countText(erased, 'order')} kept of erased patients.\n`,
      failure: left > 0 ? `${left} could not be changed: run it again.` : undefined,
    };
  },
});

export const patientCommands: readonly Command[] = [patientsErase, patientsEraseDue];
