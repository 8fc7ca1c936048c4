import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { invoicePdf } from '../../../shared/invoicing/sandbox/pdf.ts';
import { encode, textWidth } from '../../../shared/invoicing/sandbox/pdf-fonts.ts';
import { wrap } from '../../../shared/invoicing/sandbox/pdf-page.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { documentOf, invoiceOfSold, type Sold } from './sandbox-orders.ts';

type Text = { readonly content: string; readonly left: number; readonly right: number; readonly top: number };

/** The pages of a PDF as what is written on them, read by way of its table of objects. */
function pagesOf(pdf: Uint8Array): Text[][] {
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
  const contents = objects.flatMap((object) => /\/Type\/Page\/.*\/Contents (\d+) 0 R/.exec(object)?.[1] ?? []);
  return contents.map((number) => textsOf(streamOf(objects[Number(number) - 1] ?? '')));
}

function streamOf(object: string): string {
  const [, length = '', rest = ''] = /\/Length (\d+)[^>]*>>\nstream\n(.*)/s.exec(object) ?? [];
  return inflateSync(Buffer.from(rest.slice(0, Number(length)), 'latin1')).toString('latin1');
}

const TEXT = /BT \/F([12]) ([\d.]+) Tf .*? rg ([-\d.]+) ([-\d.]+) Td \((.*)\) Tj ET/g;

function textsOf(operators: string): Text[] {
  return [...operators.matchAll(TEXT)].map(([, font, size, x, y, written = '']) => {
    const content = written.replace(/\\([\\()])/g, '$1');
    const left = Number(x);
    const right = left + textWidth(content, font === '2' ? 'bold' : 'regular', Number(size));
    return { content, left, right, top: 792 - Number(y) };
  });
}

const wordsOf = (page: readonly Text[]): string => page.map(({ content }) => content).join('\n');
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
  ['large amounts', many(50, { unitPriceCents: 999_999_99, quantity: 3, hasIva: true }), 'ANA'],
  ...Array.from({ length: 50 }, (_, index): [string, Sold[], string] => [`${index + 1} lines`, many(index + 1), 'ANA']),
];

describe('the PDF of the sandbox', () => {
  const [page = [], ...others] = pagesOf(invoicePdf(documentOf(sampleInvoice())));
  const contents = page.map(({ content }) => content);

  it('is one page', () => {
    expect(others).toEqual([]);
    expect(contents).toContain('Página 1 de 1');
  });

  it('says who sold what to whom, and when', () => {
    expect(contents).toEqual(
      expect.arrayContaining([
        ...['BOTICA DE DEMOSTRACIÓN', 'RFC EKU9003173C9', 'Régimen fiscal: 601 - General de Ley Personas Morales'],
        ...['Lugar de expedición: C.P. 06700', 'FACTURA', 'RX-00001042', '21/11/2026 17:00:05'],
        ...['ANA MUÑOZ & HIJOS', 'MUPA800101AB1', 'C.P. 06700', 'G03 - Gastos en general'],
        ...['612 - Personas Físicas con Actividades', 'Empresariales y Profesionales'],
        ...['PUE - Pago en una sola exhibición', '03 - Transferencia electrónica de fondos'],
        ...['Protector <solar> "50+" caja', '113.33', '339.99', '34.00', '16 %', '48.9584'],
        ...['Servicio de envío', '43.1051', '6.896816'],
        ...['$804.09', '$76.10', 'IVA 0 %', '$0.00', 'IVA 16 %', '$91.85', '$819.84'],
        ...['(OCHOCIENTOS DIECINUEVE PESOS 84/100 M.N.)'],
      ]),
    );
  });

  it('says above and below that it has no fiscal validity', () => {
    const notices = page.filter(({ content }) => content.startsWith('SIN VALIDEZ FISCAL'));
    expect(notices.map(({ top }) => top < 396)).toEqual([true, false]);
  });

  it('writes thousands apart', () => {
    const dear = invoiceOfSold([{ unitPriceCents: 123_456_789, quantity: 1, hasIva: false }]);
    expect(wordsOf(pagesOf(invoicePdf(documentOf(dear)))[0] ?? [])).toContain('1,234,567.89');
  });

  it('turns the page for 50 lines and the shipment, and ends with the totals', () => {
    const pages = pagesOf(invoicePdf(documentOf(invoiceOfSold(many(50)))));
    const rows = pages.map((texts) => texts.filter(({ content }) => /^(51142001|78102203)$/.test(content)).length);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(51);
    expect(pages.map((texts) => wordsOf(texts).includes('Importe con letra'))).toEqual([false, true]);
    expect(pages.map(wordsOf)).toEqual([
      expect.stringContaining('Página 1 de 2'),
      expect.stringContaining('Página 2 de 2'),
    ]);
    expect(pages.every((texts) => wordsOf(texts).includes('Descripción'))).toBe(true);
  });

  it.each(CASES)('keeps everything on its page, and nothing over another, with %s', (_, sold, legalName) => {
    for (const texts of pagesOf(invoicePdf(documentOf(invoiceOfSold(sold, legalName))))) {
      for (const text of texts) {
        expect(text.left).toBeGreaterThanOrEqual(41.9);
        expect(text.right).toBeLessThanOrEqual(570.1);
        expect(text.top).toBeGreaterThan(40);
        expect(text.top).toBeLessThan(760);
      }
      const lines = Map.groupBy(texts, ({ top }) => top).values();
      const crossing = lines.flatMap((line) => {
        const ordered = line.toSorted((a, b) => a.left - b.left);
        return ordered.filter((text, index) => text.left < (ordered[index - 1]?.right ?? 0));
      });
      expect([...crossing]).toEqual([]);
    }
  });
});

describe('the fonts', () => {
  it('know how wide a text is', () => {
    expect(textWidth('', 'regular', 10)).toBe(0);
    expect(textWidth('Aa1', 'regular', 10)).toBeCloseTo(17.79, 5);
    expect(textWidth('Ñ', 'bold', 10)).toBeCloseTo(7.22, 5);
  });

  it.each([
    ['áéíóúñÑü¿¡', 'áéíóúñÑü¿¡'],
    ['n\u0303', 'ñ'],
    ['“5 €”—…', '\u00935 \u0080\u0094\u0097\u0085'],
    ['Dvořák', 'Dvorák'],
    ['処方 😀', '?? ?'],
    ['\u0007', '?'],
  ])('write %j', (text, encoded) => {
    expect(encode(text)).toBe(encoded);
  });
});

describe('wrap', () => {
  it('breaks at blanks', () => {
    expect(wrap('uno dos tres', 32)).toEqual(['uno dos', 'tres']);
    expect(wrap('uno', 500)).toEqual(['uno']);
    expect(wrap('', 500)).toEqual(['']);
  });

  it('breaks a word that is too wide by itself', () => {
    expect(wrap('a WWWWW b', 20)).toEqual(['a', 'WW', 'WW', 'W b']);
  });
});
