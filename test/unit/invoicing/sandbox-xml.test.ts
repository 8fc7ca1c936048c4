import { describe, expect, it } from 'vitest';
import { writeCfdi } from '../../../shared/invoicing/sandbox/cfdi.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { invoiceOfSold, sandboxDocument } from './sandbox-orders.ts';

describe('the XML of the sandbox', () => {
  const elements = elementsOf(writeCfdi(sandboxDocument(sampleInvoice())));

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

  it('is issued from the zip code of a branch', () => {
    const ofBranch = { ...sampleInvoice(), expeditionZipcode: '64000' };
    const [root] = elementsAt(elementsOf(writeCfdi(sandboxDocument(ofBranch))), 'cfdi:Comprobante');
    expect(root?.LugarExpedicion).toBe('64000');
  });

  it('names issuer and receiver, and escapes their names', () => {
    expect(elementsAt(elements, 'cfdi:Emisor')).toEqual([
      { Rfc: 'EKU9003173C9', Nombre: 'BOTICA DE DEMOSTRACIÓN', RegimenFiscal: '601' },
    ]);
    const [receiver] = elementsAt(elementsOf(writeCfdi(sandboxDocument(invoiceOfSold([])))), 'cfdi:Receptor');
    expect(receiver).toEqual({
      Rfc: 'MUPA800101AB1',
      Nombre: 'ANA MUÑOZ & HIJOS "MX"',
      DomicilioFiscalReceptor: '06700',
      RegimenFiscalReceptor: '612',
      UsoCFDI: 'G03',
    });
  });

  it('has every concept with its IVA, also at 0 %', () => {
    expect(elementsAt(elements, 'cfdi:Concepto').slice(0, 2)).toEqual([
      {
        ClaveProdServ: '51142001',
        NoIdentificacion: '7509999000017',
        Cantidad: '2',
        ClaveUnidad: 'H87',
        Unidad: 'Pieza',
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

  it('leaves out a product number that is empty', () => {
    expect(elementsAt(elements, 'cfdi:Concepto').at(-1)).not.toHaveProperty('NoIdentificacion');
  });
});
