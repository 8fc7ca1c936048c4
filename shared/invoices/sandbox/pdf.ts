import { computeConcept, type FiscalDocument, getDocumentTotal, toPublicReceiver } from '../rules/build/cfdi.ts';
import { centsToMicros, NO_VALIDITY, type SandboxDocument, writeExactly } from './document.ts';

const TITLES = {
  invoice: 'Factura',
  credit: 'Nota de crédito',
  payment: 'Complemento de pago',
  global: 'Factura global',
} as const satisfies Record<FiscalDocument['kind'], string>;

function listPageLines({ folio, uuid, issuer, content }: SandboxDocument): string[] {
  const receiver = content.kind === 'global' ? toPublicReceiver(content) : content.receiver;
  return [
    `${NO_VALIDITY}: documento de demostración, sin sello digital ni timbre del SAT`,
    '',
    `${TITLES[content.kind]} ${folio}`,
    `Folio fiscal ${uuid}`,
    `Emisor ${issuer.rfc} ${issuer.legalName}`,
    `Receptor ${receiver.rfc} ${receiver.legalName}`,
    '',
    ...listSold(content).map(([name, micros]) => writeAmount(name, micros)),
    '',
    writeAmount('Total', centsToMicros(getDocumentTotal(content))),
  ];
}

function listSold(content: FiscalDocument): (readonly [name: string, micros: bigint])[] {
  if (content.kind === 'payment') return [[`Pago de ${content.invoice.uuid}`, centsToMicros(content.amountCents)]];
  if (content.kind === 'global')
    return content.sales.map(({ folio, amountMicros }) => [`Venta ${folio}`, amountMicros]);
  return content.concepts.map((concept) => [
    `${concept.quantity} x ${concept.description}`,
    computeConcept(concept).baseMicros,
  ]);
}

/** Fills a line of 97 characters; a longer name is cut. */
const writeAmount = (name: string, micros: bigint): string =>
  name.normalize('NFC').slice(0, 77).padEnd(77) + writeExactly(micros).padStart(20);

const MARGIN = 42;
const LINE_HEIGHT = 13;

/** Writes a PDF 1.4 of one page in Courier. By hand, as a library adds 0.9 MB to a function (pdfkit 0.20, esbuild). */
export function writePdf(document: SandboxDocument): Uint8Array {
  const lines = listPageLines(document);
  const height = Math.max(792, 2 * MARGIN + lines.length * LINE_HEIGHT);
  const content = `BT /F1 9 Tf ${LINE_HEIGHT} TL ${MARGIN} ${height - MARGIN} Td\n${lines.map((line) => `${writeString(line)} Tj T*\n`).join('')}ET`;
  return assemble([
    '<</Type/Catalog/Pages 2 0 R/Lang(es-MX)>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 ${height}]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>`,
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>',
  ]);
}

/** One byte per character, those of Latin-1 in WinAnsiEncoding; others become `?`. */
const writeString = (text: string): string =>
  `(${text
    .normalize('NFC')
    .replace(/[^ -~\u00a0-\u00ff]/gu, '?')
    .replace(/[\\()]/g, '\\$&')})`;

/** Numbers the objects from 1, the catalog first, and adds the table of their offsets. */
function assemble(objects: readonly string[]): Uint8Array {
  const offsets: string[] = [];
  let body = '%PDF-1.4\n';
  for (const [index, object] of objects.entries()) {
    offsets.push(`${String(body.length).padStart(10, '0')} 00000 n \n`);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}
