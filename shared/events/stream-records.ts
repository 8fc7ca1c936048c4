import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import type { Order } from '../order/order.ts';
import { parseOrder } from '../order/order-item.ts';
import {
  creationKey,
  parseCreationKey,
  parseFeedPartition,
  parseOrderKey,
  toKey,
  UNTOLD_PARTITION,
} from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { expiry } from './feed.ts';

/** The place of an order's version in the stream of the table. */
export type StreamPlace = {
  readonly clientId: number;
  readonly orderId: number;
  readonly sequenceNumber: string;
  /** The time of the write, to the second. */
  readonly writtenAt: Date;
};

/** Returns the place of a record of an order. */
export function readStreamPlace({ dynamodb }: DynamoDBRecord): StreamPlace {
  const { SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb ?? {};
  const key = toKey(readImage(dynamodb?.Keys) ?? {});
  return {
    ...parseOrderKey(key),
    sequenceNumber: SequenceNumber,
    writtenAt: new Date(ApproximateCreationDateTime * 1_000),
  };
}

/** A version of an order as it was written; `before` is the version that it replaced, 0 if the order is new. */
export type WrittenOrder = { readonly order: Order; readonly before: number };

/** Parses the order of a record, undefined if it was removed. Throws InvalidItem. */
export function parseWrittenOrder({ dynamodb }: DynamoDBRecord): WrittenOrder | undefined {
  const item = readImage(dynamodb?.NewImage);
  if (!item) return undefined;
  const before = Number(readImage(dynamodb?.OldImage)?.version ?? 0);
  return { order: parseOrder(item), before };
}

// An event of a later release is passed on as it is.
const feedRow = z.object({ event: z.looseObject({ type: z.string(), time: z.string() }) });

/** An event of a client's feed as it was written. */
type WrittenEvent = z.infer<typeof feedRow> & { readonly clientId: number; readonly sequenceNumber: string };

/** Parses the event of a record of a new row of a feed. Throws InvalidItem. */
export function parseFeedRecord({ dynamodb }: DynamoDBRecord): WrittenEvent {
  const { SequenceNumber: sequenceNumber = '' } = dynamodb ?? {};
  const item = readImage(dynamodb?.NewImage) ?? {};
  const { event } = parseItem(feedRow, item, 'event');
  return { event, clientId: parseFeedPartition(toKey(item).pk), sequenceNumber };
}

const readImage = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);

const storedRow = z.object({ clientId: z.number(), code: z.string() });

/** An order with a version that could not be told; `code` says why, by the paths of bad fields. */
export type UntoldOrder = {
  readonly orderId: number;
  readonly clientId: number;
  readonly writtenAt: string;
  readonly code: string;
};

/** Notes that a version of an order could not be told. Noted again, it is the same row. */
export async function noteUntold(table: Table, place: StreamPlace, code: string): Promise<void> {
  const { clientId, orderId, writtenAt } = place;
  const key = { pk: UNTOLD_PARTITION, sk: creationKey(writtenAt.toISOString(), orderId) };
  await table.putAll([{ ...toItem(key, { clientId, code }), ttl: expiry(writtenAt) }]);
}

/** Returns the orders that could not be told in the last 35 days, the oldest first. */
export async function listUntold(table: Table): Promise<UntoldOrder[]> {
  const items = await table.all({ pk: UNTOLD_PARTITION });
  return items.map(toUntold);
}

function toUntold(item: Item): UntoldOrder {
  const { createdAt, order } = parseCreationKey(String(item.sk));
  return { orderId: order, writtenAt: createdAt, ...parseItem(storedRow, item, 'untold order') };
}

/** Forgets that versions of an order could not be told. */
export async function forgetUntold(table: Table, orderId: number): Promise<void> {
  const rows = (await listUntold(table)).filter((row) => row.orderId === orderId);
  await table.deleteAll(rows.map(({ writtenAt }) => ({ pk: UNTOLD_PARTITION, sk: creationKey(writtenAt, orderId) })));
}
