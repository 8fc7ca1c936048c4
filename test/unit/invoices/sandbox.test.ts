import { describe, expect, it } from 'vitest';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { writeCfdi } from '../../../shared/invoices/sandbox/cfdi.ts';
import { writePdf } from '../../../shared/invoices/sandbox/sandbox.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment, sandboxDocument } from '../../support/invoices/sample-documents.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';

/*
 * The XML and the PDF of the sandbox. SAT's own schemas, which hold the form of every kind of document, are in test/schemas;
 * `tax-year.property.test.ts` has the sums.
 */

const at = (document: FiscalDocument, path: string) =>
  elementsAt(elementsOf(writeCfdi(sandboxDocument(document))), path);

describe('the XML of a document', () => {
  const transfer = { Impuesto: '002', TipoFactor: 'Tasa' };

  it.each<[string, FiscalDocument, string, object[]]>([
    ['an invoice', sampleInvoice(), 'cfdi:Comprobante', [{ Version: '4.0', Folio: 'RX-00001042', Exportacion: '01' }]],
    [
      'an invoice',
      sampleInvoice(),
      'cfdi:Concepto > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado',
      [
        { ...transfer, Base: '153.90', TasaOCuota: '0.000000', Importe: '0.00' },
        { ...transfer, Base: '224.99', TasaOCuota: '0.160000', Importe: '35.9984' },
        { ...transfer, Base: '305.99', TasaOCuota: '0.160000', Importe: '48.9584' },
        { ...transfer, Base: '43.1051', TasaOCuota: '0.160000', Importe: '6.896816' },
      ],
    ],
    ['a global invoice', sampleGlobal(), 'cfdi:Receptor', [{ Rfc: 'XAXX010101000', RegimenFiscalReceptor: '616' }]],
    ['a payment', samplePayment(), 'cfdi:Receptor', [{ UsoCFDI: 'CP01' }]],
    ['a payment', samplePayment({ installment: 2 }), 'pago20:DoctoRelacionado', [{ NumParcialidad: '2' }]],
  ])('that is %s states what it should', (_, document, path, expected) => {
    expect(at(document, path)).toMatchObject(expected);
  });

  it('escapes names, and has the name of its unit, cut to 20 characters, or none', () => {
    const receiver = { ...sampleInvoice().receiver, legalName: 'ANA MUÑOZ & HIJOS "MX" <1>' };
    expect(at({ ...sampleInvoice(), receiver }, 'cfdi:Receptor')).toMatchObject([{ Nombre: receiver.legalName }]);
    const [concept] = sampleCredit().concepts;
    const units = ['E48', 'XBO', 'ZZ'].map((unitKey) => ({ ...(concept as NonNullable<typeof concept>), unitKey }));
    const written = at(sampleCredit({ concepts: units }), 'cfdi:Concepto').map(({ Unidad }) => Unidad);
    expect(written).toEqual(['Unidad de servicio', 'Botella no-protegida', undefined]);
  });
});

describe('the PDF of a document', () => {
  /** Reads the one page of a PDF as a reader does: the end of the file leads to the table, and the table to the objects. */
  function readPage(pdf: Uint8Array): string[] {
    const file = Buffer.from(pdf).toString('latin1');
    const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
    const [, entries = ''] = /^xref\n0 \d+\n([^t]+)trailer/.exec(file.slice(tableAt)) ?? [];
    const offsets = entries.match(/.{18} \n/g)?.map((entry) => Number(entry.slice(0, 10))) ?? [];
    const [, content] = /\/Contents (\d) 0 R/.exec(file) ?? [];
    const object = file.slice(offsets[Number(content)]);
    const [, length, rest = ''] = /^\d 0 obj\n.*?\/Length (\d+)>>\nstream\n(.*)/s.exec(object) ?? [];
    expect(rest.slice(Number(length), Number(length) + 10)).toBe('\nendstream');
    const lines = [...rest.matchAll(/^\((.*)\) Tj T\*$/gm)].map(([, text = '']) => text.replace(/\\([\\()])/g, '$1'));
    return lines.map((line) => line.replace(/ {2,}/g, '  '));
  }

  it.each<[string, FiscalDocument, string[]]>([
    ['Complemento de pago', samplePayment(), ['Pago de 39C85A3F-275B-4341-B259-E8971D9F8A94  819.84', 'Total  819.84']],
    ['Nota de crédito', sampleCredit(), ['1 x Devolución  50.00', 'Total  108.00']],
    ['Factura global', sampleGlobal(), ['Venta RX-00001041  150.00', 'Venta RX-00001043  43.1051', 'Total  208.01']],
    ['Factura', sampleInvoice(), ['2 x Paracetamol caja  153.90', '1 x Servicio de envío  43.1051', 'Total  819.84']],
  ])('shows a %s on one page', (title, document, lines) => {
    const page = readPage(writePdf(sandboxDocument(document)));
    expect(page).toEqual(expect.arrayContaining([`${title} RX-00001042`, ...lines]));
    expect(page[0]).toMatch(/^SIN VALIDEZ FISCAL/);
  });

  it('is written in the encoding of its font', () => {
    const document = sandboxDocument(sampleInvoice());
    const legalName = 'áñÑ¿ n\u0303 a(b)\\c 処方\u0007';
    const page = readPage(writePdf({ ...document, issuer: { ...document.issuer, legalName } }));
    expect(page).toContain('Emisor EKU9003173C9 áñÑ¿ ñ a(b)\\c ???');
  });
});
