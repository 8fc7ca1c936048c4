import { CANCELLATION_STATUSES, type CancellationResult } from '../../../domain/invoices/documents/cancellation.ts';
import { globalClosesAt } from '../../../domain/invoices/global/closing.ts';
import { isOwnInvoiceOpen } from '../../../domain/invoices/global/standing.ts';
import type { Cancellation } from '../../../domain/invoices/tax-document.ts';
import type { InvoicingProvider } from '../../../invoicing/provider.ts';
import { logError } from '../../../runtime/log.ts';
import { changePart, fixedSalesWrite, type GlobalPart, getPartSales } from '../../../store/invoices/global-parts.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { newPartKey } from './part-key.ts';
import { buildSales, isIn, readOrders } from './part-sales.ts';

type Deps = Pick<InvoiceDeps, 'table' | 'business' | 'invoicing'>;

/*
 * SAT's Guía de llenado del CFDI global 4.0, appendix 2, case II (pages 30 to 32): the global invoice is cancelled first, and then
 * issued anew, with relation 04 to the cancelled one, without the sales that have invoices of their own.
 */

/** True if the windows of all orders of an issued part are closed, and nobody has looked yet for those that left it. */
export const isToClose = ({ status, isClosed, period }: GlobalPart, now: Date, timeZone: string): boolean => {
  const closesAt = globalClosesAt(period, timeZone);
  return status === 'issued' && !isClosed && closesAt !== null && now >= closesAt;
};

/**
 * Closes a part: nobody leaves it any more. If orders have left it, fixes the sales of the others, keeps its document as the
 * former one, and has it replaced. While an own invoice of an order may still be issued, the part stays as it is.
 */
export async function closePart(part: GlobalPart, { table }: Deps): Promise<GlobalPart> {
  const { sales } = await getPartSales(table, part);
  const orders = await readOrders(table, sales);
  const staying = orders.filter((order) => isIn(order, part));
  if (staying.some(isOwnInvoiceOpen)) return part;
  if (staying.length === sales.length) return (await changePart(table, part, { isClosed: true })) ?? part;
  const { changes, fixed } = fixRest(part, staying);
  const writes = [fixedSalesWrite(part, 'FORMER', sales), fixedSalesWrite(part, 'SALES', fixed)];
  return (await changePart(table, part, { ...changes, ...toReplaced(part) }, writes)) ?? part;
}

const fixRest = (part: GlobalPart, staying: readonly Order[]) =>
  staying.length > 0
    ? buildSales(part, staying, part.zipcode)
    : { changes: { orderCount: 0, totalCents: 0 }, fixed: [] };

function toReplaced(part: GlobalPart) {
  const { key, providerId, stamp, orderCount, totalCents } = part;
  if (!stamp) throw new Error('an issued global invoice has its stamp');
  return {
    status: 'cancelling',
    isClosed: true,
    former: { key, providerId, stamp, orderCount, totalCents },
    key: newPartKey(part),
    providerId: '',
    stamp: null,
    issuedAt: null,
    reason: null,
  } as const;
}

/** True while the former document of a part is being cancelled. */
export const isCancelling = ({ status }: GlobalPart): boolean =>
  status === 'cancelling' || status === 'cancellation_pending';

// c_MotivoCancelacion 04: the sale of a global invoice has an invoice of its own.
const OWN_INVOICE: Cancellation = { motive: '04', substitution: null };
const PROVIDER_MS = 60_000;

/** Has the former document of a part cancelled; the part is to be issued anew then, unless no order has stayed in it. */
export async function cancelFormer(part: GlobalPart, { table, invoicing }: Deps): Promise<GlobalPart> {
  const result = await askForCancellation(part, invoicing());
  const status = CANCELLATION_STATUSES[result];
  if (status === 'cancelled') {
    return (await changePart(table, part, { status: part.orderCount > 0 ? 'requested' : 'empty' })) ?? part;
  }
  if (status === part.status) return part;
  const reason = status === 'cancellation_rejected' ? result : null;
  if (reason) logError('cancellation rejected', new Error('the global invoice stays valid'), { period: part.period });
  return (await changePart(table, part, { status, reason })) ?? part;
}

/** Only looks up a cancellation that is pending: cancelling again might restart it. */
async function askForCancellation(
  { status, former }: GlobalPart,
  provider: InvoicingProvider,
): Promise<CancellationResult> {
  if (!former) throw new Error('a global invoice that is replaced has a former document');
  const limit = AbortSignal.timeout(PROVIDER_MS);
  const provided =
    status === 'cancelling'
      ? await provider.cancel(former.providerId, OWN_INVOICE, limit)
      : await provider.find(former.key, limit);
  if (!provided) throw new Error('the provider does not know a global invoice that is being cancelled');
  return provided.status === 'cancelled' ? 'accepted' : provided.cancellation;
}
