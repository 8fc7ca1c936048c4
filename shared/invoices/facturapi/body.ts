import { type CancelInvoiceOptions, CancellationMotive } from 'facturapi';
import { type Cents, MICROS_PER_UNIT, type Micros } from '../../domain/money.ts';
import type { DocumentReference } from '../provider.ts';
import {
  type ConceptNames,
  type FiscalDocument,
  GLOBAL_SALE,
  type GlobalSale,
  type InvoiceConcept,
  type InvoiceReceiver,
  type PaymentComplement,
  toPublicReceiver,
} from '../rules/build/cfdi.ts';
import { toUnitName } from '../rules/sat-tables.ts';
import type { Cancellation } from '../rules/tax-document.ts';

/** Converts a cancellation to the query of `DELETE /invoices/{id}`, whose `substitution` is an id or a UUID. */
export const toCancelOptions = ({ motive, substitution }: Cancellation): CancelInvoiceOptions => ({
  motive: MOTIVES[motive],
  ...(substitution !== null && { substitution }),
});

const MOTIVES = {
  '01': CancellationMotive.ERRORES_CON_RELACION,
  '02': CancellationMotive.ERRORES_SIN_RELACION,
  '03': CancellationMotive.NO_SE_CONCRETO,
} as const satisfies Record<Cancellation['motive'], CancellationMotive>;

/**
 * Converts a document to Facturapi's request (OpenAPI v2, `POST /invoices`): prices and discounts before IVA, and explicit
 * taxes, because a concept without taxes gets 16 %. Facturapi assigns series and folio and, without an e-mail, sends no mail.
 */
export const toRequestBody = (document: FiscalDocument, { key, folio }: DocumentReference) => ({
  ...toContent(document),
  ...(document.expeditionZipcode !== null && { address: { zip: document.expeditionZipcode } }),
  external_id: key,
  idempotency_key: key,
  // HTML below the totals, so that the receiver recognises the sale.
  pdf_custom_section: `<p>Pedido ${folio.replace(/[^\w-]/g, '')}</p>`,
});

function toContent(document: FiscalDocument) {
  switch (document.kind) {
    case 'invoice': {
      const { paymentMethod, replacesUuid } = document;
      return {
        ...toSale(document, document.concepts.map(toConceptItem), paymentMethod),
        ...(replacesUuid !== null && relate('04', replacesUuid)),
      };
    }
    case 'credit':
      return {
        type: 'E',
        ...toSale(document, document.concepts.map(toConceptItem), 'PUE'),
        ...relate('01', document.creditsUuid),
      };
    case 'payment':
      return toPayment(document);
    case 'global': {
      const { month: months, year } = document.period;
      const sale = { ...document, receiver: toPublicReceiver(document) };
      return {
        ...toSale(sale, document.sales.map(toSaleItem), 'PUE'),
        global: { periodicity: 'month', months, year },
      };
    }
  }
}

type Sale = { readonly receiver: InvoiceReceiver; readonly paymentForm: string };

const toSale = <Item>({ receiver, paymentForm }: Sale, items: readonly Item[], paymentMethod: 'PUE' | 'PPD') => ({
  customer: toCustomer(receiver),
  items,
  use: receiver.cfdiUse,
  payment_form: paymentForm,
  payment_method: paymentMethod,
  currency: 'MXN',
});

const relate = (relationship: '01' | '04', uuid: string) => ({
  related_documents: [{ relationship, documents: [uuid] }],
});

/** Facturapi adds the fixed values of a payment complement: the concept, the use and the sums. */
const toPayment = (payment: PaymentComplement) => ({
  type: 'P',
  customer: toCustomer(payment.receiver),
  complements: [
    {
      type: 'pago',
      data: [
        {
          payment_form: payment.paymentForm,
          currency: 'MXN',
          date: payment.paidAt,
          related_documents: [toPaidDocument(payment)],
        },
      ],
    },
  ],
});

const toPaidDocument = ({ invoice, installment, balanceCents, amountCents, taxes }: PaymentComplement) => ({
  uuid: invoice.uuid,
  ...(invoice.series !== '' && { series: invoice.series }),
  // Facturapi's folios are whole numbers.
  ...(/^\d+$/.test(invoice.folio) && { folio_number: Number(invoice.folio) }),
  currency: 'MXN',
  installment,
  last_balance: toPesos(balanceCents),
  amount: toPesos(amountCents),
  taxability: '02',
  taxes: taxes.map(({ rateMicros, baseCents }) => ({
    type: 'IVA',
    factor: 'Tasa',
    rate: toRate(rateMicros),
    base: toPesos(baseCents),
    withholding: false,
  })),
});

const toCustomer = (receiver: Omit<InvoiceReceiver, 'cfdiUse'>) => ({
  legal_name: receiver.legalName,
  tax_id: receiver.rfc,
  tax_system: receiver.fiscalRegime,
  address: { zip: receiver.zipcode },
});

const CENTS_PER_UNIT = 100;

// Facturapi's numbers have up to six decimals; a double made from whole cents or micros prints exactly these.
const toPesos = (cents: Cents): number => cents / CENTS_PER_UNIT;
const toRate = (rateMicros: Micros): number => rateMicros / MICROS_PER_UNIT;
const microsToPesos = (micros: bigint): number => Number(micros) / MICROS_PER_UNIT;

const toConceptItem = ({ ivaRateMicros, unitPriceMicros, ...concept }: InvoiceConcept) => ({
  quantity: concept.quantity,
  discount: toPesos(concept.discountCents),
  product: toProduct(concept, unitPriceMicros / MICROS_PER_UNIT, [toTax(ivaRateMicros)]),
});

/** Each tax of a global invoice's sale has its own base. */
const toSaleItem = ({ folio: sku, amountMicros, taxes }: GlobalSale) => ({
  quantity: 1,
  discount: 0,
  product: toProduct(
    { ...GLOBAL_SALE, sku },
    microsToPesos(amountMicros),
    taxes.map(({ rateMicros, baseMicros }) => ({ ...toTax(rateMicros), base: microsToPesos(baseMicros) })),
  ),
});

const toProduct = <Tax>(
  { description, productKey, unitKey, sku }: ConceptNames,
  price: number,
  taxes: readonly Tax[],
) => ({
  description,
  product_key: productKey,
  ...toUnit(unitKey),
  ...(sku !== '' && { sku }),
  price,
  tax_included: false,
  taxability: '02',
  taxes,
});

/** Facturapi names a unit "Elemento" if the request does not name it. */
function toUnit(unit_key: string) {
  const unit_name = toUnitName(unit_key);
  return { unit_key, ...(unit_name !== undefined && { unit_name }) };
}

const toTax = (rateMicros: Micros) => ({ type: 'IVA', factor: 'Tasa', rate: toRate(rateMicros), withholding: false });
