import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll } from 'vitest';
import { type GlobalPart, getPartSales, globalParts } from '../../../shared/invoices/global/global-parts.ts';
import type { GlobalDeps } from '../../../shared/invoices/global/issue-globals.ts';
import type { InvoicingProvider } from '../../../shared/invoices/provider.ts';
import { SandboxProvider } from '../../../shared/invoices/sandbox/sandbox.ts';
import type { Order } from '../../../shared/order/order.ts';
import type { Act } from '../../../shared/order/order-events.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import { Documents } from '../../../shared/store/documents.ts';
import { changed, clientId, placed, storePatient, table, useOrderTable } from '../orders/order-table.ts';

/*
 * Paid orders and their global invoices, on the local table and the sandbox. Orders of all tests of a file are in one table, so
 * each test has a month of its own.
 */

export const ZONE = 'America/Mexico_City';
const ISSUER = { legalName: 'BOTICA DEMO', rfc: 'EKU9003173C9', fiscalRegime: '601', zipcode: '06700' };

/** The bucket of the sandbox, in which documents may be archived too. */
export let bucket: string;
export let provider: SandboxProvider;
export const documents = () => new Documents(bucket, true);

/** Creates the table, and the bucket of the sandbox, for the tests of a file. */
export function useGlobalWorld(): void {
  useOrderTable();
  beforeAll(async () => {
    bucket = `globals-${randomUUID()}`;
    const s3 = new S3Client({ forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    s3.destroy();
    const now = () => new Date('2027-01-01T12:00:00.000Z');
    provider = new SandboxProvider({ bucket, forcePathStyle: true, issuer: ISSUER, timeZone: ZONE, now });
  });
}

/** Returns the sandbox with another way to issue. */
export const issuingBy = (issue: InvoicingProvider['issue']): InvoicingProvider => ({
  issue,
  find: (...asked) => provider.find(...asked),
  files: (...asked) => provider.files(...asked),
  receipt: (...asked) => provider.receipt(...asked),
  cancel: (...asked) => provider.cancel(...asked),
});

export const by = (now: string): Act => ({ by: 'system', now: new Date(now) });

export const globalDeps = (more: Partial<GlobalDeps> = {}): GlobalDeps => ({
  table,
  business: { timeZone: ZONE } as GlobalDeps['business'],
  documents: documents(),
  invoicing: () => provider,
  zipcode: ISSUER.zipcode,
  salesPerPart: 2_000,
  ...more,
});

let ids = 0;
/** Places an order of 193.00, 79.00 of it for shipping, and pays it at this time, with other values where they are given. */
export async function paid(paymentDate: string, more: Partial<Order> = {}): Promise<Order> {
  ids += 1;
  const before = await placed({ id: clientId * 10_000 + ids });
  await storePatient(before);
  return changed(before, { paymentStatus: 'paid', paymentDate, paymentForm: '03', ...more });
}

export const fresh = async (order: Order): Promise<Order> => {
  const found = await getOrder(table, order);
  if (!found) throw new Error('an order of a test is stored');
  return found;
};

export const partsOf = (period: string): Promise<GlobalPart[]> => globalParts(table, { from: period, until: period });

/** Returns how often each order stands in an issued part of these months, by its id. */
export async function countGlobals(...periods: readonly string[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const period of periods) {
    const issued = (await partsOf(period)).filter(({ status }) => status === 'issued');
    for (const part of issued) {
      for (const { orderId } of (await getPartSales(table, part)).sales) {
        counts.set(orderId, (counts.get(orderId) ?? 0) + 1);
      }
    }
  }
  return counts;
}
