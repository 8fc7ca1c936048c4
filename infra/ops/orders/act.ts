import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import { date, requiredText } from '../../../shared/api/fields.ts';
import type { ValidationError } from '../../../shared/domain/refusal.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { quantityText } from '../../../shared/order/operate-order.ts';
import type { Order } from '../../../shared/order/order.ts';
import { INSURANCE_REFUND_STATUSES } from '../../../shared/order/rules/status.ts';
import { addNote, updateOrder } from '../../../shared/ordering/annotate-order.ts';
import { moveOrder, planMove } from '../../../shared/ordering/move-order.ts';
import { askForPayment } from '../../../shared/payments/reconcile-payment.ts';
import { attachPrescription } from '../../../shared/prescriptions/add-prescriptions.ts';
import { rejectPrescription, verifyPrescription } from '../../../shared/prescriptions/judge-prescription.ts';
import { isLicence, type Prescriber, sumPrescribed } from '../../../shared/prescriptions/rules/prescription.ts';
import { prescriptionConfig } from '../../../shared/runtime/config.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { type Command, command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { flag, orderId, path, recordId, refuseNoChange, version } from '../input.ts';
import { Interrupted } from '../prompt.ts';
import { orderStatus, ordersList } from './list.ts';
import { ordersCashUp, ordersHandled, ordersPay, ordersRefund, paymentsList } from './money.ts';
import { ordersRebuild } from './rebuild.ts';
import { ordersExport, ordersRecall } from './reports.ts';
import { copyText, ordersShow, representCopy, toChangedResult } from './show.ts';

const dispensedLot = z
  .string()
  .regex(
    /^[1-9]\d{0,14}:[\p{L}\d][\p{L}\d ./_-]{0,29}:20\d\d-(?:0[1-9]|1[0-2])(?::[1-9]\d{0,4})?$/u,
    'not_a_lot' satisfies MessageCode,
  )
  .transform((written) => {
    const [line = '', lot = '', expiry = '', quantity] = written.split(':');
    return {
      line: Number(line),
      lot: lot.trim(),
      expiry,
      quantity: quantity === undefined ? quantity : Number(quantity),
    };
  });

export const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  example: "42 --to shipped --carrier 'Paquetería Andariega' --tracking 1Z999AA10123456784",
  positional: ['id'],
  input: z.object({
    id: orderId,
    to: orderStatus,
    carrier: requiredText(60).optional().meta({ title: 'name' }).describe('who carries it; with --to shipped'),
    tracking: requiredText(60).optional().meta({ title: 'number' }).describe('its number there; with --to shipped'),
    lot: z
      .array(dispensedLot)
      .max(100)
      .optional()
      .meta({ title: 'line:lot:YYYY-MM[:quantity]' })
      .describe('a lot and its expiry, from which a line is dispensed; with --to in_process'),
    unpaid: flag.describe('prepare an order that is collected before it is paid'),
    refunded: flag.describe('move an order on that was refunded in full'),
    reason: requiredText(200)
      .optional()
      .meta({ title: 'text' })
      .describe('why; with --unpaid or --refunded, or --to cancelled, whose client reads it'),
    version,
  }),
  check({ to, carrier, tracking, lot, unpaid, refunded, reason }) {
    if ((unpaid || refunded) !== (reason !== undefined) && to !== 'cancelled')
      throw new UsageError('--unpaid or --refunded, and --reason: They go together.');
    if (unpaid && to !== 'in_process') throw new UsageError('--unpaid: It goes with --to in_process.');
    if (carrier !== undefined && to !== 'shipped') throw new UsageError('--carrier: It goes with --to shipped.');
    if (tracking !== undefined && to !== 'shipped') throw new UsageError('--tracking: It goes with --to shipped.');
    if (lot !== undefined && to !== 'in_process') throw new UsageError('--lot: It goes with --to in_process.');
  },
  async run({ unpaid, refunded, reason, lot: lots, ...written }, context) {
    const move = { ...written, lots };
    const { carrier, tracking } = move;
    const trackingUrl = carrier && tracking ? await findTrackingUrl(carrier, tracking) : null;
    const reasons = {
      ...(unpaid && { unpaidReason: reason }),
      ...(refunded && { refundedReason: reason }),
      ...(move.to === 'cancelled' && { cancelReason: reason }),
    };
    const moved = await moveOrder({ ...move, ...reasons, trackingUrl, ...(await context.operation()) }, context);
    const isToWithdraw = move.to === 'cancelled' && moved.payment;
    const order = isToWithdraw ? await askForPayment(moved, await context.act(), context) : moved;
    return toChangedResult(order, `Order ${move.id} is ${move.to} now.`, context);
  },
});

/** Returns the page of a shipment, or null: a catalog that cannot be read now keeps no order from being shipped. */
async function findTrackingUrl(carrier: string, tracking: string): Promise<string | null> {
  try {
    return await withPublishedCatalog((catalog) => catalog.trackingUrl(carrier, tracking));
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return null;
  }
}

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
    const order = await attachPrescription(attachment, context);
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
verifying again.`,
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

export const ordersNote = command({
  name: 'orders note',
  summary: 'Add an internal note to an order, with your name and the time; the API never shows it',
  example: '42 "Llamar antes de entregar"',
  positional: ['id', 'text'],
  input: z.object({ id: orderId, text: requiredText(500).describe('the note, of 500 characters at most'), version }),
  async run(note, context) {
    const order = await addNote({ ...note, ...(await context.operation()) }, context.table);
    return toChangedResult(order, `Order ${note.id} has the note now.`, context);
  },
});

const MOST_TAGS = 10;
const TAG = /^[\p{L}\p{N}-]{1,30}$/u;

const tags = z
  .string()
  .max(500)
  .transform((written) => [...new Set(written.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== ''))
  .refine((tags) => tags.length <= MOST_TAGS && tags.every((tag) => TAG.test(tag)), 'not_tags' satisfies MessageCode)
  .meta({ title: 'urgente,frio' });

export const ordersUpdate = command({
  name: 'orders update',
  summary: "Set the tags of an order, or move the status of its insurer's refund forward; clients see both",
  example: '42 --tags urgente,frio --claim sent_to_insurer',
  positional: ['id'],
  input: z.object({
    id: orderId,
    tags: tags.optional().describe('in place of those that it has; "" leaves none'),
    claim: z.enum(INSURANCE_REFUND_STATUSES).optional().describe('its insurance_refund_status'),
    version,
  }),
  check: ({ tags, claim }) => refuseNoChange({ tags, claim }),
  async run(changes, context) {
    const order = await updateOrder({ ...changes, ...(await context.operation()) }, context.table);
    const tagsText = order.tags.join(',') || 'none';
    return toChangedResult(
      order,
      `Order ${changes.id}: tags ${tagsText}, claim ${order.insuranceRefundStatus}.`,
      context,
    );
  },
});

export const orderCommands: readonly Command[] = [
  ordersList,
  ordersShow,
  ordersMove,
  ordersNote,
  ordersUpdate,
  ordersAttach,
  ordersVerify,
  ordersReject,
  ordersPay,
  ordersRefund,
  ordersHandled,
  ordersCashUp,
  paymentsList,
  ordersExport,
  ordersRecall,
  ordersRebuild,
];
