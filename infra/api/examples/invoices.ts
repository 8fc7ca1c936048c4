import type { Invoicing, InvoicingInput } from '../../../shared/api/addresses.ts';
import type { OrderReference } from '../../../shared/api/invoices.ts';
import type { Order } from '../../../shared/api/orders.ts';
import type { Examples } from './example.ts';
import { DELIVERED } from './orders.ts';
import { LUZ, NOW } from './people.ts';

const TAXPAYER = {
  full_name: 'LUZ MORA',
  rfc: 'MOXL900412AB1',
  street: 'Durango',
  exterior_number: '245',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
  cfdi_use: 'D01',
  fiscal_regime: '605',
  email: 'facturas@example.mx',
} satisfies InvoicingInput;

const RECORD: Invoicing = {
  id: 13,
  ...TAXPAYER,
  latitude: null,
  longitude: null,
  created_at: NOW,
  updated_at: NOW,
  updated_by: 2,
};

const INVOICED: Order = {
  ...DELIVERED,
  patient: { ...LUZ, default_invoicing: RECORD.id },
  invoicing: RECORD,
  cfdi: '58e93bd8e86eb318b0197456',
};

const INVOICED_REFERENCE: OrderReference = {
  ...INVOICED,
  patient: 4,
  shipping: 5,
  store: null,
  payment: null,
  wallet_agreement: null,
  payment_method: 1,
  coupon: 1,
  generated_by: 2,
  updated_by: 2,
  invoicing: RECORD.id,
  shipping_method: 1,
};

const NOTHING_SENT = { name: 'nothingSent', path: { id: 1 }, body: {}, status: 400 } as const;
const REQUIRED = ['Este campo es obligatorio.'];
const { email, ...required } = TAXPAYER;

export const INVOICE_EXAMPLES: Examples = {
  'PATCH /api/orders/{id}/request-invoice/': [
    {
      name: 'taxpayer',
      summary: 'To a person',
      path: { id: 1 },
      body: TAXPAYER,
      status: 200,
      answer: INVOICED_REFERENCE,
    },
    {
      ...NOTHING_SENT,
      summary: 'No tax data',
      answer: Object.fromEntries(Object.keys(required).map((field) => [field, REQUIRED])),
    },
  ],
  'PUT /api/orders/{id}/request-invoice/': [
    {
      name: 'taxpayer',
      summary: 'To a person',
      path: { id: 1 },
      body: { invoicing: TAXPAYER },
      status: 200,
      answer: INVOICED,
    },
    { ...NOTHING_SENT, summary: 'No tax data', answer: { invoicing: REQUIRED } },
  ],
};
