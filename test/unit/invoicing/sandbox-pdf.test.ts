import { describe, expect, it } from 'vitest';
import { writePdfOfCfdi } from '../../../shared/invoicing/sandbox/pdf/cfdi.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment } from '../../support/invoices/sample-documents.ts';
import { invoiceOfSold, type Sold, sandboxDocument } from './sandbox-orders.ts';

type Page = { readonly width: number; readonly height: number; readonly content: string };

/** Reads the pages of a PDF through its table of objects. */
function readPages(pdf: Uint8Array): Page[] {
  const file = Buffer.from(pdf).toString('latin1');
  const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const [, size = '', entries = ''] = /^xref\n0 (\d+)\n([^t]+)trailer/.exec(file.slice(tableAt)) ?? [];
  const offsets = entries.match(/.{18} \n/g) ?? [];
  expect(offsets).toHaveLength(Number(size));
  const objects = offsets.slice(1).map((entry, index) => {
    const object = file.slice(Number(entry.slice(0, 10)));
    expect(object).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
    return object.slice(0, object.indexOf('\nendobj\n'));
  });
  return objects.flatMap((object) => {
    const [, width, height, content] =
      /\/Type\/Page\/.*\/MediaBox\[0 0 (\d+) (\d+)\].*\/Contents (\d+) 0 R/.exec(object) ?? [];
    if (content === undefined) return [];
    return [{ width: Number(width), height: Number(height), content: readStream(objects[Number(content) - 1] ?? '') }];
  });
}

function readStream(object: string): string {
  const [, length = '', rest = ''] = /\/Length (\d+)[^>]*>>\nstream\n(.*)/s.exec(object) ?? [];
  expect(rest.slice(Number(length))).toBe('\nendstream');
  return rest.slice(0, Number(length));
}

/** Returns the lines of the one page from top to bottom, with headings and empty lines. */
function readLines(pdf: Uint8Array): string[] {
  const [{ content } = { content: '' }] = readPages(pdf);
  const operators = content.split('\n').slice(1, -1);
  return operators.map((operator) => {
    const [, text = ''] = /^T\*(?: \/F[12] 9 Tf \((.*)\) Tj)?$/.exec(operator) ?? expect.fail(operator);
    return text.replace(/\\([\\()])/g, '$1');
  });
}

const many = (count: number, more: Partial<Sold> = {}): Sold[] =>
  Array.from({ length: count }, (_, index) => ({
    unitPriceCents: 8_550 + index * 1_733,
    quantity: 1 + ((index * 7) % 12),
    hasIva: index % 3 === 0,
    ...more,
  }));

const CASES: readonly [what: string, sold: Sold[], legalName: string][] = [
  ['a name of 100 characters', many(3), `${'NÚÑEZ '.repeat(16)}ÁVIL`],
  ['a name without a blank', many(3), 'Ñ'.repeat(100)],
  ['long descriptions', many(20, { name: 'Solución oftálmica con ácido hialurónico, '.repeat(4) }), 'ANA'],
  ['a description without a blank', many(2, { name: 'W'.repeat(900) }), 'ANA'],
  ['50 descriptions of 1,000 characters', many(50, { name: 'Solución oftálmica '.repeat(53) }), 'ANA'],
  ['large amounts', many(50, { unitPriceCents: 999_999_99, quantity: 3, hasIva: true }), 'ANA'],
  ...Array.from({ length: 50 }, (_, index): [string, Sold[], string] => [`${index + 1} lines`, many(index + 1), 'ANA']),
];

describe('the PDF of the sandbox', () => {
  const lines = readLines(writePdfOfCfdi(sandboxDocument(sampleInvoice())));

  it('is one page of letter size', () => {
    const pages = readPages(writePdfOfCfdi(sandboxDocument(sampleInvoice())));
    expect(pages).toEqual([{ width: 612, height: 792, content: expect.any(String) }]);
  });

  it('names the seller, the receiver, the concepts and the date', () => {
    const text = lines.join('\n').replace(/ {2,}/g, '  ');
    for (const part of [
      ...[
        'Nombre  BOTICA DE DEMOSTRACIÓN',
        'RFC  EKU9003173C9',
        'Régimen fiscal  601 - General de Ley Personas Morales',
      ],
      ...['Lugar de expedición  C.P. 06700', 'FACTURA', 'RX-00001042', '21/11/2026 17:00:05'],
      ...['ANA MUÑOZ & HIJOS', 'MUPA800101AB1', 'Domicilio fiscal  C.P. 06700', 'G03 - Gastos en general'],
      '612 - Personas Físicas con Actividades Empresariales y Profesionales',
      ...['PUE - Pago en una sola exhibición', '03 - Transferencia electrónica de fondos'],
      ...['Protector <solar> "50+" caja', '3 H87 51142001', '113.33', '339.99', '34.00', 'IVA 16 % 48.9584'],
      ...['Servicio de envío', '43.1051', '6.896816'],
      ...['Subtotal  $804.09', 'Descuento  $76.10', 'IVA 0 %  $0.00', 'IVA 16 %  $91.85', 'Total  $819.84'],
      '(OCHOCIENTOS DIECINUEVE PESOS 84/100 M.N.)',
    ]) {
      expect(text).toContain(part);
    }
  });

  it.each([
    [
      'a replacement',
      { ...sampleInvoice(), replacesUuid: '39C85A3F-275B-4341-B259-E8971D9F8A94' },
      ['FACTURA\n', 'I - Ingreso', 'Sustituye a  39C85A3F-275B-4341-B259-E8971D9F8A94'],
    ],
    [
      'a payment complement',
      samplePayment(),
      [
        ...['COMPLEMENTO DE PAGO\n', 'P - Pago', 'CP01 - Pagos', 'Fecha de pago  21/11/2026 17:00:00'],
        ...['Folio fiscal  39C85A3F-275B-4341-B259-E8971D9F8A94', 'Serie y folio  F 914', 'Parcialidad  1'],
        ...['Saldo anterior  $819.84', 'IVA 16 %  $91.85', 'Pagado  $819.84', 'Saldo insoluto  $0.00'],
      ],
    ],
    [
      'a credit note',
      sampleCredit(),
      [
        ...['NOTA DE CRÉDITO\n', 'E - Egreso', 'Acredita a  39C85A3F-275B-4341-B259-E8971D9F8A94'],
        ...['G02 - Devoluciones, descuentos o bonificaciones', 'Devolución', 'Total  $108.00'],
      ],
    ],
    [
      'a global invoice',
      sampleGlobal(),
      [
        ...['FACTURA GLOBAL\n', 'PUBLICO EN GENERAL', 'XAXX010101000', '616 - Sin obligaciones fiscales'],
        ...['Periodicidad  04 - Mensual', 'Periodo  10/2026', '1 ACT 01010101'],
        ...['Venta RX-00001041  Importe 150.00  IVA 0 % 0.00  IVA 16 % 8.00', 'Total  $208.01'],
      ],
    ],
  ])('shows %s', (_, document, parts) => {
    const written = readLines(writePdfOfCfdi(sandboxDocument(document)));
    const text = written.join('\n').replace(/ {2,}/g, '  ');
    for (const part of [...parts, 'SIN VALIDEZ FISCAL']) expect(text).toContain(part);
  });

  it('says above and below that it has no fiscal validity', () => {
    const notices = lines.flatMap((line, index) => (line.startsWith('SIN VALIDEZ FISCAL') ? [index] : []));
    expect(notices.map((index) => index < lines.length / 2)).toEqual([true, false]);
  });

  it('writes thousands apart', () => {
    const dear = invoiceOfSold([{ unitPriceCents: 123_456_789, quantity: 1, hasIva: false }]);
    expect(readLines(writePdfOfCfdi(sandboxDocument(dear))).join('\n')).toContain('1,234,567.89');
  });

  it('grows in height for 50 lines and the shipment, and ends with the totals', () => {
    const pdf = writePdfOfCfdi(sandboxDocument(invoiceOfSold(many(50))));
    expect(readPages(pdf)).toMatchObject([{ width: 612, height: expect.any(Number) }]);
    const long = readLines(pdf);
    const concepts = long.flatMap((line, index) => (/ (51142001|78102203) /.test(line) ? [index] : []));
    expect(concepts).toHaveLength(51);
    expect(long.findIndex((line) => line.startsWith('Importe con letra'))).toBeGreaterThan(concepts.at(-1) ?? 0);
  });

  it.each(CASES)('keeps everything on its one page with %s', (_, sold, legalName) => {
    const pdf = writePdfOfCfdi(sandboxDocument(invoiceOfSold(sold, legalName)));
    const [page, ...others] = readPages(pdf);
    expect(others).toEqual([]);
    // A line has 612 points less two margins of 42, at 5.4 a character; the first one begins 42 points below the edge.
    for (const line of readLines(pdf)) expect(line.length).toBeLessThanOrEqual(97);
    expect(42 + 13 * readLines(pdf).length).toBeLessThanOrEqual((page?.height ?? 0) - 42);
    // A reader must accept pages up to this height (PDF Reference 1.7, appendix C).
    expect(page?.height).toBeLessThanOrEqual(14_400);
  });
});

describe('a text of the PDF', () => {
  const written = (legalName: string): string[] => {
    const document = sandboxDocument(sampleInvoice());
    const lines = readLines(writePdfOfCfdi({ ...document, issuer: { ...document.issuer, legalName } }));
    const first = lines.findIndex((line) => line.startsWith('Nombre'));
    return lines
      .slice(
        first,
        lines.findIndex((line) => line.startsWith('RFC')),
      )
      .map((line) => line.slice(22));
  };

  it.each([
    ['áéíóúñÑü¿¡', 'áéíóúñÑü¿¡'],
    ['n\u0303', 'ñ'],
    ['“5 €”—…', '\u00935 \u0080\u0094\u0097\u0085'],
    ['Dvořák', 'Dvorák'],
    ['処方 😀', '?? ?'],
    ['\u0007', '?'],
    ['a(b)\\c', 'a(b)\\c'],
  ])('in the encoding of its fonts: %j', (text, encoded) => {
    expect(written(text)).toEqual([encoded]);
  });

  it('breaks at blanks', () => {
    expect(written(`${'a'.repeat(70)} bcd ${'e'.repeat(5)}`)).toEqual([`${'a'.repeat(70)} bcd`, 'eeeee']);
    expect(written('uno')).toEqual(['uno']);
  });

  it('breaks a word that is longer than a line by itself', () => {
    expect(written(`a ${'W'.repeat(160)} b`)).toEqual(['a', 'W'.repeat(75), 'W'.repeat(75), `${'W'.repeat(10)} b`]);
  });
});
