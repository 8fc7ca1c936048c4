import * as z from 'zod';
import { email } from '../../../shared/api/fields.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { userByEmail } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import {
  type Erasure,
  erasePatient,
  isErased,
  type PatientToErase,
  planErasure,
} from '../../../shared/usecases/people/erase-patient.ts';
import {
  type Command,
  type CommandIo,
  CommandRefusal,
  command,
  positionals,
  printJson,
  UsageError,
} from '../command.ts';
import { idOption, validOptions } from '../options.ts';
import { openDocuments } from '../orders/documents.ts';
import { withProgress } from '../terminal/progress.ts';
import { ask } from '../terminal/prompt.ts';

const eraseOptions = z.object({
  client: idOption,
  email: email.optional(),
  id: idOption.optional(),
  'dry-run': z.boolean().default(false),
  yes: z.boolean().default(false),
});
type EraseOptions = z.output<typeof eraseOptions>;

const patientsErase = command({
  name: 'patients erase',
  summary:
    'Remove a patient and their documents for good. The figures of their orders stay, and so does the receiver of an ' +
    'issued invoice until tax law needs it no more (CFF art. 30)',
  usage: '--client <id> (--email <e-mail> | --id <id>) [--dry-run] [--yes]',
  example: '--client 2 --email luz.mora@example.mx --dry-run',
  options: {
    client: { type: 'string' },
    email: { type: 'string' },
    id: { type: 'string' },
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  async run(input, io) {
    positionals(input);
    const options = validOptions(eraseOptions, input.values);
    const deps = { table: openTable(), business: business(), documents: openDocuments() };
    const asked = await patientOf(options, deps.table);
    const plan = await planErasure(asked, deps);
    if (!options['dry-run'] && !isErased(plan)) {
      await confirm(asked, options, plan, io);
      await withProgress('Erasing', io, (onProgress) => erasePatient(asked, deps, onProgress));
    }
    const result = {
      client: asked.clientId,
      patient: asked.patientId,
      dry_run: options['dry-run'],
      ...described(plan),
    };
    if (input.isJson) return printJson(io, result);
    io.stdout.write(options['dry-run'] ? `${planText(asked, plan)}Nothing was removed.\n` : doneText(asked, plan));
    return 0;
  },
});

async function patientOf({ client, email, id }: EraseOptions, table: Table): Promise<PatientToErase> {
  if ((email === undefined) === (id === undefined)) throw new UsageError('one of --email and --id');
  if (id !== undefined) return { clientId: client, patientId: id, now: now() };
  const user = await userByEmail(table, client, email ?? '');
  if (user) return { clientId: client, patientId: user.id, now: now() };
  throw new CommandRefusal(`Client ${client} has nobody with this e-mail.`);
}

async function confirm(
  { patientId }: PatientToErase,
  { yes }: EraseOptions,
  plan: Erasure,
  io: CommandIo,
): Promise<void> {
  if (yes) return;
  if (!io.isTerminal) throw new UsageError('say --yes to erase, or --dry-run to see what that would remove');
  io.stderr.write(planText({ patientId }, plan));
  const [typed = ''] = await ask([`This cannot be undone. To go on, type the id of the patient, ${patientId}: `], io);
  if (typed.trim() !== String(patientId)) throw new CommandRefusal('That is another id: nothing was removed.');
}

const described = ({ orders, person, kept }: Erasure) => ({
  orders: orders.map(({ before }) => before.id),
  documents: documentsOf(orders),
  invoicing_records: person?.records ?? 0,
  patient_record: person !== null,
  kept: kept.map(({ orderId, cfdi, until }) => ({ order: orderId, cfdi, until })),
});

const documentsOf = (orders: Erasure['orders']): number =>
  orders.reduce((sum, { before }) => sum + before.prescriptions.length, 0);

const planText = ({ patientId }: Pick<PatientToErase, 'patientId'>, plan: Erasure): string =>
  `To be removed of patient ${patientId}:\n${listText(plan)}`;

const doneText = ({ patientId }: PatientToErase, plan: Erasure): string =>
  isErased(plan)
    ? `Nothing is left of patient ${patientId}.\n${keptText(plan)}`
    : `Removed of patient ${patientId}:\n${listText(plan)}`;

function listText(plan: Erasure): string {
  const { orders, person } = plan;
  const ids = orders.map(({ before }) => before.id).join(', ');
  return [
    person ? `- the record with e-mail, phone and default address\n- ${person.records} invoicing records\n` : '',
    orders.length > 0 ? `- names, addresses and comments in ${orders.length} orders: ${ids}\n` : '',
    orders.length > 0 ? `- ${documentsOf(orders)} prescriptions with their documents\n` : '',
    keptText(plan),
  ].join('');
}

const keptText = ({ kept }: Erasure): string =>
  kept
    .map(
      ({ orderId, until }) => `Kept until ${until}: the receiver of the invoice of order ${orderId} (CFF art. 30).\n`,
    )
    .join('');

export const patientCommands: readonly Command[] = [patientsErase];
