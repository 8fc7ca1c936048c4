import type { GlobalSale, InvoiceConcept } from '../../domain/invoices/content/cfdi.ts';
import { type Cents, MICROS_PER_UNIT, type Micros } from '../../domain/money.ts';
import { GLOBAL_SALE } from '../global-invoice.ts';
import { toUnitName } from '../unit-name.ts';

const CENTS_PER_UNIT = 100;

// Facturapi's numbers have up to six decimals; a double made from whole cents or micros prints exactly these.
export const toPesos = (cents: Cents): number => cents / CENTS_PER_UNIT;
export const toRate = (rateMicros: Micros): number => rateMicros / MICROS_PER_UNIT;
const microsToPesos = (micros: bigint): number => Number(micros) / MICROS_PER_UNIT;

/** Converts a concept to an item of Facturapi's. */
export const toItem = (concept: InvoiceConcept) => ({
  quantity: concept.quantity,
  discount: toPesos(concept.discountCents),
  product: {
    description: concept.description,
    product_key: concept.productKey,
    ...toUnit(concept.unitKey),
    ...(concept.sku !== '' && { sku: concept.sku }),
    price: concept.unitPriceMicros / MICROS_PER_UNIT,
    tax_included: false,
    taxability: '02',
    taxes: [toTax(concept.ivaRateMicros)],
  },
});

/** Converts a sale of a global invoice to an item; each of its taxes has a base of its own. */
export const toSaleItem = ({ folio, amountMicros, taxes }: GlobalSale) => ({
  quantity: 1,
  discount: 0,
  product: {
    description: GLOBAL_SALE.description,
    product_key: GLOBAL_SALE.productKey,
    ...toUnit(GLOBAL_SALE.unitKey),
    sku: folio,
    price: microsToPesos(amountMicros),
    tax_included: false,
    taxability: '02',
    taxes: taxes.map(({ rateMicros, baseMicros }) => ({ ...toTax(rateMicros), base: microsToPesos(baseMicros) })),
  },
});

/** Facturapi writes "Elemento" as the name of a unit that comes without one. */
function toUnit(unit_key: string) {
  const unit_name = toUnitName(unit_key);
  return { unit_key, ...(unit_name !== undefined && { unit_name }) };
}

const toTax = (rateMicros: Micros) => ({ type: 'IVA', factor: 'Tasa', rate: toRate(rateMicros), withholding: false });
