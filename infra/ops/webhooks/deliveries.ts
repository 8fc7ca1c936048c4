import * as z from 'zod';
import { openTable } from '../../../shared/store/table.ts';
import { DELIVERY_STATUSES, type Delivery, listDeliveries } from '../../../shared/store/webhooks/deliveries.ts';
import { command } from '../command.ts';
import { listLimit, recordId } from '../input.ts';
import { textTable } from '../terminal/text-table.ts';
import { endpointId, existingEndpoint } from './existing-endpoint.ts';

const COLUMNS = ['number', 'event', 'type', 'status', 'tries', 'answer', 'duration_ms', 'last_tried_at'] as const;

export const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  effect: 'reads',
  summary: 'List what became of the events of a webhook in the last 30 days, the latest first',
  example: '1 --status given_up',
  details: '--before takes the number of the last event of a page, for the next page.\n\n',
  arguments: { webhook: endpointId },
  options: { status: z.enum(DELIVERY_STATUSES).optional(), before: recordId.optional(), limit: listLimit },
  async run({ webhook, ...page }, call) {
    const table = openTable();
    const { id } = await existingEndpoint(webhook, table);
    const deliveries = (await listDeliveries(table, id, page)).map(showDelivery);
    const last = deliveries.length === page.limit ? deliveries.at(-1)?.number : undefined;
    return {
      document: { deliveries },
      text: textTable(COLUMNS, deliveries, call),
      remark: last === undefined ? undefined : `There may be more: --before ${last}`,
    };
  },
});

const showDelivery = (delivery: Delivery) => ({
  number: delivery.sequence,
  event: delivery.eventId,
  type: delivery.type,
  order: delivery.orderId,
  status: delivery.status,
  tries: delivery.tries,
  answer: delivery.answerStatus ?? delivery.answerCode,
  duration_ms: delivery.durationMs,
  last_tried_at: delivery.lastTriedAt,
});
