import { fiscalText } from '../../domain/text.ts';
import { toLocalTime } from '../../domain/working-day.ts';
import {
  type CreditNote,
  computeSalesTotals,
  computeTotals,
  type GlobalInvoice,
  type Invoice,
  type InvoiceTotals,
  toPublicReceiver,
} from '../rules/build/cfdi.ts';
import type { Cancellation } from '../rules/tax-document.ts';
import { type Issuer, NO_VALIDITY, type SandboxDocument } from './document.ts';
import {
  type Attributes,
  type CfdiParts,
  conceptElement,
  element,
  saleElement,
  summaryElement,
  writeCents,
} from './elements.ts';
import { toPaymentParts } from './payment.ts';

/**
 * Writes a document in the structure of a CFDI 4.0 (SAT, Anexo 20). It is not valid: the seal and the certificate are
 * empty, and it has no TimbreFiscalDigital.
 */
export function writeCfdi(document: SandboxDocument): string {
  const { issuer } = document;
  const parts = toParts(document);
  const { receiver } = parts;
  const children = [
    ...parts.before,
    element('cfdi:Emisor', { Rfc: issuer.rfc, Nombre: issuer.legalName, RegimenFiscal: issuer.fiscalRegime }),
    element('cfdi:Receptor', {
      Rfc: receiver.rfc,
      Nombre: receiver.legalName,
      DomicilioFiscalReceptor: receiver.zipcode,
      RegimenFiscalReceptor: receiver.fiscalRegime,
      UsoCFDI: receiver.cfdiUse,
    }),
    element('cfdi:Conceptos', {}, parts.concepts),
    ...parts.after,
  ];
  const notice = `<!-- ${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT -->`;
  const root = element('cfdi:Comprobante', rootAttributes(document, parts), children);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${notice}\n${root}\n`;
}

function toParts({ content, timeZone }: SandboxDocument): CfdiParts {
  switch (content.kind) {
    case 'invoice': {
      const { paymentMethod, replacesUuid } = content;
      const relation = replacesUuid === null ? [] : [relationElement('04', replacesUuid)];
      return toSaleParts(content, { type: 'I', paymentMethod }, relation);
    }
    case 'credit':
      return toSaleParts(content, { type: 'E', paymentMethod: 'PUE' }, [relationElement('01', content.creditsUuid)]);
    case 'global':
      return toGlobalParts(content);
    case 'payment':
      return toPaymentParts(content, toLocalTime(new Date(content.paidAt), timeZone));
  }
}

const rootAttributes = ({ folio, issuedAt, issuer, content }: SandboxDocument, { root }: CfdiParts): Attributes => ({
  ...namespaces(content.kind === 'payment' ? [CFDI, PAYMENTS] : [CFDI]),
  Version: '4.0',
  Folio: fiscalText(folio, 40),
  Fecha: issuedAt,
  Sello: '',
  NoCertificado: '0'.repeat(20),
  Certificado: '',
  ...root,
  Exportacion: '01',
  LugarExpedicion: content.expeditionZipcode ?? issuer.zipcode,
});

const SAT = 'http://www.sat.gob.mx';
const CFDI = { prefix: 'cfdi', name: `${SAT}/cfd/4`, schema: `${SAT}/sitio_internet/cfd/4/cfdv40.xsd` };
const PAYMENTS = { prefix: 'pago20', name: `${SAT}/Pagos20`, schema: `${SAT}/sitio_internet/cfd/Pagos/Pagos20.xsd` };

const namespaces = (used: readonly (typeof CFDI)[]): Attributes => ({
  ...Object.fromEntries(used.map(({ prefix, name }) => [`xmlns:${prefix}`, name])),
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:schemaLocation': used.map(({ name, schema }) => `${name} ${schema}`).join(' '),
});

type SaleKind = { readonly type: 'I' | 'E'; readonly paymentMethod: 'PUE' | 'PPD' };

function toSaleParts(
  { receiver, concepts, paymentForm }: Invoice | CreditNote,
  kind: SaleKind,
  before: readonly string[],
): CfdiParts {
  const totals = computeTotals(concepts);
  return {
    root: saleAttributes(totals, paymentForm, kind),
    before,
    receiver,
    concepts: concepts.map(conceptElement),
    after: [summaryElement(totals)],
  };
}

function toGlobalParts(global: GlobalInvoice): CfdiParts {
  const { sales, paymentForm, period } = global;
  const totals = computeSalesTotals(sales);
  return {
    root: saleAttributes(totals, paymentForm, { type: 'I', paymentMethod: 'PUE' }),
    // c_Periodicidad 04: a month.
    before: [element('cfdi:InformacionGlobal', { Periodicidad: '04', Meses: period.month, Año: String(period.year) })],
    receiver: toPublicReceiver(global),
    concepts: sales.map(saleElement),
    after: [summaryElement(totals)],
  };
}

const saleAttributes = (totals: InvoiceTotals, paymentForm: string, { type, paymentMethod }: SaleKind): Attributes => ({
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

type ReceiptOfCancellation = {
  /** The local time of the place of issue, `2026-11-21T17:00:00`. */
  readonly cancelledAt: string;
  readonly issuer: Issuer;
  readonly uuid: string;
  readonly cancellation: Cancellation;
};

// SAT's EstatusUUID of a request that it has accepted.
const ACCEPTED = '201';

/** Writes a receipt of a cancellation in the manner of SAT's Acuse, without its signature. */
export function writeReceiptXml({ cancelledAt, issuer, uuid, cancellation }: ReceiptOfCancellation): string {
  const { motive, substitution } = cancellation;
  const folios = element(
    'Folios',
    { Motivo: motive, ...(substitution !== null && { FolioSustitucion: substitution }) },
    [`<UUID>${uuid}</UUID>`, `<EstatusUUID>${ACCEPTED}</EstatusUUID>`],
  );
  const root = element('Acuse', { Fecha: cancelledAt, RfcEmisor: issuer.rfc }, [folios]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${NO_VALIDITY}: acuse de demostración, sin firma del SAT -->\n${root}\n`;
}
