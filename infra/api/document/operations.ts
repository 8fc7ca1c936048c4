import type { Method } from '../../../shared/api/contract.ts';

export type OperationName = `${Method} ${string}`;

export type OperationWords = {
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  /** What the success status says. */
  readonly success: string;
  /** Words of the parameters that are its own. */
  readonly parameters?: Readonly<Record<string, string>>;
};

export const TAGS = {
  Access: 'Tokens of users.',
  Orders: 'Quotes, orders, and what becomes of them.',
  Catalog: 'Products and what they are sorted by; read-only.',
} as const;

const NAME_SEARCH = { search: 'Words of the name.' };
const AVAILABLE = {
  available: '`true` leaves out what has no product that can be bought and is in stock.',
};

const OPERATIONS: Readonly<Record<OperationName, OperationWords>> = {
  'POST /api/token/': {
    id: 'issueToken',
    tag: 'Access',
    summary: 'Log a user in',
    description: 'Gives an access token for an e-mail and password, and sets it as the cookie `__Host-access` too.',
    success: 'The access token.',
  },
  'POST /api/orders/calculate/': {
    id: 'quote',
    tag: 'Orders',
    summary: 'Quote a basket',
    description:
      'Works out totals, shipping options and delivery dates, and creates nothing. A coupon or shipping method that cannot be used is left out and named in `errors`.',
    success: 'The quotation.',
  },
  'POST /api/orders/resources/': {
    id: 'createOrder',
    tag: 'Orders',
    summary: 'Place an order',
    description:
      'Creates an order for a patient together with the records of the user, address, prescriptions and invoice that come with it. A failed invoice leaves `cfdi` empty; an invalid coupon is left out.',
    success: 'The order.',
  },
  'GET /api/orders/': {
    id: 'listOrders',
    tag: 'Orders',
    summary: 'List orders',
    description: 'The orders that the caller may see, newest first unless ordered otherwise.',
    success: 'A page of orders.',
    parameters: {
      search: 'Words of the patient’s full name.',
      patient: 'The patient, by id.',
      order_status__in: 'Only orders of these statuses.',
      exclude_order_status__in: 'No orders of these statuses.',
      payment_status__in: 'Only orders of these payment statuses.',
      expected_delivery_date_before: 'Expected on this day or earlier.',
      expected_delivery_date_after: 'Expected on this day or later.',
      max_delivery_date_before: 'Expected at the latest on this day or earlier.',
      max_delivery_date_after: 'Expected at the latest on this day or later.',
    },
  },
  'GET /api/orders/{id}/': {
    id: 'getOrder',
    tag: 'Orders',
    summary: 'Read an order',
    description: 'One order; 404 also when it is somebody else’s.',
    success: 'The order.',
  },
  'PATCH /api/orders/{id}/': {
    id: 'updateOrder',
    tag: 'Orders',
    summary: 'Change or cancel an order',
    description:
      'Replaces all lines of a quoted or approved order at today’s prices, or cancels an order that nobody has begun to prepare.',
    success: 'The order after the change.',
  },
  'PATCH /api/orders/{id}/request-invoice/': {
    id: 'requestInvoice',
    tag: 'Orders',
    summary: 'Request an invoice (reference form)',
    description:
      'Invoices an order of the last 72 hours and of this month to the tax data sent, and mails it. The answer shows related records as ids.',
    success: 'The order with its invoice.',
  },
  'PUT /api/orders/{id}/request-invoice/': {
    id: 'requestInvoiceInFull',
    tag: 'Orders',
    summary: 'Request an invoice (guide form)',
    description:
      'The same for tax data inside of `invoicing`, or for the id of those that the patient has already. The answer shows the whole order.',
    success: 'The order with its invoice.',
  },
  'GET /api/products/': {
    id: 'listProducts',
    tag: 'Catalog',
    summary: 'List products',
    description: 'The products of the catalog, newest first unless ordered otherwise.',
    success: 'A page of products.',
    parameters: {
      search: 'Words of the name of the base product, or of the barcode.',
      base__diseases: 'Used for this disease, by id.',
      base__category: 'Of this category, by id.',
      base__pharmaceutical_company: 'Made by this company, by id.',
      is_active: '`true` for what can be bought.',
      has_shortage: '`false` for what is in stock.',
      min_price: 'Of this price or more.',
      max_price: 'Of this price or less.',
      id__in: 'Only these products, by id.',
      ean_key__in: 'Only products of these barcodes.',
    },
  },
  'GET /api/products/{id}/': {
    id: 'getProduct',
    tag: 'Catalog',
    summary: 'Read a product',
    description: 'One product in full.',
    success: 'The product.',
  },
  'GET /api/categories/': {
    id: 'listCategories',
    tag: 'Catalog',
    summary: 'List categories',
    description: 'The categories of products, last changed first unless ordered otherwise.',
    success: 'A page of categories.',
    parameters: { ...NAME_SEARCH, ...AVAILABLE },
  },
  'GET /api/pharmaceutical-companies/': {
    id: 'listPharmaceuticalCompanies',
    tag: 'Catalog',
    summary: 'List pharmaceutical companies',
    description: 'The companies whose products are in the catalog, last changed first unless ordered otherwise.',
    success: 'A page of companies.',
    parameters: { ...NAME_SEARCH, ...AVAILABLE },
  },
  'GET /api/diseases/': {
    id: 'listDiseases',
    tag: 'Catalog',
    summary: 'List diseases',
    description: 'The diseases that products are used for, last changed first unless ordered otherwise.',
    success: 'A page of diseases.',
    parameters: NAME_SEARCH,
  },
};

/** Words of parameters that mean the same wherever they stand. */
export const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  id: 'Its identifier.',
  page: 'Number of the page.',
  limit: 'Results on a page; more than 100 count as 100.',
  ordering: 'Fields to order by, most important first; `-` before one turns it around.',
  'Idempotency-Key':
    'A key of your own for this order: sent again within 24 hours with the same body, it answers the order that is there.',
  'Accept-Language': 'Language of messages: `es`, unless `en` is preferred.',
  'If-None-Match': 'The ETag of an earlier answer, which is not sent again while it is still good.',
};

/** The words of a route. Throws when it has none. */
export function operationWords(name: OperationName): OperationWords {
  const words = OPERATIONS[name];
  if (!words) throw new Error(`no words for ${name} in infra/api/document/operations.ts`);
  return words;
}

/** What a parameter is for. Throws when no words say so. */
export function parameterWords(name: string, { id, parameters }: OperationWords): string {
  const words = parameters?.[name] ?? PARAMETER_WORDS[name];
  if (words === undefined) throw new Error(`no words for the parameter ${name} of ${id}`);
  return words;
}
