import { fiscalText } from '../../../domain/text.ts';
import { localClock } from '../../../domain/working-day.ts';
import { NO_VALIDITY, type SandboxDocument } from '../document.ts';
import type { CfdiParts } from './concepts.ts';
import { type Attributes, element } from './element.ts';
import { describeCredit, describeGlobal, describeInvoice } from './parts.ts';
import { describePayment } from './payment.ts';

/**
 * Writes a document in the structure of a CFDI 4.0 (SAT, Anexo 20). It is not valid: the seal and the certificate are
 * empty, and it has no TimbreFiscalDigital.
 */
export function writeCfdi(document: SandboxDocument): string {
  const { issuer } = document;
  const parts = describe(document);
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

function describe({ content, timeZone }: SandboxDocument): CfdiParts {
  switch (content.kind) {
    case 'invoice':
      return describeInvoice(content);
    case 'credit':
      return describeCredit(content);
    case 'global':
      return describeGlobal(content);
    case 'payment': {
      const { date, time } = localClock(new Date(content.paidAt), timeZone);
      return describePayment(content, `${date}T${time}`);
    }
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
