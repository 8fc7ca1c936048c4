import * as z from 'zod';
import { REFUND_STATUSES } from '../../domain/refund.ts';
import { amount, timestamp } from '../fields.ts';
import { distinctChoices } from '../lists.ts';

/** What an order shows only when it is asked for. */
const INCLUDABLE = ['refunds'] as const;
export type Included = (typeof INCLUDABLE)[number];

const refund = z
  .strictObject({
    amount: amount.describe('The amount that goes back.'),
    form: z.string().max(2).describe('SAT’s form of payment in which it goes back (c_FormaPago).'),
    refunded_at: timestamp.describe('Time at which it was recorded.'),
    status: z
      .enum(REFUND_STATUSES)
      .describe(
        '`succeeded` once it has gone back; `requested` and `pending` are on their way, `failed` has not gone back.',
      ),
  })
  .meta({ id: 'Refund', description: 'Money of an order that goes back to who paid it.' });

/** The fields of an order that `include` asks for. */
export const included = {
  refunds: z.array(refund).optional().describe('What goes back of it, the oldest first; only with `include=refunds`.'),
};

export const includeQuery = z.object({
  include: distinctChoices(INCLUDABLE)
    .optional()
    .describe('Fields that an order shows only when they are asked for, separated by commas.'),
});
