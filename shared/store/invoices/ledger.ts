import * as z from 'zod';
import { listDocuments, type TaxDocument } from '../../domain/invoices/tax-document.ts';
import { LEDGER_PARTITION, ledgerKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table, Write } from '../table.ts';

const storedRow = z.union([
  z.object({
    clientId: z.number(),
    orderId: z.number(),
    documentKey: z.string(),
    /** Present in the row of its cancellation; the row of its stamp stays. */
    isCancellation: z.literal(true).exactOptional(),
  }),
  z.object({ period: z.string(), part: z.number() }),
]);
/** A tax document that was issued or cancelled: one of an order by the provider's key, or a part of a global invoice. */
export type LedgerRow = Readonly<z.infer<typeof storedRow>>;

/** Returns the rows of the documents of an order that were issued or cancelled. */
export const toLedgerRows = (order: Order): Item[] =>
  listDocuments(order).flatMap(({ key: documentKey, stamp, issuedAt, cancelledAt }) => {
    const row = { clientId: order.clientId, orderId: order.id, documentKey };
    const stampedAt = stamp?.at ?? issuedAt;
    return [
      ...(stampedAt === null ? [] : [toLedgerItem(stampedAt, documentKey, row)]),
      ...(cancelledAt === undefined ? [] : [toLedgerItem(cancelledAt, documentKey, { ...row, isCancellation: true })]),
    ];
  });

/** Returns the write for a part of a global invoice that was issued under this key. */
export const globalLedgerWrite = (
  { key, period, part }: { readonly key: string; readonly period: string; readonly part: number },
  { stamp }: Pick<TaxDocument, 'stamp'>,
  now: Date,
): Write => ({ Put: { Item: toLedgerItem(stamp?.at ?? now.toISOString(), key, { period, part }) } });

const toLedgerItem = (at: string, documentKey: string, row: LedgerRow): Item => ({
  ...ledgerKey(at, documentKey, 'isCancellation' in row ? 'cancelled' : 'stamped'),
  ...row,
});

/** Returns the documents that were stamped or cancelled from one instant until another, in the order of these times; some 8,000 a query. */
export async function ledgerRows(table: Table, { from, until }: { from: Date; until: Date }): Promise<LedgerRow[]> {
  const values = { ':from': from.toISOString(), ':until': until.toISOString() };
  // The upper bound of BETWEEN belongs to it, but no key is an instant without a document.
  const items = await table.all({ pk: LEDGER_PARTITION, where: 'sk BETWEEN :from AND :until', values });
  return items.map(parseLedgerRow);
}

const parseLedgerRow = (item: Item): LedgerRow => parseItem(storedRow, item, 'ledger row');
