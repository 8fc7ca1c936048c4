import type { Method } from '../../../shared/api/contract.ts';
import type { CreateOrderRequest } from '../../../shared/api/orders/orders.ts';
import type { QuoteRequest } from '../../../shared/api/orders/quotes.ts';
import type { InvoicingInput } from '../../../shared/api/people/addresses.ts';
import type { Route } from '../../../shared/api/routes.ts';
import { ANSWERS, readJson } from '../description.ts';

/** A request to the server with the demonstration catalog and users, and the status of its answer. */
export type Example = {
  /** The name of the example within its operation. */
  readonly name: string;
  readonly summary: string;
  /** The test replaces the id of an order by that of a new order from `DELIVERY`. */
  readonly path?: { readonly id: number };
  readonly query?: Readonly<Record<string, boolean | number | string | readonly (number | string)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The status of the answer; without it, the contract's success. */
  readonly status?: number;
};

/** Examples by the method and path of their operation. */
type Examples = Readonly<Record<`${Method} /api/${string}`, readonly Example[]>>;

const twoOf = (product: number) => [{ product, quantity: 2 }];

const QUOTE_EXAMPLES: readonly (Example & { readonly body: QuoteRequest })[] = [
  {
    name: 'delivery',
    summary: 'Two products with a coupon, delivered',
    body: { details: [...twoOf(1), { product: 12, quantity: 1 }], zipcode: '06700', coupon: 'BIENVENIDA10' },
  },
  { name: 'pickup', summary: 'Picked up at a store', body: { details: twoOf(1), store: 1 } },
  {
    name: 'held',
    summary: 'Two boxes, for a price that holds for a while',
    body: { details: twoOf(1), zipcode: '06700', hold: true },
  },
  {
    name: 'notToBeHeld',
    summary: 'A price to be held, without a destination',
    body: { details: twoOf(1), hold: true },
  },
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

const PRESCRIPTION = {
  document: 'JVBERi0xLjQKMSAwIG9iajw8Pj5lbmRvYmoKJSVFT0YK',
  document_name: 'receta.pdf',
  issue_date: '2026-11-01',
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

/** This one places the order that waits for a prescription. */
export const WAITING: Pick<Example, 'body'> = {
  body: { user: USER, order: { details: [{ product: 4, quantity: 1 }], payment_method: 1, store: 1 } },
};

const TAXPAYER: InvoicingInput = {
  full_name: 'LUZ MORA',
  rfc: 'MOXL900412AB1',
  ...ADDRESS,
  // Sales of a pharmacy are no personal deduction (RLISR art. 264), so not D01.
  cfdi_use: 'S01',
  fiscal_regime: '605',
  email: 'facturas@example.mx',
};

const INVOICE: Omit<Example, 'body'> = { name: 'taxpayer', summary: 'To a person', path: { id: 1 } };
const NO_TAX_DATA: Example = { name: 'nothingSent', summary: 'No tax data', path: { id: 1 }, body: {}, status: 400 };

const ORDER_EXAMPLES: Examples = {
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
          prescriptions: [PRESCRIPTION],
        },
      },
    },
    {
      name: 'expectedTotal',
      summary: 'Two boxes for the total of a quote, which is another by now',
      body: {
        user: USER,
        order: { details: twoOf(1), payment_method: 1, store: 1, expected_total: '52.00' },
      },
      status: 409,
    },
    {
      name: 'alteredHold',
      summary: 'A held price that was altered on its way',
      body: { user: USER, order: { details: twoOf(1), payment_method: 1, store: 1, hold: 'bG9jYWw.WzFd' } },
      status: 400,
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
  'GET /api/orders/{id}/events/': [
    { name: 'ofAnOrder', summary: 'The events of an order', path: { id: 1 } },
    {
      name: 'ofTypes',
      summary: 'Those of some types',
      path: { id: 1 },
      query: { type: ['order.paid', 'order.refunded'] },
    },
  ],
  'GET /api/events/': [
    { name: 'begin', summary: 'The oldest events', query: { cursor: '', limit: 2 } },
    { name: 'badType', summary: 'A type that does not exist', query: { type: ['order.lost'] }, status: 400 },
  ],
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
  'GET /api/payment-methods/': [
    {
      name: 'all',
      summary: 'The payment methods that an employee may use, by name',
      query: { ordering: ['name'], search: '', page: 1, limit: 20 },
    },
    {
      name: 'badParameters',
      summary: 'A page of nothing',
      query: { limit: 0 },
      status: 400,
    },
  ],
  'POST /api/orders/{id}/prescriptions/': [
    {
      name: 'forgotten',
      summary: 'A prescription that did not come with the order',
      path: { id: 1 },
      headers: { 'Idempotency-Key': 'prescription-2026-11-21-0001' },
      body: { prescriptions: [PRESCRIPTION] },
    },
    {
      name: 'badDocument',
      summary: 'No base64, and issued in the future',
      path: { id: 1 },
      body: { prescriptions: [{ document: '%PDF', issue_date: '2026-12-01' }] },
      status: 400,
    },
  ],
  'PATCH /api/orders/{id}/request-invoice/': [{ ...INVOICE, body: TAXPAYER }, NO_TAX_DATA],
  'PUT /api/orders/{id}/request-invoice/': [{ ...INVOICE, body: { invoicing: TAXPAYER } }, NO_TAX_DATA],
};

const BAD_LIST: Example = {
  name: 'badParameters',
  summary: 'A page of nothing, in an order that does not exist',
  query: { limit: 0, ordering: ['colour'] },
  status: 400,
};

const CATALOG_EXAMPLES: Examples = {
  'GET /api/products/': [
    {
      name: 'search',
      summary: 'Products in stock by name, cheapest first',
      query: { search: 'paracetamol 500', has_shortage: false, ordering: ['price', '-created_at'], page: 1, limit: 20 },
    },
    {
      name: 'filters',
      summary: 'By filters',
      query: {
        base__diseases: 1,
        base__category: 1,
        base__pharmaceutical_company: 1,
        is_active: true,
        min_price: 20,
        max_price: 30.5,
        id__in: [1, 2],
        ean_key__in: ['7509999000013', '7509999000020'],
      },
    },
    {
      name: 'facets',
      summary: 'With the numbers of products of each category and company',
      query: { base__category: 4, facets: ['base__category', 'base__pharmaceutical_company'], limit: 1 },
    },
    {
      name: 'spelling',
      summary: 'Another spelling of a search that finds nothing',
      query: { search: 'paracetmol 500', spelling: true },
    },
    BAD_LIST,
  ],
  'GET /api/products/{id}/': [{ name: 'paracetamol', summary: 'A product in full', path: { id: 1 } }],
  'GET /api/products/{id}/substitutes/': [
    {
      name: 'inShortage',
      summary: 'The substitutes of a product that is out of stock, in another presentation',
      path: { id: 16 },
      query: { page: 1, limit: 20 },
    },
  ],
  'GET /api/categories/': [
    {
      name: 'search',
      summary: 'Categories by name, only with products to buy',
      query: { search: 'diabetes', available: true, ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/pharmaceutical-companies/': [
    {
      name: 'search',
      summary: 'Companies by name, only with products to buy',
      query: { search: 'solmar', available: true, ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/diseases/': [
    {
      name: 'search',
      summary: 'Diseases by name',
      query: { search: 'fiebre', ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/stores/': [
    {
      name: 'search',
      summary: 'Stores by name',
      query: { search: 'centro', ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
};

const EXAMPLES: Examples = {
  'POST /api/token/': [
    {
      name: 'employee',
      summary: 'The demonstration insurer’s employee logs in',
      body: { email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' },
    },
    { name: 'nothingSent', summary: 'Neither e-mail nor password', body: {}, status: 400 },
  ],
  ...ORDER_EXAMPLES,
  ...CATALOG_EXAMPLES,
  'GET /api/me/': [{ name: 'employee', summary: 'The profile of the demonstration insurer’s employee' }],
};

/** Returns the examples of a route with their statuses. Throws when it has none. */
export function getExamples({
  method,
  path,
  contract,
}: Omit<Route, 'handler'>): readonly (Example & { readonly status: number })[] {
  const examples = EXAMPLES[`${method} ${path}` as keyof Examples];
  if (!examples) throw new Error(`no examples of ${method} ${path} in infra/api/examples/`);
  const [success] = Object.keys(contract.answers);
  return examples.map((example) => ({ status: Number(success), ...example }));
}

/** Returns the recorded answers by operation and by name of the example. */
export const readAnswers = () => readJson(ANSWERS) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns the answers of a route's examples; an example that is not recorded yet is left out. */
export function listAnswers(route: Omit<Route, 'handler'>) {
  const answers = readAnswers()[`${route.method} ${route.path}`] ?? {};
  const recorded = getExamples(route).filter(({ name }) => name in answers);
  return recorded.map(({ name, summary, status }) => ({ name, summary, status, body: answers[name] }));
}
export type AnswerExample = ReturnType<typeof listAnswers>[number];
