import { packName, unpackName } from '../../people/name-index.ts';
import { createdPartition, creationKey, pairPartition, parseCreationKey } from '../../store/keys.ts';
import type { Item } from '../../store/table.ts';
import { listViewers, type Order } from '../order.ts';
import type { InsuranceRefundStatus } from '../rules/status.ts';
import { toPairName } from './counters.ts';
import { queueItems } from './queue.ts';

/** The fields, apart from statuses, by which lists filter, search and sort. Dates are UTC instants; `searchName` is folded. */
export type OrderEntry = {
  readonly id: number;
  readonly createdAt: string;
  readonly patientId: number;
  readonly doctorId: number | null;
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly searchName: string;
  readonly placedBy: number;
  /** The patient's phone as the doctor sent it, E.164. */
  readonly sentPhone: string | null;
  /** The store of a pickup. */
  readonly storeId: number | null;
  readonly insuranceRefundStatus: InsuranceRefundStatus;
};

export const toEntry = (order: Order): OrderEntry => ({
  id: order.id,
  createdAt: order.createdAt,
  patientId: order.patient.id,
  doctorId: order.generatedBy.role === 'doctor' ? order.generatedBy.id : null,
  expectedDeliveryDate: order.expectedDeliveryDate,
  maxDeliveryDate: order.maxDeliveryDate,
  searchName: unpackName(packName(order.patient)),
  placedBy: order.generatedBy.id,
  sentPhone: (order.generatedBy.role === 'doctor' && order.sentPerson.phone) || null,
  storeId: order.store?.id ?? null,
  insuranceRefundStatus: order.insuranceRefundStatus,
});

// No field contains a tab: packing replaces tabs in names by blanks. New fields go to the end, where older entries
// have undefined.
const SEPARATOR = '\t';

/** One text per entry: with an attribute for each field, 100,000 entries took 5 s to read instead of 1.5 s. */
const formatEntry = (entry: OrderEntry, name: string): string =>
  [
    entry.patientId,
    entry.doctorId ?? '',
    entry.expectedDeliveryDate ?? '',
    entry.maxDeliveryDate ?? '',
    name,
    entry.placedBy,
    entry.sentPhone ?? '',
    entry.storeId ?? '',
    entry.insuranceRefundStatus === 'not_started' ? '' : entry.insuranceRefundStatus,
  ].join(SEPARATOR);

export function parseEntry({ sk, entry }: Item): OrderEntry {
  const { createdAt, order: id } = parseCreationKey(String(sk));
  const [patientId, doctorId, expectedDeliveryDate, maxDeliveryDate, name = '', placedBy, sentPhone, storeId, claim] =
    String(entry).split(SEPARATOR);
  return {
    id,
    createdAt,
    patientId: Number(patientId),
    doctorId: doctorId ? Number(doctorId) : null,
    expectedDeliveryDate: expectedDeliveryDate || null,
    maxDeliveryDate: maxDeliveryDate || null,
    searchName: unpackName(name),
    placedBy: Number(placedBy),
    sentPhone: sentPhone || null,
    storeId: storeId ? Number(storeId) : null,
    insuranceRefundStatus: (claim || 'not_started') as InsuranceRefundStatus,
  };
}

/** Two entries in each view, and one in a queue while the order waits. */
export function listItems(order: Order): Item[] {
  const sk = creationKey(order.createdAt, order.id);
  const entry = formatEntry(toEntry(order), packName(order.patient));
  const views = listViewers(order).flatMap((viewer) => [
    { pk: createdPartition(order.clientId, viewer), sk, entry },
    { pk: pairPartition(order.clientId, viewer, toPairName(order)), sk, entry },
  ]);
  return [...views, ...queueItems(order)];
}
