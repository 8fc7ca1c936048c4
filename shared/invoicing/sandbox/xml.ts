import type { InvoiceConcept } from '../../domain/invoices/cfdi.ts';
import { computeConcept, computeTotals } from '../../domain/invoices/invoice-totals.ts';
import type { Micros } from '../../domain/money.ts';
import { fiscalText } from '../../domain/text.ts';
import { centsToMicros, writeDecimal, writeExactly } from './decimals.ts';
import { NO_VALIDITY, type SandboxDocument } from './document.ts';

/**
 * Writes the invoice in the structure of a CFDI 4.0 (SAT, Anexo 20). It is not valid: the seal and the certificate are
 * empty, and it has no TimbreFiscalDigital.
 */
export function writeInvoiceXml(document: SandboxDocument): string {
  const { issuer, invoice } = document;
  const { receiver, concepts } = invoice;
  const children = [
    element('cfdi:Emisor', { Rfc: issuer.rfc, Nombre: issuer.legalName, RegimenFiscal: issuer.fiscalRegime }),
    element('cfdi:Receptor', {
      Rfc: receiver.rfc,
      Nombre: receiver.legalName,
      DomicilioFiscalReceptor: receiver.zipcode,
      RegimenFiscalReceptor: receiver.fiscalRegime,
      UsoCFDI: receiver.cfdiUse,
    }),
    element('cfdi:Conceptos', {}, concepts.map(conceptElement)),
    summaryElement(concepts),
  ];
  const notice = `<!-- ${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT -->`;
  const root = element('cfdi:Comprobante', rootAttributes(document), children);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${notice}\n${root}\n`;
}

function rootAttributes({ folio, issuedAt, issuer, invoice }: SandboxDocument): Attributes {
  const { subtotalCents, discountCents, totalCents } = computeTotals(invoice.concepts);
  return {
    'xmlns:cfdi': 'http://www.sat.gob.mx/cfd/4',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': 'http://www.sat.gob.mx/cfd/4 http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd',
    Version: '4.0',
    Folio: fiscalText(folio, 40),
    Fecha: issuedAt,
    Sello: '',
    FormaPago: invoice.paymentForm,
    NoCertificado: '0'.repeat(20),
    Certificado: '',
    SubTotal: writeExactly(centsToMicros(subtotalCents)),
    Descuento: writeExactly(centsToMicros(discountCents)),
    Moneda: 'MXN',
    Total: writeExactly(centsToMicros(totalCents)),
    TipoDeComprobante: 'I',
    Exportacion: '01',
    MetodoPago: invoice.paymentMethod,
    LugarExpedicion: issuer.zipcode,
  };
}

function conceptElement(concept: InvoiceConcept): string {
  const { amountMicros, discountMicros, baseMicros, ivaMicros } = computeConcept(concept);
  const attributes = {
    ClaveProdServ: concept.productKey,
    ...(concept.sku === '' ? {} : { NoIdentificacion: concept.sku }),
    Cantidad: String(concept.quantity),
    ClaveUnidad: concept.unitKey,
    Descripcion: concept.description,
    ValorUnitario: writeExactly(BigInt(concept.unitPriceMicros)),
    Importe: writeExactly(amountMicros),
    Descuento: writeExactly(discountMicros),
    // 02 is "subject to tax": a rate of 0 is not an exemption.
    ObjetoImp: '02',
  };
  const iva = ivaElement(concept.ivaRateMicros, writeExactly(baseMicros), writeExactly(ivaMicros));
  return element('cfdi:Concepto', attributes, [element('cfdi:Impuestos', {}, [element('cfdi:Traslados', {}, [iva])])]);
}

function summaryElement(concepts: readonly InvoiceConcept[]): string {
  const { ivaGroups, ivaCents } = computeTotals(concepts);
  const groups = ivaGroups.map(({ rateMicros, baseCents, ivaCents: cents }) =>
    ivaElement(rateMicros, writeExactly(centsToMicros(baseCents)), writeExactly(centsToMicros(cents))),
  );
  const attributes = { TotalImpuestosTrasladados: writeExactly(centsToMicros(ivaCents)) };
  return element('cfdi:Impuestos', attributes, [element('cfdi:Traslados', {}, groups)]);
}

// 002 is IVA in c_Impuesto.
const ivaElement = (rateMicros: Micros, base: string, iva: string): string =>
  element('cfdi:Traslado', {
    Base: base,
    Impuesto: '002',
    TipoFactor: 'Tasa',
    TasaOCuota: writeDecimal(BigInt(rateMicros), 6),
    Importe: iva,
  });

type Attributes = Readonly<Record<string, string>>;

function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const start = `<${name}${written.join('')}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (value: string): string => value.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
