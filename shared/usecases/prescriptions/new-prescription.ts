import type { KeyedDocument } from '../../documents/documents.ts';
import type { OrderPrescription } from '../../store/orders/order-parts.ts';

type Attached = Pick<OrderPrescription, 'id' | 'issueDate' | 'expiringDate' | 'updatedBy'> & { readonly time: string };

/** Returns a prescription of an order, which is not verified yet. */
export const newPrescription = (
  { key, name, type, hash }: KeyedDocument,
  { id, issueDate, expiringDate, updatedBy, time }: Attached,
): OrderPrescription => ({
  id,
  issueDate,
  expiringDate,
  documentKey: key,
  documentName: name,
  documentType: type,
  documentHash: hash,
  verification: null,
  rejection: null,
  prescriber: null,
  createdAt: time,
  updatedAt: time,
  updatedBy,
});
