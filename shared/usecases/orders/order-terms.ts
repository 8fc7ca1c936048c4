import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { PrescriptionInput } from '../../api/orders/prescriptions.ts';
import type { Catalog, CatalogPaymentMethod } from '../../catalog/catalog.ts';
import type { Document } from '../../documents/documents.ts';
import { validateReceiver } from '../../domain/invoices/tax-id.ts';
import { type Phone, parsePhone } from '../../domain/phone.ts';
import { documentName } from '../../domain/prescriptions/document-name.ts';
import {
  decodeBase64Strictly,
  detectDocumentType,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  validatePrescriptionDates,
} from '../../domain/prescriptions/prescription.ts';
import { refuseInvalid, type ValidationError } from '../../domain/refusal.ts';
import type { Role } from '../../domain/role.ts';
import { localDate } from '../../domain/working-day.ts';
import type { PlainCode } from '../../messages/messages.ts';
import type { Business } from '../../runtime/business.ts';
import type { Client } from '../../store/access/clients.ts';
import { type BasketLine, findLines } from '../quotes/basket.ts';
import { type Delivery, planDelivery } from '../quotes/delivery.ts';

export type OrderContext = {
  readonly catalog: Catalog;
  readonly business: Business;
  readonly client: Client;
  readonly now: Date;
};

/** The context of a new order, with the role of the user who places it. */
type PlacingContext = OrderContext & { readonly role: Role };

/** The checked content of an order, as far as it does not depend on stored records. */
export type OrderTerms = {
  readonly lines: readonly BasketLine[];
  readonly paymentMethod: CatalogPaymentMethod;
  /** Null when the patient's default address is to be used. */
  readonly delivery: Delivery | null;
  readonly documents: readonly Document[];
  /** The person's phone; null when none was sent. */
  readonly phone: Phone | null;
};

type Checked<Value> = { readonly value: Value | undefined; readonly errors: readonly ValidationError[] };

/** Checks the order against the catalog, the client and the rules across its fields; all errors go together. */
export function checkTerms({ user, order, invoicing }: CreateOrderRequest, context: PlacingContext): OrderTerms {
  const lines = checkLines(order.details, context.catalog, ['order', 'details']);
  const paymentMethod = checkPaymentMethod(order.payment_method, context);
  const delivery = checkDelivery(order, context);
  const documents = checkDocuments(order.prescriptions, context);
  const phone = checkPhone(user.phone);
  const birth = birthdateErrors(user.birthdate, context);
  const receiver = invoicing ? validateReceiver(invoicing, ['invoicing']) : [];
  const checked = [lines, paymentMethod, delivery, documents, phone];
  refuseInvalid([...checked.flatMap(({ errors }) => errors), ...birth, ...receiver]);
  return {
    lines: lines.value,
    paymentMethod: paymentMethod.value as CatalogPaymentMethod,
    delivery: delivery.value ?? null,
    documents: documents.value,
    phone: phone.value ?? null,
  };
}

/** Checks the lines of an order: all in stock, which a quote does not require, and at least one above 0. */
export function checkLines(
  details: CreateOrderRequest['order']['details'],
  catalog: Catalog,
  path: ValidationError['path'],
): { value: BasketLine[]; errors: ValidationError[] } {
  const { lines, errors } = findLines(details, catalog, path);
  for (const [index, { product: id }] of details.entries()) {
    const product = catalog.product(id);
    if (!product?.is_active || !product.has_shortage) continue;
    errors.push({ path: [...path, index, 'product'], code: 'product_in_shortage', values: { product: id } });
  }
  if (details.every(({ quantity }) => quantity === 0)) errors.push({ path, code: 'nothing_ordered' });
  return { value: lines, errors };
}

function checkPaymentMethod(id: number, { catalog, client, role }: PlacingContext): Checked<CatalogPaymentMethod> {
  const refused = (code: 'payment_method_not_allowed' | 'credit_for_employees') => ({
    value: undefined,
    errors: [{ path: ['order', 'payment_method'], code, values: { method: id } }],
  });
  const value = client.paymentMethods.includes(id) ? catalog.paymentMethod(id) : undefined;
  if (!value) return refused('payment_method_not_allowed');
  const mayOweMoney = role === 'insurance_employee' || client.credit === 'everyone';
  return value.initial_payment_status === 'credit' && !mayOweMoney
    ? refused('credit_for_employees')
    : { value, errors: [] };
}

function checkDelivery(
  { shipping, store, shipping_method: shippingMethod }: CreateOrderRequest['order'],
  { catalog, now }: OrderContext,
): Checked<Delivery> {
  const hasStore = store !== undefined && store !== null;
  if (!shipping && !hasStore) return { value: undefined, errors: [] };
  const asked = { zipcode: shipping?.zipcode, store, shippingMethod };
  const { delivery, errors } = planDelivery(asked, catalog, now);
  return { value: delivery, errors: [...errors.map(inOrder), ...deliveryErrors(delivery)] };
}

/** Returns the problems of a delivery, which a quote shows, as validation errors. */
function deliveryErrors({ problems }: Delivery): ValidationError[] {
  const { zipcode, shipping_method: method } = problems;
  return [
    ...(zipcode ? [{ path: ['order', 'shipping', 'zipcode'], ...zipcode }] : []),
    ...(method ? [{ path: ['order', 'shipping_method'], ...method }] : []),
  ];
}

const inOrder = (error: ValidationError): ValidationError => ({ ...error, path: ['order', ...error.path] });

function checkPhone(written: string | undefined): Checked<Phone> {
  if (!written) return { value: undefined, errors: [] };
  const value = parsePhone(written);
  return { value, errors: value ? [] : [{ path: ['user', 'phone'], code: 'not_a_phone' }] };
}

function birthdateErrors(birthdate: string | null | undefined, { business, now }: OrderContext): ValidationError[] {
  const isBorn = !birthdate || birthdate <= localDate(now, business.timeZone);
  return isBorn ? [] : [{ path: ['user', 'birthdate'], code: 'date_in_the_future' }];
}

const PRESCRIPTIONS = ['order', 'prescriptions'] as const;

function checkDocuments(
  prescriptions: readonly PrescriptionInput[],
  { business, now }: OrderContext,
): { value: Document[]; errors: ValidationError[] } {
  const today = localDate(now, business.timeZone);
  const checked = prescriptions.map((prescription, index) => checkDocument(prescription, index));
  const errors = [...checked.flatMap((document) => document.errors), ...dateErrors(prescriptions, today)];
  const value = checked.flatMap((document) => document.value ?? []);
  const bytes = value.reduce((sum, document) => sum + document.bytes.length, 0);
  if (bytes > MAX_DOCUMENTS_BYTES_PER_ORDER) errors.push({ path: PRESCRIPTIONS, code: 'documents_too_large' });
  return { value, errors };
}

function checkDocument(prescription: PrescriptionInput, index: number): Checked<Document> {
  const invalid = (code: PlainCode) => ({
    value: undefined,
    errors: [{ path: [...PRESCRIPTIONS, index, 'document'], code }],
  });
  const bytes = decodeBase64Strictly(prescription.document);
  if (!bytes) return invalid('not_base64');
  if (bytes.length > MAX_DOCUMENT_BYTES) return invalid('document_too_large');
  const type = detectDocumentType(bytes);
  if (!type) return invalid('not_a_document');
  return { value: { bytes, type, name: documentName(prescription.document_name, index + 1, type) }, errors: [] };
}

function dateErrors(prescriptions: readonly PrescriptionInput[], today: string): ValidationError[] {
  return prescriptions.flatMap(({ issue_date: issueDate, expiring_date: expiringDate = null }, index) =>
    validatePrescriptionDates({ issueDate, expiringDate, today }).map(({ field, code }) => ({
      path: [...PRESCRIPTIONS, index, field],
      code,
    })),
  );
}
