import { type Cents, sumCents } from '../../money.ts';
import { findOwedCredit, isVoid, type NewCredit, type Starting, startOwed } from '../owed-documents.ts';
import type { OrderDocuments, TaxDocument } from '../tax-document.ts';

type SoldGlobally = Pick<OrderDocuments, 'documents'> & {
  readonly totalCents: Cents;
  readonly refunds?: readonly { readonly cents: Cents; readonly form: string }[];
};

/** True for a credit note of an order's sale in a global invoice. */
export const isGlobalCredit = ({ globalZipcode }: Pick<TaxDocument, 'globalZipcode'>): boolean =>
  globalZipcode !== undefined;

/** True for a credit note of a global invoice whose part is not known to be issued. */
export const isWaitingForPart = (document: TaxDocument): boolean =>
  isGlobalCredit(document) && document.relatedUuid === null;

/** Returns the credit notes of an order's sale in a global invoice, valid or on their way, in the order of their requests. */
export const listGlobalCredits = ({ documents }: Pick<OrderDocuments, 'documents'>): TaxDocument[] =>
  documents.filter((document) => isGlobalCredit(document) && !isVoid(document));

/** Returns what credit notes have left of an order's sale in a global invoice. */
export const getUncreditedSaleCents = (order: SoldGlobally): Cents =>
  Math.max(0, order.totalCents - sumCents(listGlobalCredits(order).map(({ amountCents }) => amountCents)));

/**
 * Returns a credit note of an order's sale in a global invoice (guide of the global CFDI, appendix 2, case I, pages 25 to 29).
 * A job issues it once the part is issued, whose UUID and place it states.
 */
export const startGlobalCredit = ({ purpose, ...credit }: NewCredit, now: Date): TaxDocument => ({
  ...startOwed({ kind: 'credit', ...credit, paymentMethod: 'PUE' }, now),
  globalZipcode: '',
  ...(purpose === undefined ? {} : { purpose }),
});

/** Returns the credit note of what was paid back of an order before it got into a global invoice, which states all of it. */
export function listOwedGlobalCredit(order: SoldGlobally, { newKey, now }: Starting): TaxDocument[] {
  const owed = findOwedCredit(order, order.totalCents, getUncreditedSaleCents(order));
  return owed ? [startGlobalCredit({ key: newKey(), ...owed }, now)] : [];
}
