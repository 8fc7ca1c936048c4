import { describe, expect, it } from 'vitest';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { writeCfdi } from '../../../shared/invoices/sandbox/cfdi.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment, sandboxDocument } from '../../support/invoices/sample-documents.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';

const REPLACED = '39C85A3F-275B-4341-B259-E8971D9F8A94';
const write = (document: FiscalDocument): string => writeCfdi(sandboxDocument(document));
const at = (document: FiscalDocument, path: string) => elementsAt(elementsOf(write(document)), path);

// SAT's own schemas, which hold the form of every kind of document, are in test/schemas.
describe('the XML of an invoice', () => {
  const elements = elementsOf(write(sampleInvoice()));

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
      ...{ Version: '4.0', Folio: 'RX-00001042', Fecha: '2026-11-21T17:00:05', Sello: '', FormaPago: '03' },
      ...{ NoCertificado: '00000000000000000000', Certificado: '', SubTotal: '804.09', Descuento: '76.10' },
      ...{ Moneda: 'MXN', Total: '819.84', TipoDeComprobante: 'I', Exportacion: '01', MetodoPago: 'PUE' },
      LugarExpedicion: '06700',
    });
  });

  it('names issuer and receiver, and escapes their names', () => {
    const issuer = { Rfc: 'EKU9003173C9', Nombre: 'BOTICA DE DEMOSTRACIÓN', RegimenFiscal: '601' };
    expect(elementsAt(elements, 'cfdi:Emisor')).toEqual([issuer]);
    const named = { ...sampleInvoice().receiver, legalName: 'ANA MUÑOZ & HIJOS "MX" <1>' };
    expect(at({ ...sampleInvoice(), receiver: named }, 'cfdi:Receptor')).toEqual([
      {
        ...{ Rfc: 'MUPA800101AB1', Nombre: 'ANA MUÑOZ & HIJOS "MX" <1>', DomicilioFiscalReceptor: '06700' },
        ...{ RegimenFiscalReceptor: '612', UsoCFDI: 'G03' },
      },
    ]);
  });

  it('has every concept with its IVA, also at 0 %', () => {
    expect(elementsAt(elements, 'cfdi:Concepto').slice(0, 2)).toEqual([
      {
        ...{ ClaveProdServ: '51142001', NoIdentificacion: '7509999000017', Cantidad: '2', ClaveUnidad: 'H87' },
        ...{ Unidad: 'Pieza', Descripcion: 'Paracetamol caja', ValorUnitario: '85.50', Importe: '171.00' },
        ...{ Descuento: '17.10', ObjetoImp: '02' },
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
});

describe('a document that replaces, credits, pays or sums up', () => {
  it('names the document that it replaces, with relation 04, or credits, with relation 01', () => {
    const replacement = { ...sampleInvoice(), replacesUuid: REPLACED };
    expect(at(replacement, 'cfdi:CfdiRelacionados')).toEqual([{ TipoRelacion: '04' }]);
    expect(at(replacement, 'cfdi:CfdiRelacionado')).toEqual([{ UUID: REPLACED }]);
    expect(at(sampleInvoice(), 'cfdi:CfdiRelacionados')).toEqual([]);
    const branch = at({ ...replacement, expeditionZipcode: '64000' }, 'cfdi:Comprobante');
    expect(branch).toMatchObject([{ LugarExpedicion: '64000' }]);
    expect(at(sampleCredit(), 'cfdi:Comprobante')).toMatchObject([{ TipoDeComprobante: 'E', MetodoPago: 'PUE' }]);
    expect(at(sampleCredit(), 'cfdi:CfdiRelacionados')).toEqual([{ TipoRelacion: '01' }]);
    expect(write(sampleCredit())).not.toContain('Descuento=');
  });

  it('is issued to the public, a sale in each line, as a global invoice', () => {
    expect(at(sampleGlobal(), 'cfdi:InformacionGlobal')).toEqual([{ Periodicidad: '04', Meses: '10', Año: '2026' }]);
    expect(at(sampleGlobal(), 'cfdi:Receptor')).toMatchObject([{ Rfc: 'XAXX010101000', RegimenFiscalReceptor: '616' }]);
    expect(at(sampleGlobal(), 'cfdi:Concepto')).toEqual([
      {
        ...{ ClaveProdServ: '01010101', NoIdentificacion: 'RX-00001041', Cantidad: '1', ClaveUnidad: 'ACT' },
        ...{ Descripcion: 'Venta', ValorUnitario: '150.00', Importe: '150.00', ObjetoImp: '02' },
      },
      expect.objectContaining({ NoIdentificacion: 'RX-00001043', Importe: '43.1051' }),
    ]);
    expect(at(sampleGlobal(), 'cfdi:Comprobante')).toEqual([
      expect.objectContaining({ SubTotal: '193.11', Total: '208.01', FormaPago: '04', MetodoPago: 'PUE' }),
    ]);
  });

  it('pays an invoice at the local time of the payment', () => {
    const nothing = { SubTotal: '0', Moneda: 'XXX', Total: '0', TipoDeComprobante: 'P' };
    expect(at(samplePayment(), 'cfdi:Comprobante')).toMatchObject([nothing]);
    expect(at(samplePayment(), 'cfdi:Receptor')).toMatchObject([{ UsoCFDI: 'CP01' }]);
    expect(at(samplePayment(), 'cfdi:Concepto')).toEqual([
      {
        ...{ ClaveProdServ: '84111506', Cantidad: '1', ClaveUnidad: 'ACT', Descripcion: 'Pago' },
        ...{ ValorUnitario: '0', Importe: '0', ObjetoImp: '01' },
      },
    ]);
    expect(at(samplePayment(), 'pago20:Pago')).toEqual([
      { FechaPago: '2026-11-21T17:00:00', FormaDePagoP: '03', MonedaP: 'MXN', TipoCambioP: '1', Monto: '819.84' },
    ]);
    expect(at(samplePayment({ balanceCents: 91_984, installment: 2 }), 'pago20:DoctoRelacionado')).toEqual([
      {
        ...{ IdDocumento: REPLACED, Serie: 'F', Folio: '914', MonedaDR: 'MXN', EquivalenciaDR: '1' },
        ...{ NumParcialidad: '2', ImpSaldoAnt: '919.84', ImpPagado: '819.84', ImpSaldoInsoluto: '100.00' },
        ObjetoImpDR: '02',
      },
    ]);
    expect(at(samplePayment(), 'pago20:Totales')).toEqual([
      {
        TotalTrasladosBaseIVA0: '153.90',
        TotalTrasladosImpuestoIVA0: '0.00',
        TotalTrasladosBaseIVA16: '574.09',
        TotalTrasladosImpuestoIVA16: '91.85',
        MontoTotalPagos: '819.84',
      },
    ]);
  });

  it('has the name of its unit, cut to 20 characters, or none', () => {
    const [concept] = sampleCredit().concepts;
    const units = ['E48', 'XBO', 'ZZ'].map((unitKey) => ({ ...(concept as NonNullable<typeof concept>), unitKey }));
    const written = at(sampleCredit({ concepts: units }), 'cfdi:Concepto').map(({ Unidad }) => Unidad);
    expect(written).toEqual(['Unidad de servicio', 'Botella no-protegida', undefined]);
  });
});
