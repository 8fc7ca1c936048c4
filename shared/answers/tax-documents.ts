import { listDocuments } from '../domain/invoices/tax-document.ts';
import { formatCents } from '../domain/money.ts';
import type { Order } from '../store/orders/order.ts';

/** Represents the tax documents of an order for its operator: their stamps, and what is kept of each in our bucket. */
export const representTaxDocuments = (order: Order) =>
  listDocuments(order).map(({ kind, status, stamp, amountCents, archive }) => ({
    kind,
    status,
    uuid: stamp?.uuid ?? null,
    series: stamp?.series ?? null,
    folio: stamp?.folio ?? null,
    stamped_at: stamp?.at ?? null,
    amount: formatCents(amountCents),
    kept: archive?.kept ?? [],
  }));
