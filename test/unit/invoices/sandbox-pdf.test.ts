import { describe, expect, it } from 'vitest';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { writePdf } from '../../../shared/invoices/sandbox/pdf.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment, sandboxDocument } from '../../support/invoices/sample-documents.ts';

/** Reads the one page of a PDF as a reader does: the end of the file leads to the table, and the table to the objects. */
function readPage(pdf: Uint8Array) {
  const file = Buffer.from(pdf).toString('latin1');
  expect(file.startsWith('%PDF-1.4\n')).toBe(true);
  const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const [, size = '', entries = ''] = /^xref\n0 (\d+)\n([^t]+)trailer/.exec(file.slice(tableAt)) ?? [];
  const offsets = entries.match(/.{18} \n/g)?.map((entry) => Number(entry.slice(0, 10))) ?? [];
  expect(offsets).toHaveLength(Number(size));
  const readObject = (number: number): string => {
    const object = file.slice(offsets[number]);
    expect(object.startsWith(`${number} 0 obj\n`)).toBe(true);
    return object.slice(0, object.indexOf('\nendobj\n'));
  };
  expect(readObject(2)).toContain('/Kids[3 0 R]/Count 1');
  const [, content] = /\/Contents (\d) 0 R/.exec(readObject(3)) ?? [];
  const [, length, rest = ''] = /\/Length (\d+)>>\nstream\n(.*)/s.exec(readObject(Number(content))) ?? [];
  expect(rest.slice(Number(length))).toBe('\nendstream');
  const lines = [...rest.matchAll(/^\((.*)\) Tj T\*$/gm)].map(([, text = '']) => text.replace(/\\([\\()])/g, '$1'));
  return lines.map((line) => line.replace(/ {2,}/g, '  '));
}

const read = (document: FiscalDocument) => readPage(writePdf(sandboxDocument(document)));
describe('the PDF of the sandbox', () => {
  it.each<[string, FiscalDocument, string[]]>([
    ['Complemento de pago', samplePayment(), ['Pago de 39C85A3F-275B-4341-B259-E8971D9F8A94  819.84', 'Total  819.84']],
    ['Nota de crédito', sampleCredit(), ['1 x Devolución  50.00', 'Total  108.00']],
    ['Factura global', sampleGlobal(), ['Venta RX-00001041  150.00', 'Venta RX-00001043  43.1051', 'Total  208.01']],
    ['Factura', sampleInvoice(), ['2 x Paracetamol caja  153.90', '1 x Servicio de envío  43.1051', 'Total  819.84']],
  ])('has one page that shows a %s', (title, document, lines) => {
    expect(read(document)).toEqual(expect.arrayContaining([`${title} RX-00001042`, ...lines]));
    expect(read(document)[0]).toMatch(/^SIN VALIDEZ FISCAL/);
  });

  it.each([
    ['áéíóúñÑü¿¡', 'áéíóúñÑü¿¡'],
    ['n\u0303', 'ñ'],
    ['a(b)\\c', 'a(b)\\c'],
    ['処方\u0007', '???'],
  ])('writes %j in the encoding of its font', (legalName, written) => {
    const document = sandboxDocument(sampleInvoice());
    const lines = readPage(writePdf({ ...document, issuer: { ...document.issuer, legalName } }));
    expect(lines).toContain(`Emisor EKU9003173C9 ${written}`);
  });
});
