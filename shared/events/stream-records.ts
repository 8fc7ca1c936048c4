import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type OrderEvent, parseEvent } from '../order/order-events.ts';
import { creationKey, parseCreationKey, parseOrderPartition, UNPUBLISHED_PARTITION } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { expiry } from './feed.ts';

export type StreamPlace = {
  readonly orderId: number;
  readonly sequenceNumber: string;
  /** The time of the write, to the second. */
  readonly writtenAt: Date;
};

export function readStreamPlace({ dynamodb }: DynamoDBRecord): StreamPlace {
  const { SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb ?? {};
  return {
    orderId: parseOrderPartition(String(readImage(dynamodb?.Keys).pk)),
    sequenceNumber: SequenceNumber,
    writtenAt: new Date(ApproximateCreationDateTime * 1_000),
  };
}

/** Throws InvalidItem. */
export const parseEventRecord = ({ dynamodb }: DynamoDBRecord): OrderEvent => parseEvent(readImage(dynamodb?.NewImage));

const readImage = (image: object = {}): Item => unmarshall(image as Record<string, AttributeValue>);

const storedRow = z.object({ code: z.string() });

/** `code`: the reason, by the paths of invalid fields. */
type UnpublishedOrder = { readonly orderId: number; readonly writtenAt: string; readonly code: string };

/** Records that an order's event could not be published; a repetition writes the same row. */
export async function recordUnpublished(
  table: Table,
  { orderId, writtenAt }: StreamPlace,
  code: string,
): Promise<void> {
  const key = { pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt.toISOString(), orderId) };
  await table.putAll([{ ...toItem(key, { code }), ttl: expiry(writtenAt) }]);
}

/** Returns the orders with unpublishable events of the last 35 days, oldest first. */
export async function listUnpublished(table: Table): Promise<UnpublishedOrder[]> {
  const items = await table.all({ pk: UNPUBLISHED_PARTITION });
  return items.map((item) => {
    const { createdAt: writtenAt, order: orderId } = parseCreationKey(String(item.sk));
    return { orderId, writtenAt, ...parseItem(storedRow, item, 'unpublished order') };
  });
}

export async function forgetUnpublished(table: Table, orderId: number): Promise<void> {
  const rows = (await listUnpublished(table)).filter((row) => row.orderId === orderId);
  const keys = rows.map(({ writtenAt }) => ({ pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt, orderId) }));
  await table.deleteAll(keys);
}
