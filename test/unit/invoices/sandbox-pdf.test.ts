import { describe, expect, it } from 'vitest';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { writePdf } from '../../../shared/invoices/sandbox/pdf.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment } from '../../support/invoices/sample-documents.ts';
import { invoiceOfSold, sandboxDocument } from './sandbox-orders.ts';

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
  const [, width, height, content] = /MediaBox\[0 0 (\d+) (\d+)\].*\/Contents (\d) 0 R/.exec(readObject(3)) ?? [];
  const [, length, rest = ''] = /\/Length (\d+)>>\nstream\n(.*)/s.exec(readObject(Number(content))) ?? [];
  expect(rest.slice(Number(length))).toBe('\nendstream');
  const lines = [...rest.matchAll(/^\((.*)\) Tj T\*$/gm)].map(([, text = '']) => text.replace(/\\([\\()])/g, '$1'));
  return { width: Number(width), height: Number(height), lines: lines.map((line) => line.replace(/ {2,}/g, '  ')) };
}

const read = (document: FiscalDocument) => readPage(writePdf(sandboxDocument(document)));
const HEAD = [
  'SIN VALIDEZ FISCAL: documento de demostración, sin sello digital ni timbre del SAT',
  '',
  expect.any(String),
  'Folio fiscal 5C0E2B1A-7D43-4F19-8A6B-0E19D3C58F24',
  'Emisor EKU9003173C9 BOTICA DE DEMOSTRACIÓN',
];

describe('the PDF of the sandbox', () => {
  it('is one page of letter size that says whose invoice it is, what it is for, and the total', () => {
    expect(read(sampleInvoice())).toEqual({
      width: 612,
      height: 792,
      lines: [
        ...HEAD.with(2, 'Factura RX-00001042'),
        'Receptor MUPA800101AB1 ANA MUÑOZ & HIJOS',
        '',
        '2 x Paracetamol caja  153.90',
        '1 x Protector <solar> "50+" caja  224.99',
        '3 x Termómetro caja  305.99',
        '1 x Servicio de envío  43.1051',
        '',
        'Total  819.84',
      ],
    });
  });

  it.each<[string, FiscalDocument, string[]]>([
    ['Complemento de pago', samplePayment(), ['Pago de 39C85A3F-275B-4341-B259-E8971D9F8A94  819.84', 'Total  819.84']],
    ['Nota de crédito', sampleCredit(), ['1 x Devolución  50.00', 'Total  108.00']],
    ['Factura global', sampleGlobal(), ['Venta RX-00001041  150.00', 'Venta RX-00001043  43.1051', 'Total  208.01']],
    ['Factura global', sampleGlobal(), ['Receptor XAXX010101000 PUBLICO EN GENERAL']],
  ])('shows a %s', (title, document, lines) => {
    const page = read(document);
    expect(page.lines).toEqual(expect.arrayContaining([`${title} RX-00001042`, ...lines]));
  });

  it('grows in height with its lines, which are cut to its width', () => {
    const name = 'Solución oftálmica '.repeat(53);
    const sold = Array.from({ length: 100 }, () => ({ unitPriceCents: 99_999_999, quantity: 12, hasIva: true, name }));
    const pdf = writePdf(sandboxDocument(invoiceOfSold(sold)));
    const { height, lines } = readPage(pdf);
    // The first line begins 42 points below the edge, and each takes 13.
    expect(height).toBe(42 + 13 * lines.length + 42);
    expect(lines.filter((line) => line.startsWith('12 x Solución oftálmica'))).toHaveLength(100);
    // 612 points less two margins of 42, at 5.4 a character.
    const written =
      Buffer.from(pdf)
        .toString('latin1')
        .match(/^\(.*\) Tj/gm) ?? [];
    for (const line of written) expect(line.length - '() Tj'.length).toBeLessThanOrEqual(97);
  });

  it.each([
    ['áéíóúñÑü¿¡', 'áéíóúñÑü¿¡'],
    ['n\u0303', 'ñ'],
    ['a(b)\\c', 'a(b)\\c'],
    ['処方\u0007', '???'],
  ])('writes %j in the encoding of its font', (legalName, written) => {
    const document = sandboxDocument(sampleInvoice());
    const { lines } = readPage(writePdf({ ...document, issuer: { ...document.issuer, legalName } }));
    expect(lines).toContain(`Emisor EKU9003173C9 ${written}`);
  });
});
