import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invoiceXml } from '../../../shared/invoicing/sandbox/xml.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { documentOf, invoiceOfSold } from './sandbox-orders.ts';

/** A decimal of at most six places in millionths. */
function micros(written: string | undefined): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)\.(\d{2,6})$/.exec(written ?? '') ?? [];
  if (whole === '') throw new Error(`no amount: ${written}`);
  return BigInt(whole + fraction.padEnd(6, '0'));
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const toTheCent = (amount: bigint): bigint => ((amount + 5_000n) / 10_000n) * 10_000n;

describe('the XML of the sandbox', () => {
  const elements = elementsOf(invoiceXml(documentOf(sampleInvoice())));

  it('has the parts of a CFDI 4.0, in their order', () => {
    expect(elements.map(({ path }) => path).filter((path) => path.split(' > ').length === 2)).toEqual([
      'cfdi:Comprobante > cfdi:Emisor',
      'cfdi:Comprobante > cfdi:Receptor',
      'cfdi:Comprobante > cfdi:Conceptos',
      'cfdi:Comprobante > cfdi:Impuestos',
    ]);
    expect(elements[0]?.attributes).toEqual({
      'xmlns:cfdi': 'http://www.sat.gob.mx/cfd/4',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': 'http://www.sat.gob.mx/cfd/4 http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd',
      Version: '4.0',
      Folio: 'RX-00001042',
      Fecha: '2026-11-21T17:00:05',
      Sello: '',
      FormaPago: '03',
      NoCertificado: '00000000000000000000',
      Certificado: '',
      SubTotal: '804.09',
      Descuento: '76.10',
      Moneda: 'MXN',
      Total: '819.84',
      TipoDeComprobante: 'I',
      Exportacion: '01',
      MetodoPago: 'PUE',
      LugarExpedicion: '06700',
    });
  });

  it('names issuer and receiver, whatever signs there are in their names', () => {
    expect(elementsAt(elements, 'cfdi:Emisor')).toEqual([
      { Rfc: 'EKU9003173C9', Nombre: 'BOTICA DE DEMOSTRACIÓN', RegimenFiscal: '601' },
    ]);
    const [receiver] = elementsAt(elementsOf(invoiceXml(documentOf(invoiceOfSold([])))), 'cfdi:Receptor');
    expect(receiver).toEqual({
      Rfc: 'MUPA800101AB1',
      Nombre: 'ANA MUÑOZ & HIJOS "MX"',
      DomicilioFiscalReceptor: '06700',
      RegimenFiscalReceptor: '612',
      UsoCFDI: 'G03',
    });
  });

  it('has every concept with its IVA, at 0 % too', () => {
    expect(elementsAt(elements, 'cfdi:Concepto').slice(0, 2)).toEqual([
      {
        ClaveProdServ: '51142001',
        NoIdentificacion: '7509999000017',
        Cantidad: '2',
        ClaveUnidad: 'H87',
        Descripcion: 'Paracetamol caja',
        ValorUnitario: '85.50',
        Importe: '171.00',
        Descuento: '17.10',
        ObjetoImp: '02',
      },
      expect.objectContaining({ Descripcion: 'Protector <solar> "50+" caja', Importe: '249.99', Descuento: '25.00' }),
    ]);
    expect(elementsAt(elements, 'cfdi:Concepto > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado')).toEqual([
      { Base: '153.90', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.000000', Importe: '0.00' },
      { Base: '224.99', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.160000', Importe: '35.9984' },
      { Base: '305.99', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.160000', Importe: '48.9584' },
      { Base: '43.1051', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.160000', Importe: '6.896816' },
    ]);
  });

  it('sums IVA up by rate', () => {
    expect(elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos')).toEqual([{ TotalImpuestosTrasladados: '91.85' }]);
    expect(elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado')).toEqual([
      { Base: '153.90', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.000000', Importe: '0.00' },
      { Base: '574.09', Impuesto: '002', TipoFactor: 'Tasa', TasaOCuota: '0.160000', Importe: '91.85' },
    ]);
  });

  it('leaves out the number of what has none', () => {
    expect(elementsAt(elements, 'cfdi:Concepto').at(-1)).not.toHaveProperty('NoIdentificacion');
  });
});

const sold = fc.record({
  unitPriceCents: fc.integer({ min: 1, max: 500_000 }),
  quantity: fc.integer({ min: 1, max: 12 }),
  hasIva: fc.boolean(),
  name: fc.string({ unit: 'binary', maxLength: 30 }),
});

describe('the XML of the sandbox, for 1,000 random orders', () => {
  it('is well formed, and its sums are those of its concepts, rounded once (SAT, CFDI40108, 40110, 40119, 40205, 40221)', () => {
    fc.assert(
      fc.property(fc.array(sold, { minLength: 1, maxLength: 8 }), fc.string({ unit: 'binary' }), (lines, name) => {
        const invoice = invoiceOfSold(lines, name);
        const elements = elementsOf(invoiceXml(documentOf(invoice)));
        const [root = {}] = elementsAt(elements, 'cfdi:Comprobante');
        const concepts = elementsAt(elements, 'cfdi:Concepto');
        const taxes = elementsAt(elements, 'cfdi:Concepto > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado');
        const summary = elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado');
        const [total = {}] = elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos');
        const iva = micros(total.TotalImpuestosTrasladados);

        expect(micros(root.SubTotal)).toBe(toTheCent(sum(concepts.map(({ Importe }) => micros(Importe)))));
        expect(micros(root.Descuento)).toBe(sum(concepts.map(({ Descuento }) => micros(Descuento))));
        for (const { TasaOCuota: rate, Base, Importe } of summary) {
          const group = taxes.filter(({ TasaOCuota }) => TasaOCuota === rate);
          expect(micros(Base)).toBe(toTheCent(sum(group.map((tax) => micros(tax.Base)))));
          expect(micros(Importe)).toBe(toTheCent(sum(group.map((tax) => micros(tax.Importe)))));
        }
        expect(iva).toBe(sum(summary.map(({ Importe }) => micros(Importe))));
        expect(micros(root.Total)).toBe(micros(root.SubTotal) - micros(root.Descuento) + iva);
        expect(micros(root.Total)).toBe(BigInt(invoice.totalCents) * 10_000n);
      }),
      { numRuns: 1_000 },
    );
  });
});
