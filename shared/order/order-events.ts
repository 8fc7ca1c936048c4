import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { erase, erases, isErased } from '../domain/erasure.ts';
import { DOCUMENT_KINDS, DOCUMENT_STATUSES } from '../invoices/rules/document-values.ts';
import { listDocuments, type TaxDocument } from '../invoices/rules/tax-document.ts';
import { END_OF_EVENTS, EVENT_START, orderEventKey, orderPartition } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { batches, between, type Item, PRESENT, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';
import { isPatientErased, type Order } from './order.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from './rules/status.ts';

const DOCUMENT_EVENT_NAMES = { invoice: 'invoice', payment: 'complement', credit: 'credit_note' } as const;

/** The kinds of order events; the status of a tax document gives `invoice_issued` and the like. */
const ORDER_EVENTS = [
  'created',
  'changed',
  'tagged',
  'claim_moved',
  'noted',
  'cancelled',
  'moved',
  'paid',
  'payment_moved',
  'refunded',
  'payment_requested',
  'payment_rejected',
  'payment_not_made',
  'payment_mismatched',
  'payment_disputed',
  'payment_handled',
  'refund_failed',
  'prescription_attached',
  'prescription_verified',
  'prescription_age_accepted',
  'prescriber_recorded',
  'prescription_rejected',
  ...DOCUMENT_KINDS.flatMap((kind) =>
    DOCUMENT_STATUSES.map((status) => `${DOCUMENT_EVENT_NAMES[kind]}_${status}` as const),
  ),
  'invoiced_globally',
  'invoice_handled',
  'invoice_mailed',
  'mail_unconfirmed',
  'mail_given_up',
  'erased',
] as const;

/** A user by id, an operator by ARN on AWS (locally by the system's user name), or a job. */
const actor = z.union([z.object({ user: z.number() }), z.object({ operator: z.string() }), z.literal('system')]);
type Actor = Readonly<z.infer<typeof actor>>;

export type Act = { readonly by: Actor; readonly now: Date };

export const storedEvent = z.object({
  clientId: z.number(),
  orderId: z.number(),
  /** The order's version that it made, and its place among that version's events. */
  version: z.number(),
  place: z.number(),
  what: z.enum(ORDER_EVENTS),
  at: z.string(),
  by: actor,
  /** The statuses of order or payment before and after, or the refunded sums (`100.00`). */
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  prescriptions: z.array(z.number()).readonly().exactOptional(),
  /** The operator's words, which may name the patient. */
  reason: erases(z.string().exactOptional(), undefined),
  /** A tracking number leads to where the patient lives. */
  shipment: erases(
    z.object({ carrier: z.string().nullable(), trackingNumber: z.string().nullable() }).exactOptional(),
    undefined,
  ),
  orderStatus: z.enum(ORDER_STATUSES),
  paymentStatus: z.enum(PAYMENT_STATUSES),
  /** Its number in the client's feed; absent until it is published. */
  sequence: z.number().exactOptional(),
});
export type OrderEvent = Readonly<z.infer<typeof storedEvent>>;

/** An event as declared by the code that changes the order. */
export type Happening = Pick<OrderEvent, 'what' | 'from' | 'to' | 'prescriptions' | 'reason' | 'shipment'>;

export const eventWrites = (after: Order, act: Act, happenings: readonly Happening[]): Write[] =>
  happenings.map((happening, place) => ({ Put: { Item: toEventItem(toEvent(after, act, happening, place)) } }));

function toEvent(after: Order, { by, now }: Act, happening: Happening, place: number): OrderEvent {
  const { clientId, id: orderId, version, orderStatus, paymentStatus } = after;
  const event = { clientId, orderId, version, place, at: now.toISOString(), by, ...happening };
  return { ...(isPatientErased(after) ? erase(storedEvent, event) : event), orderStatus, paymentStatus };
}

export const toEventItem = (event: OrderEvent): Item => toItem(orderEventKey(event), event);

export const parseEvent = (item: Item): OrderEvent => parseItem(storedEvent, item, 'order event');

/** Oldest first; one query. */
export async function readOrderEvents(table: Table, orderId: number): Promise<OrderEvent[]> {
  const items = await table.all({ pk: orderPartition(orderId), ...between(EVENT_START, END_OF_EVENTS) });
  return items.map(parseEvent);
}

const UNPUBLISHED_PAGE = 25;

/** Returns the stored events of an order after the last published one, oldest first. */
export async function readUnpublishedEvents(table: Table, orderId: number): Promise<Item[]> {
  const events: Item[] = [];
  const query = { pk: orderPartition(orderId), ...between(EVENT_START, END_OF_EVENTS) };
  for await (const page of table.pages({ ...query, isDescending: true, pageSize: UNPUBLISHED_PAGE })) {
    const published = page.findIndex(({ sequence }) => sequence !== undefined);
    events.push(...(published === -1 ? page : page.slice(0, published)));
    if (published !== -1) break;
  }
  return events.reverse();
}

/** Returns the write of an event's number in the feed; the condition fails if it has one. */
export const publishedWrite = (event: OrderEvent, sequence: number): Write => {
  const where = `${PRESENT} AND attribute_not_exists(#sequence)`;
  return { Update: toUpdate(orderEventKey(event), { set: { sequence }, where }) };
};

/** Erases personal data from an order's events. Safe to run twice. */
export async function eraseOrderEvents(table: Table, orderId: number): Promise<void> {
  const events = await readOrderEvents(table, orderId);
  const personal = events.filter((event) => !isDeepStrictEqual(erase(storedEvent, event), event));
  const writes = personal.map((event) => ({ Update: toUpdate(orderEventKey(event), { remove: PERSONAL }) }));
  for (const batch of batches(writes)) await table.transact(batch);
}

const PERSONAL = Object.entries(storedEvent.shape).flatMap(([field, schema]) => (isErased(schema) ? field : []));

export const requestedEvents = (documents: readonly TaxDocument[]): Happening[] =>
  documents.map(({ kind }) => ({ what: `${DOCUMENT_EVENT_NAMES[kind]}_requested` }));

/** Compares, since one change may issue a document, cancel another and owe a third. */
export function listDocumentEvents(before: Order, after: Order): Happening[] {
  const earlier = new Map(listDocuments(before).map((document) => [document.key, document]));
  return listDocuments(after).flatMap((document) => listEvents(earlier.get(document.key), document));
}

const MAIL_EVENTS: { readonly [Status in string]?: Happening['what'] } = {
  sent: 'invoice_mailed',
  unconfirmed: 'mail_unconfirmed',
  given_up: 'mail_given_up',
};

function listEvents(earlier: TaxDocument | undefined, document: TaxDocument): Happening[] {
  const { kind, status, mail, handled } = document;
  // The first attempt of a document that a job is about to issue.
  const isFirstAttempt = earlier === undefined && status === 'retrying';
  const mailed = mail && mail !== earlier?.mail ? MAIL_EVENTS[mail] : undefined;
  return [
    ...(status === earlier?.status || isRepetition(document)
      ? []
      : [{ what: `${DOCUMENT_EVENT_NAMES[kind]}_${isFirstAttempt ? 'requested' : status}` } as const]),
    ...(handled.length > (earlier?.handled.length ?? 0) ? [{ what: 'invoice_handled' } as const] : []),
    ...(mailed ? [{ what: mailed }] : []),
  ];
}

/** True if a job merely repeated a failed attempt: a provider that is down for a day makes one event. */
const isRepetition = ({ status, retries = 0 }: TaxDocument): boolean =>
  retries > 0 && (status === 'requested' || status === 'retrying');
