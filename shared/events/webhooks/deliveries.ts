import * as z from 'zod';
import { deliveriesPartition, deliveryKey, type Key } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import type { Item, Table } from '../../store/table.ts';
import type { FeedEvent } from '../feed.ts';
import type { WebhookAnswer } from './send.ts';

export const DELIVERY_STATUSES = ['delivered', 'retrying', 'given_up'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

// As long as the API promises events.
const KEPT_SECONDS = 30 * 24 * 60 * 60;

const storedDelivery = z.object({
  sequence: z.number(),
  eventId: z.string(),
  type: z.string(),
  orderId: z.number(),
  status: z.enum(DELIVERY_STATUSES),
  tries: z.number(),
  /** The HTTP status of the last answer; null without one, and then `answerCode` is the failure. */
  answerStatus: z.number().nullable(),
  answerCode: z.string().nullable(),
  durationMs: z.number(),
  lastTriedAt: z.string(),
});
export type Delivery = Readonly<z.infer<typeof storedDelivery>>;

type Try = Pick<Delivery, 'status' | 'tries'> & { readonly answer: WebhookAnswer; readonly sentAt: Date };

export async function putDelivery(
  table: Table,
  endpoint: number,
  { sequence, event }: FeedEvent,
  { status, tries, answer, sentAt }: Try,
): Promise<void> {
  const delivery: Delivery = {
    sequence,
    eventId: event.id,
    type: event.type,
    orderId: event.order.id,
    status,
    tries,
    answerStatus: answer.status,
    answerCode: answer.code,
    durationMs: answer.durationMs,
    lastTriedAt: sentAt.toISOString(),
  };
  const ttl = Math.ceil(sentAt.getTime() / 1_000) + KEPT_SECONDS;
  await table.putAll([{ ...toItem(deliveryKey(endpoint, sequence), delivery), ttl }]);
}

/** Returns the numbers of the events in this span that are delivered or given up. One query. */
export async function finishedSequences(
  table: Table,
  endpoint: number,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<Set<number>> {
  const items = await table.all({
    pk: deliveriesPartition(endpoint),
    where: 'sk BETWEEN :from AND :until',
    values: { ':from': deliveryKey(endpoint, from).sk, ':until': deliveryKey(endpoint, until).sk },
  });
  const deliveries = items.map(parseDelivery).filter(({ status }) => status !== 'retrying');
  return new Set(deliveries.map(({ sequence }) => sequence));
}

const parseDelivery = (item: Item): Delivery => parseItem(storedDelivery, item, 'webhook delivery');

type DeliveryPage = {
  readonly status?: DeliveryStatus | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
};

/** Returns deliveries, latest event first. With a status it may read many more than it returns, so it is for operators only. */
export async function listDeliveries(table: Table, endpoint: number, page: DeliveryPage): Promise<Delivery[]> {
  const { status, before, limit } = page;
  const after: Key | undefined = before === undefined ? undefined : deliveryKey(endpoint, before);
  const deliveries: Delivery[] = [];
  for await (const items of table.pages({ pk: deliveriesPartition(endpoint), isDescending: true, after })) {
    deliveries.push(
      ...items.map(parseDelivery).filter((delivery) => status === undefined || delivery.status === status),
    );
    if (deliveries.length >= limit) break;
  }
  return deliveries.slice(0, limit);
}
