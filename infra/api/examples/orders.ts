import type { OrderListItem } from '../../../shared/api/order-list.ts';
import type { CreateOrderRequest, Order } from '../../../shared/api/orders.ts';
import type { Example, Examples } from './example.ts';
import { DEL_VALLE, HOME, LUZ, NOW, TOMAS } from './people.ts';
import { IBUPROFEN, PARACETAMOL } from './products.ts';

type OrderLine = Order['details'][number];

const TWO_PARACETAMOL: OrderLine = {
  id: 7,
  order: 1,
  product: PARACETAMOL,
  price: '28.50',
  quantity: 2,
  subtotal: '57.00',
  discount: '5.70',
  iva: '0.00',
  total: '51.30',
  created_at: NOW,
  updated_at: NOW,
};

export const DELIVERED: Order = {
  id: 1,
  details: [TWO_PARACETAMOL],
  patient: LUZ,
  shipping: HOME,
  store: null,
  payment: null,
  wallet_agreement: null,
  payment_references: [],
  payment_method: {
    id: 1,
    name: 'Tarjeta',
    fee: '0.029',
    fixed_fee: '2.50',
    created_at: '2026-01-09T16:00:00.000Z',
    updated_at: '2026-04-01T16:00:00.000Z',
  },
  coupon: {
    code: 'BIENVENIDA10',
    description: '10 % de descuento en la compra',
    value: '0.10',
    has_free_shipping: false,
  },
  generated_by: TOMAS,
  updated_by: TOMAS,
  invoicing: null,
  payment_date: null,
  shipping_date: null,
  expected_delivery_date: '2026-11-26T23:00:00.000Z',
  max_delivery_date: '2026-11-30T23:00:00.000Z',
  receiving_date: null,
  patient_order_status: 'in_process',
  prescriptions: [],
  tags: '',
  shipping_method: {
    id: 1,
    company: 'Paquetería Andariega',
    method: 'default',
    min_delivery_days: 3,
    max_delivery_days: 5,
    created_at: '2026-01-07T16:00:00.000Z',
    updated_at: '2026-04-06T16:00:00.000Z',
  },
  created_at: NOW,
  updated_at: NOW,
  deleted_at: null,
  insurance_refund_status: 'not_started',
  order_status: 'approved',
  payment_status: 'unpaid',
  rejection_reason: '',
  origin: 'demo',
  subtotal: '57.00',
  iva: '0.00',
  shipping_price: '79.00',
  shipping_discount: '0.00',
  shipping_cost: '63.00',
  discount: '5.70',
  total: '130.30',
  folio: 'RX-00000001',
  cfdi: '',
  external_payment_id: '',
  reminder: null,
  subscription: null,
};

const PICKED_UP: Order = {
  ...DELIVERED,
  id: 2,
  folio: 'RX-00000002',
  details: [
    {
      ...TWO_PARACETAMOL,
      id: 11,
      order: 2,
      product: IBUPROFEN,
      price: '58.00',
      quantity: 1,
      subtotal: '58.00',
      discount: '0.00',
      total: '58.00',
    },
  ],
  shipping: null,
  store: DEL_VALLE,
  coupon: null,
  prescriptions: [
    {
      id: 12,
      issue_date: '2026-11-01',
      patient: 4,
      expiring_date: null,
      document: 'https://documents.botica.example/prescriptions/ccb01f77-5742-4869-8c2d-34689e4221ab?X-Amz-Expires=300',
      document_name: 'receta.pdf',
      is_verified: false,
      order: 2,
      updated_by: 2,
      created_at: NOW,
      updated_at: NOW,
    },
  ],
  shipping_method: {
    id: 6,
    company: 'Recolección en sucursal',
    method: 'local',
    min_delivery_days: 0,
    max_delivery_days: 1,
    created_at: '2026-01-12T16:00:00.000Z',
    updated_at: '2026-04-11T16:00:00.000Z',
  },
  expected_delivery_date: '2026-11-23T23:00:00.000Z',
  max_delivery_date: '2026-11-24T23:00:00.000Z',
  order_status: 'pending_approval',
  subtotal: '58.00',
  shipping_price: '0.00',
  shipping_cost: null,
  discount: '0.00',
  total: '58.00',
};

const LISTED: OrderListItem = {
  id: 2,
  created_at: NOW,
  order_status: 'pending_approval',
  patient_order_status: 'in_process',
  patient: 'Luz Mora',
  payment_status: 'unpaid',
  products_count: 1,
  details: [{ default_image: 'https://images.demo.example/products/7509999000044.webp', quantity: 1 }],
  shipping: null,
  payment_method: 'Tarjeta',
  coupon: null,
  total: '58.00',
  origin: 'demo',
  tags: '',
  subscription: null,
  expected_delivery_date: '2026-11-23T23:00:00.000Z',
  max_delivery_date: '2026-11-24T23:00:00.000Z',
};

const USER: CreateOrderRequest['user'] = {
  email: 'luz.mora@example.mx',
  first_name: 'Luz',
  last_name: 'Mora',
  phone: '+525512345678',
  birthdate: '1990-04-12',
};

/** This example places the order that the examples of an existing order need. */
export const DELIVERY: Example = {
  name: 'delivery',
  summary: 'Two boxes with a coupon, delivered to a new patient',
  headers: { 'Idempotency-Key': 'order-2026-11-21-0001' },
  body: {
    user: USER,
    order: {
      details: [{ product: 1, quantity: 2 }],
      payment_method: 1,
      shipping: {
        street: 'Durango',
        exterior_number: '245',
        neighborhood: 'Roma Norte',
        city: 'Ciudad de México',
        state: 'CDMX',
        country: 'México',
        zipcode: '06700',
        phone: '+525512345678',
      },
      coupon: 'BIENVENIDA10',
    },
  },
  status: 201,
  answer: DELIVERED,
};

export const ORDER_EXAMPLES: Examples = {
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
      status: 201,
      answer: PICKED_UP,
    },
    {
      name: 'badFields',
      summary: 'Errors in several places',
      body: {
        user: { ...USER, email: 'luz.mora' },
        order: {
          details: [
            { product: 1, quantity: 2 },
            { product: 2, quantity: -1 },
          ],
          payment_method: 1,
        },
      },
      status: 400,
      answer: {
        user: { email: ['Debe ser un correo electrónico válido.'] },
        order: { details: [{}, { quantity: ['Debe ser mayor o igual a 0.'] }] },
      },
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
      status: 200,
      answer: { count: 1, next: null, previous: null, results: [LISTED] },
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
      status: 200,
      answer: { count: 0, next: null, previous: null, results: [] },
    },
    {
      name: 'badParameters',
      summary: 'A page of nothing, of a status that does not exist',
      query: { limit: 0, payment_status__in: ['free'] },
      status: 400,
      answer: {
        limit: ['Debe ser mayor o igual a 1.'],
        payment_status__in: ['Debe ser uno de: unpaid, credit, paid, in_process, processing, rejected.'],
      },
    },
  ],
  'GET /api/orders/{id}/': [
    { name: 'delivery', summary: 'An order in full', path: { id: 1 }, status: 200, answer: DELIVERED },
  ],
  'PATCH /api/orders/{id}/': [
    {
      name: 'otherProducts',
      summary: 'Three boxes in place of two',
      path: { id: 1 },
      body: { details: [{ product: 1, quantity: 3 }] },
      status: 200,
      answer: {
        ...DELIVERED,
        details: [{ ...TWO_PARACETAMOL, quantity: 3, subtotal: '85.50', discount: '8.55', total: '76.95' }],
        subtotal: '85.50',
        discount: '8.55',
        total: '155.95',
      },
    },
    {
      name: 'cancel',
      summary: 'The end of the order',
      path: { id: 1 },
      body: { order_status: 'cancelled' },
      status: 200,
      answer: { ...DELIVERED, order_status: 'cancelled', patient_order_status: 'cancelled' },
    },
    {
      name: 'bothChanges',
      summary: 'Two changes at once',
      path: { id: 1 },
      body: { details: [{ product: 1, quantity: 3 }], order_status: 'cancelled' },
      status: 400,
      answer: { non_field_errors: ['Envíe details o order_status, exactamente uno de los dos.'] },
    },
  ],
};
