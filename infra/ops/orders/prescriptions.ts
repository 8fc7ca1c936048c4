import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import { date, requiredText } from '../../../shared/api/fields.ts';
import type { ValidationError } from '../../../shared/domain/refusal.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { quantityText } from '../../../shared/order/operate-order.ts';
import type { Order } from '../../../shared/order/order.ts';
import { planMove } from '../../../shared/ordering/move-order.ts';
import { attachPrescription } from '../../../shared/prescriptions/attach-prescription.ts';
import { rejectPrescription, verifyPrescription } from '../../../shared/prescriptions/judge-prescription.ts';
import { isLicence, type Prescriber, sumPrescribed } from '../../../shared/prescriptions/rules/prescription.ts';
import { prescriptionConfig } from '../../../shared/runtime/config.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { type Command, command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { flag, orderId, path, recordId, version } from '../input.ts';
import { copyText, representCopy, toChangedResult } from './show.ts';

const ordersAttach = command({
  name: 'orders attach-prescription',
  summary: 'Add a prescription to an order: a PDF, JPEG or PNG file of at most 3 MB, all files of an order 4 MB',
  example: '42 --file receta.pdf --issue-date 2026-11-01',
  positional: ['id'],
  input: z.object({
    id: orderId,
    file: path('path'),
    issueDate: date.meta({ title: 'YYYY-MM-DD' }),
    expiringDate: date.meta({ title: 'YYYY-MM-DD' }).optional(),
  }),
  async run({ file, expiringDate = null, ...attached }, context) {
    const document = { bytes: await readFile(file), fileName: basename(file), expiringDate };
    const attachment = { ...attached, ...document, ...(await context.operation()) };
    const { table, documents, business } = context;
    const order = await attachPrescription(attachment, { table, ids: new Ids(table), documents, business });
    const added = order.prescriptions.at(-1)?.id;
    return toChangedResult(order, `Prescription ${added} is attached to order ${order.id}, not verified yet.`, context);
  },
});

const prescription = recordId.optional();
const licence = requiredText(8)
  .refine(isLicence, 'not_a_licence' satisfies MessageCode)
  .meta({ title: '1234567' });

export const ordersVerify = command({
  name: 'orders verify-prescription',
  summary: 'Record that a pharmacist has approved the prescriptions of an order, or one of them, for its present lines',
  example: '42 --prescriber "Dra. Eva Luna" --licence 1234567',
  details: `--prescriber, --licence (cédula profesional) and --prescriber-address are for the dispensing record, and may be given later by
verifying again.

`,
  positional: ['id'],
  input: z.object({
    id: orderId,
    prescription: prescription.describe('only this one, also if it was rejected'),
    version,
    prescriber: requiredText(120).meta({ title: 'name' }).optional(),
    licence: licence.optional(),
    prescriberAddress: requiredText(255).meta({ title: 'address' }).optional(),
    acceptAge: flag.describe('verify one that was issued longer ago than prescriptionMaximumAgeDays'),
    acceptCopy: flag.describe('verify one whose document stands in another order too, judged there or not'),
    approve: flag.describe('approve the order in the same step, or verify nothing where that is not possible'),
  }),
  check: readPrescriber,
  async run({ id, prescription, version, acceptAge, acceptCopy, approve, ...written }, context) {
    const { table, business } = context;
    const operation = await context.operation();
    const andThen = (order: Order) => planMove(order, { to: 'approved', ...operation }, business);
    const maximumAgeDays = prescriptionConfig().PRESCRIPTION_MAXIMUM_AGE_DAYS;
    const accepted = { age: acceptAge ? 'accepted' : 'checked', copy: acceptCopy ? 'accepted' : 'checked' } as const;
    const verified = { id, version, prescription, prescriber: readPrescriber(written), ...accepted };
    const verification = { ...verified, ...operation, ...(approve && { andThen }) };
    const { order, copies } = await verifyPrescription(verification, { table, business, maximumAgeDays });
    const sentence = `${verificationText(order, prescription)}${approve ? ' The order is approved.' : ''}`;
    const { document, text } = await toChangedResult(order, sentence, context);
    return { document, text: `${text}${copies.map((each) => copyText(representCopy(each))).join('')}` };
  },
});

type WrittenPrescriber = {
  readonly [Field in 'prescriber' | 'licence' | 'prescriberAddress']?: string | undefined;
};

const WITHOUT_NAME: readonly ValidationError[] = [{ path: ['prescriber'], code: 'required' }];

function readPrescriber({ prescriber: name, licence, prescriberAddress: address }: WrittenPrescriber) {
  if (name !== undefined) return { name, licence: licence ?? null, address: address ?? null } satisfies Prescriber;
  if (licence !== undefined) throw new UsageError('--licence: It goes with --prescriber.', WITHOUT_NAME);
  if (address !== undefined) throw new UsageError('--prescriber-address: It goes with --prescriber.', WITHOUT_NAME);
  return undefined;
}

function verificationText({ id, lines, prescriptions }: Order, prescription: number | undefined): string {
  const isAll = prescriptions.every(({ rejection }) => rejection === null);
  const which = prescription === undefined ? 'Every prescription' : `Prescription ${prescription}`;
  const except = prescription !== undefined || isAll ? '' : ' that was not rejected';
  const what = sumPrescribed(lines).map(quantityText).join(', ');
  return `${which} of order ${id}${except} is verified now${what && ` for: ${what}`}.`;
}

export const ordersReject = command({
  name: 'orders reject-prescription',
  summary: 'Record why a pharmacist has rejected a prescription of an order; the order stays where it is',
  example: '42 --reason "Sin firma de quien prescribe"',
  positional: ['id'],
  input: z.object({ id: orderId, prescription, reason: requiredText(200).meta({ title: 'text' }), version }),
  async run(rejection, context) {
    const { order, judged } = await rejectPrescription({ ...rejection, ...(await context.operation()) }, context.table);
    return toChangedResult(order, `Prescription ${judged[0]?.id} of order ${order.id} is rejected.`, context);
  },
});

export const prescriptionCommands: readonly Command[] = [ordersAttach, ordersVerify, ordersReject];
