import type { CreditNote, GlobalInvoice, Invoice } from '../../../domain/invoices/content/cfdi.ts';
import {
  computeSalesTotals,
  computeTotals,
  type InvoiceTotals,
} from '../../../domain/invoices/content/invoice-totals.ts';
import { toPublicReceiver } from '../../global-invoice.ts';
import { writeCents } from '../decimals.ts';
import type { CfdiParts } from './concepts.ts';
import { conceptElement, saleElement, summaryElement } from './concepts.ts';
import { type Attributes, element } from './element.ts';

export function describeInvoice(invoice: Invoice): CfdiParts {
  const { receiver, concepts, paymentForm, paymentMethod, replacesUuid } = invoice;
  const totals = computeTotals(concepts);
  return {
    root: saleAttributes(totals, { type: 'I', paymentForm, paymentMethod }),
    before: replacesUuid === null ? [] : [relationElement('04', replacesUuid)],
    receiver,
    concepts: concepts.map(conceptElement),
    after: [summaryElement(totals)],
  };
}

export function describeCredit({ receiver, concepts, paymentForm, creditsUuid }: CreditNote): CfdiParts {
  const totals = computeTotals(concepts);
  return {
    root: saleAttributes(totals, { type: 'E', paymentForm, paymentMethod: 'PUE' }),
    before: [relationElement('01', creditsUuid)],
    receiver,
    concepts: concepts.map(conceptElement),
    after: [summaryElement(totals)],
  };
}

export function describeGlobal(global: GlobalInvoice): CfdiParts {
  const { sales, paymentForm, period } = global;
  const totals = computeSalesTotals(sales);
  return {
    root: saleAttributes(totals, { type: 'I', paymentForm, paymentMethod: 'PUE' }),
    // c_Periodicidad 04: a month.
    before: [element('cfdi:InformacionGlobal', { Periodicidad: '04', Meses: period.month, Año: String(period.year) })],
    receiver: toPublicReceiver(global),
    concepts: sales.map(saleElement),
    after: [summaryElement(totals)],
  };
}

type Payment = { readonly type: 'I' | 'E'; readonly paymentForm: string; readonly paymentMethod: 'PUE' | 'PPD' };

const saleAttributes = (totals: InvoiceTotals, { type, paymentForm, paymentMethod }: Payment): Attributes => ({
  FormaPago: paymentForm,
  SubTotal: writeCents(totals.subtotalCents),
  // Only where a concept has one (CFDI40111).
  ...(totals.discountCents > 0 && { Descuento: writeCents(totals.discountCents) }),
  Moneda: 'MXN',
  Total: writeCents(totals.totalCents),
  TipoDeComprobante: type,
  MetodoPago: paymentMethod,
});

const relationElement = (relation: '01' | '04', uuid: string): string =>
  element('cfdi:CfdiRelacionados', { TipoRelacion: relation }, [element('cfdi:CfdiRelacionado', { UUID: uuid })]);
