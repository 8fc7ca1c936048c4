import type { Invoice, InvoiceConcept } from '../../domain/invoices/cfdi.ts';
import { MICROS_PER_UNIT } from '../../domain/money.ts';
import type { InvoiceReference } from '../provider.ts';

const CENTS_PER_UNIT = 100;

/**
 * Converts an invoice to Facturapi's request (OpenAPI v2, `POST /invoices`): prices and discounts before IVA, and explicit
 * taxes, because a concept without taxes gets 16 %. Facturapi assigns series and folio. Without an e-mail it sends no mail.
 */
export const toRequestBody = (invoice: Invoice, { key, folio }: InvoiceReference) => ({
  customer: {
    legal_name: invoice.receiver.legalName,
    tax_id: invoice.receiver.rfc,
    tax_system: invoice.receiver.fiscalRegime,
    address: { zip: invoice.receiver.zipcode },
  },
  items: invoice.concepts.map(toItem),
  use: invoice.receiver.cfdiUse,
  payment_form: invoice.paymentForm,
  payment_method: invoice.paymentMethod,
  currency: 'MXN',
  external_id: key,
  idempotency_key: key,
  // HTML that is printed below the totals, so that the receiver recognises the sale.
  pdf_custom_section: `<p>Pedido ${folio.replace(/[^\w-]/g, '')}</p>`,
});

// Facturapi's numbers have up to six decimals; a double made from whole cents or micros prints exactly these.
const toItem = (concept: InvoiceConcept) => ({
  quantity: concept.quantity,
  discount: concept.discountCents / CENTS_PER_UNIT,
  product: {
    description: concept.description,
    product_key: concept.productKey,
    unit_key: concept.unitKey,
    ...(concept.sku !== '' && { sku: concept.sku }),
    price: concept.unitPriceMicros / MICROS_PER_UNIT,
    tax_included: false,
    taxability: '02',
    taxes: [{ type: 'IVA', factor: 'Tasa', rate: concept.ivaRateMicros / MICROS_PER_UNIT, withholding: false }],
  },
});
