import { TOKEN_EXAMPLES } from './access.ts';
import {
  CATEGORIES_EXAMPLES,
  COMPANIES_EXAMPLES,
  DISEASES_EXAMPLES,
  PRODUCT_EXAMPLES,
  PRODUCTS_EXAMPLES,
} from './catalog.ts';
import type { Example } from './example.ts';
import { REQUEST_INVOICE_EXAMPLES, REQUEST_INVOICE_IN_FULL_EXAMPLES } from './invoices.ts';
import { CREATE_EXAMPLES, ORDER_EXAMPLES, ORDERS_EXAMPLES, UPDATE_EXAMPLES } from './orders.ts';
import { QUOTE_EXAMPLES } from './quotes.ts';

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  'POST /api/token/': TOKEN_EXAMPLES,
  'POST /api/orders/calculate/': QUOTE_EXAMPLES,
  'POST /api/orders/resources/': CREATE_EXAMPLES,
  'GET /api/orders/': ORDERS_EXAMPLES,
  'GET /api/orders/{id}/': ORDER_EXAMPLES,
  'PATCH /api/orders/{id}/': UPDATE_EXAMPLES,
  'PATCH /api/orders/{id}/request-invoice/': REQUEST_INVOICE_EXAMPLES,
  'PUT /api/orders/{id}/request-invoice/': REQUEST_INVOICE_IN_FULL_EXAMPLES,
  'GET /api/products/': PRODUCTS_EXAMPLES,
  'GET /api/products/{id}/': PRODUCT_EXAMPLES,
  'GET /api/categories/': CATEGORIES_EXAMPLES,
  'GET /api/pharmaceutical-companies/': COMPANIES_EXAMPLES,
  'GET /api/diseases/': DISEASES_EXAMPLES,
};

/** The examples of an operation, by its method and path. Throws when it has none. */
export function examplesOf(name: string): readonly Example[] {
  const examples = EXAMPLES[name];
  if (!examples) throw new Error(`no examples of ${name} in infra/api/examples/examples.ts`);
  return examples;
}
