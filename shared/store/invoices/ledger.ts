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

/** Returns the writes for the documents of an order that were issued or cancelled between `before` (null: it is new) and `after`. */
export function ledgerWrites(before: Order | null, after: Order): Write[] {
  const known = new Map((before ? listDocuments(before) : []).map((document) => [document.key, document]));
  const { clientId, id: orderId } = after;
  return listDocuments(after).flatMap((document) => {
    const { key: documentKey, cancelledAt } = document;
    const former = known.get(documentKey);
    const stampedAt = getStampTime(document);
    const row = { clientId, orderId, documentKey };
    const isIssued = stampedAt !== null && getStampTime(former) === null;
    const isCancelled = cancelledAt !== undefined && former?.cancelledAt === undefined;
    return [
      ...(isIssued ? [putRow(stampedAt, documentKey, row)] : []),
      ...(isCancelled ? [putRow(cancelledAt, documentKey, { ...row, isCancellation: true })] : []),
    ];
  });
}

const getStampTime = (document: TaxDocument | undefined): string | null =>
  document?.stamp?.at ?? document?.issuedAt ?? null;

/** Returns the write for a part of a global invoice that was issued under this key. */
export const globalLedgerWrite = (
  { key, period, part }: { readonly key: string; readonly period: string; readonly part: number },
  { stamp }: Pick<TaxDocument, 'stamp'>,
  now: Date,
): Write => putRow(stamp?.at ?? now.toISOString(), key, { period, part });

const putRow = (at: string, documentKey: string, row: LedgerRow): Write => ({
  Put: { Item: { ...ledgerKey(at, documentKey, 'isCancellation' in row ? 'cancelled' : 'stamped'), ...row } },
});

/** Returns the documents that were stamped or cancelled from one instant until another, in the order of these times; some 8,000 a query. */
export async function ledgerRows(table: Table, { from, until }: { from: Date; until: Date }): Promise<LedgerRow[]> {
  const values = { ':from': from.toISOString(), ':until': until.toISOString() };
  // The upper bound of BETWEEN belongs to it, but no key is an instant without a document.
  const items = await table.all({ pk: LEDGER_PARTITION, where: 'sk BETWEEN :from AND :until', values });
  return items.map(parseRow);
}

const parseRow = (item: Item): LedgerRow => parseItem(storedRow, item, 'ledger row');
