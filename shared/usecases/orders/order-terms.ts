import type { CreateOrderRequest } from '../../api/orders.ts';
import type { PrescriptionInput } from '../../api/prescriptions.ts';
import type { Catalog, CatalogPaymentMethod } from '../../catalog/catalog.ts';
import type { Document } from '../../documents/documents.ts';
import { type FieldFault, refuseFaults } from '../../domain/fault.ts';
import { receiverFaults } from '../../domain/invoices/tax-id.ts';
import { type Phone, parsePhone } from '../../domain/phone.ts';
import {
  decodeBase64Strictly,
  documentName,
  documentTypeOf,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  MAX_DOCUMENTS_PER_ORDER,
  prescriptionDateFaults,
} from '../../domain/prescriptions/prescription.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Client } from '../../store/access/clients.ts';
import { type BasketLine, linesOf } from '../quotes/basket.ts';
import { type Delivery, deliveryOf } from '../quotes/delivery.ts';

export type OrderContext = {
  readonly catalog: Catalog;
  readonly business: Business;
  readonly client: Client;
  readonly now: Date;
};

/** What an order is about, found sound by everything that can be known without looking at records. */
export type OrderTerms = {
  readonly lines: readonly BasketLine[];
  readonly paymentMethod: CatalogPaymentMethod;
  /** Null when the patient's default address is to be used. */
  readonly delivery: Delivery | null;
  readonly documents: readonly Document[];
  /** Of the person, as E.164; null when none was sent. */
  readonly phone: Phone | null;
};

type Checked<Value> = { readonly value: Value | undefined; readonly faults: readonly FieldFault[] };

/** Checks the order against the catalog, the client and the rules across its fields; all faults go together. */
export function orderTerms({ user, order, invoicing }: CreateOrderRequest, context: OrderContext): OrderTerms {
  const lines = orderLines(order.details, context.catalog, ['order', 'details']);
  const paymentMethod = paymentMethodOf(order.payment_method, context);
  const delivery = orderDelivery(order, context);
  const documents = documentsOf(order.prescriptions, context);
  const phone = phoneOf(user.phone);
  const birth = birthFaults(user.birthdate, context);
  const receiver = invoicing ? receiverFaults(invoicing, ['invoicing']) : [];
  const checked = [lines, paymentMethod, delivery, documents, phone];
  refuseFaults([...checked.flatMap(({ faults }) => faults), ...birth, ...receiver]);
  return {
    lines: lines.value,
    paymentMethod: paymentMethod.value as CatalogPaymentMethod,
    delivery: delivery.value ?? null,
    documents: documents.value,
    phone: phone.value ?? null,
  };
}

/** The lines of an order, which unlike those of a quote must be in stock, and at least one of them above 0. */
export function orderLines(
  details: CreateOrderRequest['order']['details'],
  catalog: Catalog,
  path: FieldFault['path'],
): { value: BasketLine[]; faults: FieldFault[] } {
  const { lines, faults } = linesOf(details, catalog, path);
  for (const [index, { product: id }] of details.entries()) {
    const product = catalog.product(id);
    if (!product?.isActive || !product.hasShortage) continue;
    faults.push({ path: [...path, index, 'product'], code: 'product_in_shortage', values: { product: id } });
  }
  if (details.every(({ quantity }) => quantity === 0)) faults.push({ path, code: 'nothing_ordered' });
  return { value: lines, faults };
}

function paymentMethodOf(id: number, { catalog, client }: OrderContext): Checked<CatalogPaymentMethod> {
  const value = client.paymentMethods.includes(id) ? catalog.paymentMethod(id) : undefined;
  if (value) return { value, faults: [] };
  const path = ['order', 'payment_method'];
  return { value, faults: [{ path, code: 'payment_method_not_allowed', values: { method: id } }] };
}

function orderDelivery(
  { shipping, store, shipping_method: shippingMethod }: CreateOrderRequest['order'],
  { catalog, now }: OrderContext,
): Checked<Delivery> {
  const hasStore = store !== undefined && store !== null;
  if (!shipping && !hasStore) return { value: undefined, faults: [] };
  const asked = { zipcode: shipping?.zipcode, store, shippingMethod };
  const { delivery, faults } = deliveryOf(asked, catalog, now);
  const problems = deliveryFaults(delivery, ['order', 'shipping', 'zipcode']);
  return { value: delivery, faults: [...faults.map(inOrder), ...problems] };
}

/** What a quote only says, an order is refused for. */
export function deliveryFaults({ problems }: Delivery, zipcodePath: FieldFault['path']): FieldFault[] {
  const { zipcode, shipping_method: method } = problems;
  return [
    ...(zipcode ? [{ path: zipcodePath, ...zipcode }] : []),
    ...(method ? [{ path: ['order', 'shipping_method'], ...method }] : []),
  ];
}

const inOrder = (fault: FieldFault): FieldFault => ({ ...fault, path: ['order', ...fault.path] });

function phoneOf(written: string | undefined): Checked<Phone> {
  if (!written) return { value: undefined, faults: [] };
  const value = parsePhone(written);
  return { value, faults: value ? [] : [{ path: ['user', 'phone'], code: 'not_a_phone' }] };
}

function birthFaults(birthdate: string | null | undefined, { business, now }: OrderContext): FieldFault[] {
  const isBorn = !birthdate || birthdate <= localDate(now, business.timeZone);
  return isBorn ? [] : [{ path: ['user', 'birthdate'], code: 'date_in_the_future' }];
}

const PRESCRIPTIONS = ['order', 'prescriptions'] as const;

function documentsOf(
  prescriptions: readonly PrescriptionInput[],
  { business, now }: OrderContext,
): { value: Document[]; faults: FieldFault[] } {
  if (prescriptions.length > MAX_DOCUMENTS_PER_ORDER) {
    const values = { maximum: MAX_DOCUMENTS_PER_ORDER };
    return { value: [], faults: [{ path: PRESCRIPTIONS, code: 'too_many_documents', values }] };
  }
  const today = localDate(now, business.timeZone);
  const checked = prescriptions.map((prescription, index) => documentOf(prescription, index));
  const faults = [...checked.flatMap((document) => document.faults), ...dateFaults(prescriptions, today)];
  const value = checked.flatMap((document) => document.value ?? []);
  const bytes = value.reduce((sum, document) => sum + document.bytes.length, 0);
  if (bytes > MAX_DOCUMENTS_BYTES_PER_ORDER) faults.push({ path: PRESCRIPTIONS, code: 'documents_too_large' });
  return { value, faults };
}

function documentOf(prescription: PrescriptionInput, index: number): Checked<Document> {
  const fault = (code: string) => ({
    value: undefined,
    faults: [{ path: [...PRESCRIPTIONS, index, 'document'], code }],
  });
  const bytes = decodeBase64Strictly(prescription.document);
  if (!bytes) return fault('not_base64');
  if (bytes.length > MAX_DOCUMENT_BYTES) return fault('document_too_large');
  const type = documentTypeOf(bytes);
  if (!type) return fault('not_a_document');
  return { value: { bytes, type, name: documentName(prescription.document_name, index + 1, type) }, faults: [] };
}

function dateFaults(prescriptions: readonly PrescriptionInput[], today: string): FieldFault[] {
  return prescriptions.flatMap(({ issue_date: issueDate, expiring_date: expiringDate = null }, index) =>
    prescriptionDateFaults({ issueDate, expiringDate, today }).map(({ field, code }) => ({
      path: [...PRESCRIPTIONS, index, field],
      code,
    })),
  );
}
