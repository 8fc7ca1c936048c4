import { describe, expect, it } from 'vitest';
import type { FiscalDocument } from '../../../shared/domain/invoices/content/cfdi.ts';
import { writeCfdi } from '../../../shared/invoicing/sandbox/cfdi.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment } from '../../support/invoices/sample-documents.ts';
import { brokenRules } from '../../support/invoices/sat/matrix.ts';
import { schemaFaults } from '../../support/invoices/sat/schema.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { sandboxDocument } from './sandbox-orders.ts';

const REPLACED = '39C85A3F-275B-4341-B259-E8971D9F8A94';
const write = (document: FiscalDocument): string => writeCfdi(sandboxDocument(document));

const DOCUMENTS: readonly (readonly [kind: string, document: FiscalDocument])[] = [
  ['an invoice', sampleInvoice()],
  ['an invoice that is paid later', { ...sampleInvoice(), paymentMethod: 'PPD', paymentForm: '99' }],
  ['an invoice of a branch', { ...sampleInvoice(), expeditionZipcode: '64000' }],
  ['a replacement', { ...sampleInvoice(), replacesUuid: REPLACED }],
  ['a payment complement', samplePayment()],
  ['a credit note', sampleCredit()],
  ['a global invoice', sampleGlobal()],
];

describe('every CFDI of the sandbox', () => {
  it.each(DOCUMENTS)('is valid by SAT’s schemas: %s', (_, document) => {
    expect(schemaFaults(write(document))).toEqual([]);
  });

  it.each(DOCUMENTS)('keeps the rules of SAT’s error matrices: %s', (_, document) => {
    expect(brokenRules(write(document))).toEqual([]);
  });
});

describe('the rules that the sandbox is held against', () => {
  const change = (document: FiscalDocument, from: string | RegExp, to: string): string => {
    const xml = write(document);
    expect(xml).toMatch(from);
    return xml.replace(from, to);
  };

  it.each<[string, FiscalDocument, string | RegExp, string]>([
    ['cfdi:Comprobante: SubTotal is missing', sampleInvoice(), / SubTotal="\d+\.\d+"/, ''],
    ['cfdi:Comprobante: Fecha is not allowed', sampleInvoice(), 'T17:00:05"', 'T17:00:05Z"'],
    ['cfdi:Comprobante: Otro is not allowed', sampleInvoice(), ' Version=', ' Otro="1" Version='],
    ['cfdi:Comprobante: other children', sampleInvoice(), /<cfdi:Emisor[^>]*>/, ''],
    ['cfdi:Receptor: Nombre is not allowed', sampleInvoice(), 'ANA MUÑOZ', 'ANA|MUÑOZ'],
    ['cfdi:Concepto: Unidad is not allowed', sampleInvoice(), '"Pieza"', `"${'P'.repeat(21)}"`],
    ['cfdi:Traslado: Importe is not allowed', sampleInvoice(), '"35.9984"', '"35.9984000"'],
    ['pago20:Totales: MontoTotalPagos is not allowed', samplePayment(), 'Pagos="819.84"', 'Pagos="819.840"'],
    ['pago20:DoctoRelacionado: IdDocumento is not allowed', samplePayment(), REPLACED, 'x'],
    ['cfdi:InformacionGlobal: Periodicidad is not allowed', sampleGlobal(), 'Periodicidad="04"', 'Periodicidad="4"'],
  ])('find by the schema: %s', (fault, document, from, to) => {
    expect(schemaFaults(change(document, from, to))).toContainEqual(expect.stringContaining(fault));
  });

  it.each<[string, FiscalDocument, string | RegExp, string]>([
    ['CFDI40103', samplePayment(), ' SubTotal="0"', ' FormaPago="03" SubTotal="0"'],
    ['CFDI40105', sampleInvoice(), 'MetodoPago="PUE"', 'MetodoPago="PPD"'],
    ['CFDI40108', sampleInvoice(), 'SubTotal="804.09"', 'SubTotal="804.10"'],
    ['CFDI40111', sampleInvoice(), ' Descuento="76.10"', ''],
    ['CFDI40119', sampleInvoice(), ' Total="819.84"', ' Total="819.85"'],
    ['CFDI40130', sampleGlobal(), /<cfdi:InformacionGlobal[^>]*>/, ''],
    ['CFDI40134', sampleGlobal(), 'Meses="10"', 'Meses="13"'],
    ['CFDI40136', sampleGlobal(), 'Año="2026"', 'Año="2027"'],
    ['CFDI40146', sampleGlobal(), 'XAXX010101000', 'MUPA800101AB1'],
    ['CFDI40149', sampleGlobal(), 'LugarExpedicion="06700"', 'LugarExpedicion="64000"'],
    ['CFDI40159', sampleGlobal(), 'RegimenFiscalReceptor="616"', 'RegimenFiscalReceptor="612"'],
    ['CFDI40161', samplePayment(), 'CP01', 'G03'],
    ['CFDI40167', sampleInvoice(), ' Importe="171.00"', ' Importe="300.00"'],
    ['CFDI40171', sampleInvoice(), /<cfdi:Impuestos><cfdi:Traslados>.*?<\/cfdi:Impuestos>/, ''],
    ['CFDI40174', sampleInvoice(), 'Base="153.90"', 'Base="0.00"'],
    ['CFDI40179', sampleInvoice(), '"0.160000"', '"0.150000"'],
    ['CFDI40180', sampleInvoice(), 'Importe="35.9984"', 'Importe="36.0001"'],
    ['CFDI40205', sampleInvoice(), 'TotalImpuestosTrasladados="91.85"', 'TotalImpuestosTrasladados="91.86"'],
    ['CFDI40215', sampleInvoice(), 'Base="574.09"', 'Base="574.10"'],
    ['CFDI40221', sampleInvoice(), 'Importe="91.85"', 'Importe="91.86"'],
    ['CRP20103', samplePayment(), ' SubTotal="0"', ' SubTotal="0.00"'],
    ['CRP20104', samplePayment(), 'Moneda="XXX"', 'Moneda="MXN"'],
    ['CRP20117', samplePayment(), ' Descripcion="Pago"', ' Unidad="Actividad" Descripcion="Pago"'],
    ['CRP20204', samplePayment(), 'TotalTrasladosBaseIVA16="574.09"', 'TotalTrasladosBaseIVA16="574.10"'],
    ['CRP20205', samplePayment(), 'TotalTrasladosImpuestoIVA16="91.85"', 'TotalTrasladosImpuestoIVA16="91.84"'],
    ['CRP20208', samplePayment(), 'TotalTrasladosBaseIVA0="153.90" ', ''],
    ['CRP20211', samplePayment(), 'MontoTotalPagos="819.84"', 'MontoTotalPagos="819.85"'],
    ['CRP20212', samplePayment(), 'FormaDePagoP="03"', 'FormaDePagoP="99"'],
    ['CRP20215', samplePayment(), ' TipoCambioP="1"', ''],
    ['CRP20217', samplePayment(), ' Monto="819.84"', ' Monto="819.83"'],
    ['CRP20238', samplePayment(), ' EquivalenciaDR="1"', ''],
    ['CRP20244', samplePayment(), 'ImpSaldoInsoluto="0.00"', 'ImpSaldoInsoluto="0.01"'],
    ['CRP20261', samplePayment(), 'ImporteDR="91.85"', 'ImporteDR="91.88"'],
    ['CRP20268', samplePayment(), 'BaseP="574.09"', 'BaseP="574.10"'],
    ['CRP20274', samplePayment(), 'ImporteP="91.85"', 'ImporteP="91.84"'],
  ])('find a breach of %s', (code, document, from, to) => {
    expect(brokenRules(change(document, from, to))).toContain(code);
  });
});

describe('a document that replaces, credits or sums up', () => {
  const at = (document: FiscalDocument, path: string) => elementsAt(elementsOf(write(document)), path);

  it('names the document that it replaces, with relation 04', () => {
    const replacement = { ...sampleInvoice(), replacesUuid: REPLACED };
    expect(at(replacement, 'cfdi:CfdiRelacionados')).toEqual([{ TipoRelacion: '04' }]);
    expect(at(replacement, 'cfdi:CfdiRelacionado')).toEqual([{ UUID: REPLACED }]);
    expect(at(sampleInvoice(), 'cfdi:CfdiRelacionados')).toEqual([]);
  });

  it('is of type E with relation 01, paid at once, as a credit note', () => {
    expect(at(sampleCredit(), 'cfdi:Comprobante')).toEqual([
      expect.objectContaining({ TipoDeComprobante: 'E', MetodoPago: 'PUE', SubTotal: '100.00', Total: '108.00' }),
    ]);
    expect(at(sampleCredit(), 'cfdi:CfdiRelacionados')).toEqual([{ TipoRelacion: '01' }]);
  });

  it('is issued to the public, a sale in each line, as a global invoice', () => {
    expect(at(sampleGlobal(), 'cfdi:InformacionGlobal')).toEqual([{ Periodicidad: '04', Meses: '10', Año: '2026' }]);
    expect(at(sampleGlobal(), 'cfdi:Receptor')).toEqual([
      {
        Rfc: 'XAXX010101000',
        Nombre: 'PUBLICO EN GENERAL',
        DomicilioFiscalReceptor: '06700',
        RegimenFiscalReceptor: '616',
        UsoCFDI: 'S01',
      },
    ]);
    expect(at(sampleGlobal(), 'cfdi:Concepto')).toEqual([
      {
        ClaveProdServ: '01010101',
        NoIdentificacion: 'RX-00001041',
        Cantidad: '1',
        ClaveUnidad: 'ACT',
        Descripcion: 'Venta',
        ValorUnitario: '150.00',
        Importe: '150.00',
        ObjetoImp: '02',
      },
      expect.objectContaining({ NoIdentificacion: 'RX-00001043', Importe: '43.1051' }),
    ]);
    expect(at(sampleGlobal(), 'cfdi:Comprobante')).toEqual([
      expect.objectContaining({ SubTotal: '193.11', Total: '208.01', FormaPago: '04', MetodoPago: 'PUE' }),
    ]);
  });

  it('pays an invoice at the local time of the payment', () => {
    expect(at(samplePayment(), 'pago20:Pago')).toEqual([
      { FechaPago: '2026-11-21T17:00:00', FormaDePagoP: '03', MonedaP: 'MXN', TipoCambioP: '1', Monto: '819.84' },
    ]);
    expect(at(samplePayment({ balanceCents: 91_984, installment: 2 }), 'pago20:DoctoRelacionado')).toEqual([
      {
        IdDocumento: REPLACED,
        Serie: 'F',
        Folio: '914',
        MonedaDR: 'MXN',
        EquivalenciaDR: '1',
        NumParcialidad: '2',
        ImpSaldoAnt: '919.84',
        ImpPagado: '819.84',
        ImpSaldoInsoluto: '100.00',
        ObjetoImpDR: '02',
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
