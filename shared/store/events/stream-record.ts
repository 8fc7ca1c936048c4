import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { parseFeedPartition, parseOrderKey, toKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/order-item.ts';
import { parseItem } from '../parse-item.ts';
import type { Item } from '../table.ts';

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
  const key = toKey(toItem(dynamodb?.Keys) ?? {});
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
  const item = toItem(dynamodb?.NewImage);
  if (!item) return undefined;
  const before = Number(toItem(dynamodb?.OldImage)?.version ?? 0);
  return { order: parseOrder(item), before };
}

// An event of a later release is passed on as it is.
const feedRow = z.object({ event: z.looseObject({ type: z.string(), time: z.string() }) });

/** An event of a client's feed as it was written. */
type WrittenEvent = z.infer<typeof feedRow> & { readonly clientId: number; readonly sequenceNumber: string };

/** Parses the event of a record of a new row of a feed. Throws InvalidItem. */
export function parseFeedRecord({ dynamodb }: DynamoDBRecord): WrittenEvent {
  const { SequenceNumber: sequenceNumber = '' } = dynamodb ?? {};
  const item = toItem(dynamodb?.NewImage) ?? {};
  const { event } = parseItem(feedRow, item, 'event');
  return { event, clientId: parseFeedPartition(toKey(item).pk), sequenceNumber };
}

const toItem = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);
