import type { FiscalDocument, InvoiceReceiver } from '../../../domain/invoices/content/cfdi.ts';
import { REGIMES, USES } from '../../../domain/invoices/tax-id-tables.ts';
import { NO_VALIDITY, type SandboxDocument } from '../document.ts';
import { type Row, writePdf } from './file.ts';
import { type KindRows, listCredit, listGlobal, listInvoice, listPayment, withName } from './rows.ts';

const NOTE =
  'Representación impresa de un CFDI de demostración. No fue sellado ni certificado y no está registrado ante el SAT: ' +
  'no acredita operación alguna ni sirve para deducir o acreditar impuestos.';

const KINDS = {
  invoice: { title: 'Factura', type: 'I - Ingreso' },
  credit: { title: 'Nota de crédito', type: 'E - Egreso' },
  payment: { title: 'Complemento de pago', type: 'P - Pago' },
  global: { title: 'Factura global', type: 'I - Ingreso' },
} as const satisfies Record<FiscalDocument['kind'], object>;

/** Writes the document for a person to read, on one page in one column. */
export function writePdfOfCfdi(document: SandboxDocument): Uint8Array {
  const { title } = KINDS[document.content.kind];
  const { receiver, rows } = listRows(document);
  const all: Row[] = [
    [`${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT`, ''],
    [title.toUpperCase(), ''],
    ...identityRows(document),
    ['RECEPTOR', ''],
    ...receiverRows(receiver),
    ...rows,
    [NO_VALIDITY, ''],
    ['', NOTE],
  ];
  return writePdf(all, `${title} ${document.folio}`);
}

function listRows({ content, timeZone }: SandboxDocument): KindRows {
  switch (content.kind) {
    case 'invoice':
      return listInvoice(content);
    case 'credit':
      return listCredit(content);
    case 'global':
      return listGlobal(content);
    case 'payment':
      return listPayment(content, timeZone);
  }
}

function identityRows({ id, folio, issuedAt, issuer, content }: SandboxDocument): Row[] {
  const [date = '', time = ''] = issuedAt.split('T');
  return [
    ['Folio', folio],
    ['Fecha de emisión', `${date.split('-').reverse().join('/')} ${time}`],
    ['Comprobante', `${KINDS[content.kind].type}, CFDI 4.0`],
    ['Identificador', id],
    ['EMISOR', ''],
    ['Nombre', issuer.legalName],
    ['RFC', issuer.rfc],
    ['Régimen fiscal', withName(issuer.fiscalRegime, REGIMES[issuer.fiscalRegime]?.name)],
    ['Lugar de expedición', `C.P. ${content.expeditionZipcode ?? issuer.zipcode}`],
  ];
}

const receiverRows = (receiver: InvoiceReceiver): Row[] => [
  ['Nombre', receiver.legalName],
  ['RFC', receiver.rfc],
  ['Domicilio fiscal', `C.P. ${receiver.zipcode}`],
  ['Régimen fiscal', withName(receiver.fiscalRegime, REGIMES[receiver.fiscalRegime]?.name)],
  ['Uso del CFDI', withName(receiver.cfdiUse, USES[receiver.cfdiUse]?.name ?? OTHER_USES[receiver.cfdiUse])],
];

// Uses that no receiver may ask for.
const OTHER_USES: Readonly<Record<string, string>> = { CP01: 'Pagos' };
