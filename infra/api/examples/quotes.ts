import type { Quotation, QuoteRequest } from '../../../shared/api/quotes.ts';
import type { Examples } from './example.ts';

const OPTIONS: Quotation['shipping_method_options'] = [
  { id: 5, company: 'Mensajería Tejón', method: 'local', min_delivery_days: 0, max_delivery_days: 1, price: '49.00' },
  {
    id: 1,
    company: 'Paquetería Andariega',
    method: 'default',
    min_delivery_days: 3,
    max_delivery_days: 5,
    price: '79.00',
  },
  { id: 3, company: 'Envíos Colibrí', method: 'standard', min_delivery_days: 2, max_delivery_days: 4, price: '99.00' },
  { id: 4, company: 'Envíos Colibrí', method: 'express', min_delivery_days: 1, max_delivery_days: 1, price: '149.00' },
];

const DELIVERED: Quotation = {
  subtotal: '126.00',
  shipping_price: '79.00',
  shipping_discount: '0.00',
  discount: '12.60',
  iva: '0.00',
  total: '192.40',
  coupon: { code: 'BIENVENIDA10', value: '0.10' },
  shipping_method_options: OPTIONS,
  selected_shipping_method: 1,
  errors: {},
  expected_delivery_date: '2026-11-26T23:00:00.000Z',
  max_delivery_date: '2026-11-30T23:00:00.000Z',
  details: [
    { product: 1, quantity: 2, subtotal: '57.00', discount: '5.70', iva: '0.00', total: '51.30' },
    { product: 12, quantity: 1, subtotal: '69.00', discount: '6.90', iva: '0.00', total: '62.10' },
  ],
};

const WITHOUT_COUPON: Quotation = {
  ...DELIVERED,
  subtotal: '57.00',
  discount: '0.00',
  total: '136.00',
  coupon: null,
  errors: { coupon: 'El cupón ya no es válido.' },
  details: [{ product: 1, quantity: 2, subtotal: '57.00', discount: '0.00', iva: '0.00', total: '57.00' }],
};

const PICKED_UP: Quotation = {
  ...WITHOUT_COUPON,
  shipping_price: '0.00',
  total: '57.00',
  errors: {},
  shipping_method_options: [
    {
      id: 6,
      company: 'Recolección en sucursal',
      method: 'local',
      min_delivery_days: 0,
      max_delivery_days: 1,
      price: '0.00',
    },
  ],
  selected_shipping_method: 6,
  expected_delivery_date: '2026-11-23T23:00:00.000Z',
  max_delivery_date: '2026-11-24T23:00:00.000Z',
};

const twoOf = (product: number) => [{ product, quantity: 2 }];
const basket = (body: QuoteRequest): QuoteRequest => body;

export const QUOTE_EXAMPLES: Examples = {
  'POST /api/orders/calculate/': [
    {
      name: 'delivery',
      summary: 'Two products with a coupon, delivered',
      body: basket({ details: [...twoOf(1), { product: 12, quantity: 1 }], zipcode: '06700', coupon: 'BIENVENIDA10' }),
      status: 201,
      answer: DELIVERED,
    },
    {
      name: 'pickup',
      summary: 'Picked up at a store',
      body: basket({ details: twoOf(1), store: 1 }),
      status: 201,
      answer: PICKED_UP,
    },
    {
      name: 'expiredCoupon',
      summary: 'A coupon that is no longer valid',
      body: basket({ details: twoOf(1), zipcode: '06700', coupon: 'VERANO2025' }),
      status: 201,
      answer: WITHOUT_COUPON,
    },
    {
      name: 'unknownProduct',
      summary: 'A product that does not exist',
      body: basket({ details: [...twoOf(1), { product: 99_999, quantity: 1 }] }),
      status: 400,
      answer: { details: [{}, { product: ['El producto 99999 no existe.'] }] },
    },
  ],
};
