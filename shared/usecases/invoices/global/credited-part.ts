import { isGlobalCredit } from '../../../domain/invoices/global/credits.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { getPart } from '../../../store/invoices/global-parts.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Table } from '../../../store/table.ts';

/** The data of its part that a credit note of a global invoice states. */
export type CreditedPart = Pick<TaxDocument, 'relatedUuid'> & { readonly globalZipcode: string };

/** True for a credit note of a global invoice whose part is not known to be issued. */
export const isWaitingForPart = (document: TaxDocument): boolean =>
  isGlobalCredit(document) && document.relatedUuid === null;

/**
 * Returns the part of an order, for its credit note; undefined while it is not issued, and while orders may leave that of a day,
 * as it could not be replaced any more: SAT cancels no document with a valid one that relates to it.
 */
export async function findCreditedPart({ global }: Order, table: Table): Promise<CreditedPart | undefined> {
  const part = global ? await getPart(table, global) : undefined;
  return part?.stamp && part.isClosed ? { relatedUuid: part.stamp.uuid, globalZipcode: part.zipcode } : undefined;
}
