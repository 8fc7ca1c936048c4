import type { Invoice, InvoiceConcept } from '../../domain/invoices/invoice.ts';
import { MICROS_PER_UNIT } from '../../domain/money.ts';
import type { InvoiceReference } from '../provider.ts';

const CENTS_PER_UNIT = 100;

/**
 * An invoice as Facturapi takes it (OpenAPI v2, `POST /invoices`): prices and discounts before IVA, every tax written
 * out, as a concept without taxes is given 16 %. Series and folio are theirs. No e-mail, so that they mail nothing.
 */
export const bodyOf = (invoice: Invoice, { key, folio }: InvoiceReference) => ({
  customer: {
    legal_name: invoice.receiver.legalName,
    tax_id: invoice.receiver.rfc,
    tax_system: invoice.receiver.fiscalRegime,
    address: { zip: invoice.receiver.zipcode },
  },
  items: invoice.concepts.map(itemOf),
  use: invoice.receiver.cfdiUse,
  payment_form: invoice.paymentForm,
  payment_method: invoice.paymentMethod,
  currency: 'MXN',
  external_id: key,
  idempotency_key: key,
  // HTML that is printed below the figures: what the receiver knows the sale by.
  pdf_custom_section: `<p>Pedido ${folio.replace(/[^\w-]/g, '')}</p>`,
});

// Their numbers have up to six decimals; of whole cents and micros, a double holds these exactly as they are written.
const itemOf = (concept: InvoiceConcept) => ({
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
