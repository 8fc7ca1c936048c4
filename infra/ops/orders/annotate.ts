import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { INSURANCE_REFUND_STATUSES } from '../../../shared/order/rules/status.ts';
import { addNote, updateOrder } from '../../../shared/ordering/annotate-order.ts';
import { command } from '../command.ts';
import { orderId, refuseNoChange, version } from '../input.ts';
import { toChangedResult } from './show.ts';

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
