import type { Cents, Micros } from '../../money.ts';
import { formatFolio } from '../../order.ts';
import { fiscalText } from '../../text.ts';
import { USES } from '../tax-id-tables.ts';
import type { CreditNote, Invoice, InvoiceConcept, InvoiceReceiver } from './cfdi.ts';
import { fitConcepts, splitByRate } from './shares-of-rates.ts';

type Credited = {
  /** The invoice as it was issued, and its UUID. */
  readonly invoice: Pick<Invoice, 'concepts' | 'receiver' | 'expeditionZipcode'>;
  readonly uuid: string;
  readonly orderId: number;
  readonly amountCents: Cents;
  /** The amounts of the credit notes that came before, the earliest first. */
  readonly earlierCents: readonly Cents[];
  /** SAT's c_FormaPago in which the money goes back. */
  readonly paymentForm: string;
  /** The description that the receiver reads; '' for SAT's own words. */
  readonly reason: string;
  /** The folio of the sale in a global invoice (NoIdentificacion); absent for an invoice of its own. */
  readonly sku?: string;
};

/**
 * Builds a credit note for a part of an invoice or all of it: a concept for each of its rates of IVA, which add up to the
 * amount (SAT, guide of Anexo 20, appendix 5, II, page 65). Throws RangeError if the notes exceed the invoice.
 */
export function buildCreditNote({
  invoice,
  uuid,
  amountCents,
  paymentForm,
  sku = '',
  ...credited
}: Credited): CreditNote {
  const shares = splitByRate({ invoiced: invoice.concepts, amountCents, earlierCents: credited.earlierCents });
  const description = describe(credited);
  return {
    kind: 'credit',
    receiver: toCreditReceiver(invoice.receiver),
    expeditionZipcode: invoice.expeditionZipcode,
    concepts: fitConcepts(shares, (baseMicros, rateMicros) => ({
      ...toConcept(description, baseMicros, rateMicros),
      sku,
    })),
    paymentForm,
    creditsUuid: uuid,
    totalCents: amountCents,
  };
}

const describe = ({ reason, orderId }: Pick<Credited, 'reason' | 'orderId'>): string =>
  fiscalText(reason, 1_000) || `Devolución, descuento o bonificación del pedido ${formatFolio(orderId)}`;

// c_ClaveProdServ 84111506 "Servicios de facturación", c_ClaveUnidad ACT "Actividad": appendix 5 allows them for any of these.
const toConcept = (description: string, unitPriceMicros: Micros, ivaRateMicros: Micros): InvoiceConcept => ({
  description,
  productKey: '84111506',
  unitKey: 'ACT',
  sku: '',
  quantity: 1,
  unitPriceMicros,
  discountCents: 0,
  ivaRateMicros,
});

const RETURNS = 'G02';
const NO_EFFECTS = 'S01';

/** c_UsoCFDI G02 is for returns, discounts and bonuses; a regime that it does not go with (CFDI40161) gets S01. */
const toCreditReceiver = (receiver: InvoiceReceiver): InvoiceReceiver => ({
  ...receiver,
  cfdiUse: USES[RETURNS]?.regimes.includes(receiver.fiscalRegime) ? RETURNS : NO_EFFECTS,
});
