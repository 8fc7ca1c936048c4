import type { CreateOrderRequest } from '../../../shared/api/orders/orders.ts';
import type { QuoteRequest } from '../../../shared/api/orders/quotes.ts';
import type { InvoicingInput } from '../../../shared/api/people/addresses.ts';
import type { Example, Examples } from './example.ts';

const twoOf = (product: number) => [{ product, quantity: 2 }];

const QUOTE_EXAMPLES: readonly (Example & { readonly body: QuoteRequest })[] = [
  {
    name: 'delivery',
    summary: 'Two products with a coupon, delivered',
    body: { details: [...twoOf(1), { product: 12, quantity: 1 }], zipcode: '06700', coupon: 'BIENVENIDA10' },
  },
  { name: 'pickup', summary: 'Picked up at a store', body: { details: twoOf(1), store: 1 } },
  {
    name: 'expiredCoupon',
    summary: 'A coupon that is no longer valid',
    body: { details: twoOf(1), zipcode: '06700', coupon: 'VERANO2025' },
  },
  {
    name: 'unknownProduct',
    summary: 'A product that does not exist',
    body: { details: [...twoOf(1), { product: 99_999, quantity: 1 }] },
    status: 400,
  },
];

const USER: CreateOrderRequest['user'] = {
  email: 'luz.mora@example.mx',
  first_name: 'Luz',
  last_name: 'Mora',
  phone: '+525512345678',
  birthdate: '1990-04-12',
};

const ADDRESS = {
  street: 'Durango',
  exterior_number: '245',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
};

/** This example places the order that the examples of an existing order need. */
export const DELIVERY: Example = {
  name: 'delivery',
  summary: 'Two boxes with a coupon, delivered to a new patient',
  headers: { 'Idempotency-Key': 'order-2026-11-21-0001' },
  body: {
    user: USER,
    order: {
      details: twoOf(1),
      payment_method: 1,
      shipping: { ...ADDRESS, phone: '+525512345678' },
      coupon: 'BIENVENIDA10',
    },
  },
};

const TAXPAYER: InvoicingInput = {
  full_name: 'LUZ MORA',
  rfc: 'MOXL900412AB1',
  ...ADDRESS,
  cfdi_use: 'D01',
  fiscal_regime: '605',
  email: 'facturas@example.mx',
};

const INVOICE: Omit<Example, 'body'> = { name: 'taxpayer', summary: 'To a person', path: { id: 1 } };
const NO_TAX_DATA: Example = { name: 'nothingSent', summary: 'No tax data', path: { id: 1 }, body: {}, status: 400 };

export const ORDER_EXAMPLES: Examples = {
  'POST /api/orders/calculate/': QUOTE_EXAMPLES,
  'POST /api/orders/resources/': [
    DELIVERY,
    {
      name: 'prescription',
      summary: 'A product that requires a prescription, picked up at a store',
      body: {
        user: USER,
        order: {
          details: [{ product: 4, quantity: 1 }],
          payment_method: 1,
          store: 1,
          prescriptions: [
            {
              document: 'JVBERi0xLjQKMSAwIG9iajw8Pj5lbmRvYmoKJSVFT0YK',
              document_name: 'receta.pdf',
              issue_date: '2026-11-01',
            },
          ],
        },
      },
    },
    {
      name: 'badFields',
      summary: 'Errors in several places',
      body: {
        user: { ...USER, email: 'luz.mora' },
        order: { details: [...twoOf(1), { product: 2, quantity: -1 }], payment_method: 1 },
      },
      status: 400,
    },
  ],
  'GET /api/orders/': [
    {
      name: 'waiting',
      summary: 'Orders waiting for approval, the earliest delivery first',
      query: {
        search: 'luz mora',
        order_status__in: ['pending_approval'],
        ordering: ['expected_delivery_date'],
        page: 1,
        limit: 20,
      },
    },
    {
      name: 'filters',
      summary: 'By filters',
      query: {
        patient: 99_999,
        exclude_order_status__in: ['cancelled', 'delivered'],
        payment_status__in: ['unpaid', 'credit'],
        expected_delivery_date_after: '2026-11-23',
        expected_delivery_date_before: '2026-11-30',
        max_delivery_date_after: '2026-11-23',
        max_delivery_date_before: '2026-11-30',
      },
    },
    {
      name: 'badParameters',
      summary: 'A page of nothing, of a status that does not exist',
      query: { limit: 0, payment_status__in: ['free'] },
      status: 400,
    },
  ],
  'GET /api/orders/{id}/': [{ name: 'delivery', summary: 'An order in full', path: { id: 1 } }],
  'PATCH /api/orders/{id}/': [
    {
      name: 'otherProducts',
      summary: 'Three boxes in place of two',
      path: { id: 1 },
      body: { details: [{ product: 1, quantity: 3 }] },
    },
    { name: 'cancel', summary: 'The end of the order', path: { id: 1 }, body: { order_status: 'cancelled' } },
    {
      name: 'bothChanges',
      summary: 'Two changes at once',
      path: { id: 1 },
      body: { details: [{ product: 1, quantity: 3 }], order_status: 'cancelled' },
      status: 400,
    },
  ],
  'PATCH /api/orders/{id}/request-invoice/': [{ ...INVOICE, body: TAXPAYER }, NO_TAX_DATA],
  'PUT /api/orders/{id}/request-invoice/': [{ ...INVOICE, body: { invoicing: TAXPAYER } }, NO_TAX_DATA],
};
