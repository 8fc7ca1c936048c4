import type { Invoice, InvoiceConcept } from '../../domain/invoices/cfdi.ts';
import { computeConcept, computeTotals } from '../../domain/invoices/invoice-totals.ts';
import { PAYMENT_FORMS, REGIMES, USES } from '../../domain/invoices/tax-id-tables.ts';
import type { Cents } from '../../domain/money.ts';
import { writeAmountInWords } from './amount-in-words.ts';
import { centsToMicros, writeMoney, writePercent } from './decimals.ts';
import { NO_VALIDITY, type SandboxDocument } from './document.ts';
import { type Row, writePdf } from './pdf-file.ts';

const NOTE =
  'Representación impresa de un CFDI de demostración. No fue sellado ni certificado y no está registrado ante el SAT: ' +
  'no acredita operación alguna ni sirve para deducir o acreditar impuestos.';
const METHODS = { PUE: 'Pago en una sola exhibición', PPD: 'Pago en parcialidades o diferido' } as const;

/** Writes the invoice for a person to read, on one page in one column. */
export function writeInvoicePdf(document: SandboxDocument): Uint8Array {
  const { folio, invoice } = document;
  const rows: Row[] = [
    [`${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT`, ''],
    ['FACTURA', ''],
    ...identityRows(document),
    ['RECEPTOR', ''],
    ...receiverRows(invoice),
    ['PAGO', ''],
    ...paymentRows(invoice),
    ['CONCEPTOS', ''],
    ...invoice.concepts.flatMap(conceptRows),
    ['IMPORTES', ''],
    ...totalRows(invoice),
    [NO_VALIDITY, ''],
    ['', NOTE],
  ];
  return writePdf(rows, `Factura ${folio}`);
}

function identityRows({ id, folio, issuedAt, issuer }: SandboxDocument): Row[] {
  const [date = '', time = ''] = issuedAt.split('T');
  return [
    ['Folio', folio],
    ['Fecha de emisión', `${date.split('-').reverse().join('/')} ${time}`],
    ['Comprobante', 'I - Ingreso, CFDI 4.0'],
    ['Identificador', id],
    ['EMISOR', ''],
    ['Nombre', issuer.legalName],
    ['RFC', issuer.rfc],
    ['Régimen fiscal', withName(issuer.fiscalRegime, REGIMES[issuer.fiscalRegime]?.name)],
    ['Lugar de expedición', `C.P. ${issuer.zipcode}`],
  ];
}

const receiverRows = ({ receiver }: Invoice): Row[] => [
  ['Nombre', receiver.legalName],
  ['RFC', receiver.rfc],
  ['Domicilio fiscal', `C.P. ${receiver.zipcode}`],
  ['Régimen fiscal', withName(receiver.fiscalRegime, REGIMES[receiver.fiscalRegime]?.name)],
  ['Uso del CFDI', withName(receiver.cfdiUse, USES[receiver.cfdiUse]?.name)],
];

const paymentRows = ({ paymentMethod, paymentForm }: Invoice): Row[] => [
  ['Método de pago', withName(paymentMethod, METHODS[paymentMethod])],
  ['Forma de pago', withName(paymentForm, PAYMENT_FORMS[paymentForm])],
  ['Moneda', 'MXN - Peso Mexicano'],
  ['Exportación', '01 - No aplica'],
];

function conceptRows(concept: InvoiceConcept): Row[] {
  const { amountMicros, discountMicros, ivaMicros } = computeConcept(concept);
  const amounts = [
    `P. unitario ${writeMoney(BigInt(concept.unitPriceMicros))}`,
    `Importe ${writeMoney(amountMicros)}`,
    `Descuento ${writeMoney(discountMicros)}`,
    `IVA ${writePercent(concept.ivaRateMicros)} ${writeMoney(ivaMicros)}`,
  ];
  return [
    [`${concept.quantity} ${concept.unitKey} ${concept.productKey}`, concept.description],
    ['', amounts.join('  ')],
  ];
}

function totalRows({ concepts, totalCents }: Invoice): Row[] {
  const { subtotalCents, discountCents, ivaGroups } = computeTotals(concepts);
  return [
    ['Subtotal', alignAmount(subtotalCents)],
    ['Descuento', alignAmount(discountCents)],
    ...ivaGroups.map(({ rateMicros, ivaCents }): Row => [`IVA ${writePercent(rateMicros)}`, alignAmount(ivaCents)]),
    ['Total', alignAmount(totalCents)],
    ['Importe con letra', `(${writeAmountInWords(totalCents)})`],
  ];
}

const alignAmount = (cents: Cents): string => `$${writeMoney(centsToMicros(cents))}`.padStart(18);
const withName = (code: string, name: string | undefined): string => (name === undefined ? code : `${code} - ${name}`);
