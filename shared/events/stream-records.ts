import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type OrderEvent, parseEvent } from '../order/order-events.ts';
import { creationKey, parseCreationKey, parseOrderPartition, UNPUBLISHED_PARTITION } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { expiry } from './feed.ts';

/** The place of an order's event in the stream of the table. */
export type StreamPlace = {
  readonly orderId: number;
  readonly sequenceNumber: string;
  /** The time of the write, to the second. */
  readonly writtenAt: Date;
};

/** Returns the place of the record of an event. */
export function readStreamPlace({ dynamodb }: DynamoDBRecord): StreamPlace {
  const { SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb ?? {};
  return {
    orderId: parseOrderPartition(String(readImage(dynamodb?.Keys).pk)),
    sequenceNumber: SequenceNumber,
    writtenAt: new Date(ApproximateCreationDateTime * 1_000),
  };
}

/** Parses the event of a record. Throws InvalidItem. */
export const parseEventRecord = ({ dynamodb }: DynamoDBRecord): OrderEvent => parseEvent(readImage(dynamodb?.NewImage));

const readImage = (image: object = {}): Item => unmarshall(image as Record<string, AttributeValue>);

const storedRow = z.object({ code: z.string() });

/** An order with an event that could not be published; `code` says why, by the paths of bad fields. */
type UnpublishedOrder = { readonly orderId: number; readonly writtenAt: string; readonly code: string };

/** Notes that an event of an order could not be published. Noted again, it is the same row. */
export async function noteUnpublished(table: Table, { orderId, writtenAt }: StreamPlace, code: string): Promise<void> {
  const key = { pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt.toISOString(), orderId) };
  await table.putAll([{ ...toItem(key, { code }), ttl: expiry(writtenAt) }]);
}

/** Returns the orders with events that could not be published in the last 35 days, the oldest first. */
export async function listUnpublished(table: Table): Promise<UnpublishedOrder[]> {
  const items = await table.all({ pk: UNPUBLISHED_PARTITION });
  return items.map((item) => {
    const { createdAt: writtenAt, order: orderId } = parseCreationKey(String(item.sk));
    return { orderId, writtenAt, ...parseItem(storedRow, item, 'unpublished order') };
  });
}

/** Forgets that events of an order could not be published. */
export async function forgetUnpublished(table: Table, orderId: number): Promise<void> {
  const rows = (await listUnpublished(table)).filter((row) => row.orderId === orderId);
  const keys = rows.map(({ writtenAt }) => ({ pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt, orderId) }));
  await table.deleteAll(keys);
}
