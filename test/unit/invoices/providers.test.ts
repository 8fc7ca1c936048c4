import { FacturapiError } from 'facturapi';
import { describe, expect, it } from 'vitest';
import { toCancelOptions, toRequestBody } from '../../../shared/invoices/facturapi/body.ts';
import { issuingFailure } from '../../../shared/invoices/facturapi/failure.ts';
import { DataRefused, OutcomeUnknown, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { writeCfdi } from '../../../shared/invoices/sandbox/cfdi.ts';
import { writePdf } from '../../../shared/invoices/sandbox/sandbox.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment, sandboxDocument } from '../../support/invoices/tax-documents.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';

/* Facturapi's requests (OpenAPI v2, `POST /invoices`), and what its errors mean for an invoice. */

const UUID = '39C85A3F-275B-4341-B259-E8971D9F8A94';
const toBody = (document: FiscalDocument) => toRequestBody(document, { key: 'order-1042-a', folio: 'RX-00001042' });
const iva = (rate: number) => ({ type: 'IVA', factor: 'Tasa', rate, withholding: false });

describe('the request', () => {
  it('has the amounts before IVA, the discounts and every tax of an invoice', () => {
    const taxed = { tax_included: false, taxability: '02' };
    const units = { product_key: '51142001', unit_key: 'H87', unit_name: 'Pieza', sku: '7509999000017', ...taxed };
    const medicine = { ...units, description: 'Paracetamol caja', price: 85.5, taxes: [iva(0)] };
    const shipping = { product_key: '78102203', unit_key: 'E48', unit_name: 'Unidad de servicio', ...taxed };
    const fee = { ...shipping, description: 'Servicio de envío', price: 43.1051, taxes: [iva(0.16)] };
    const rest = { quantity: expect.any(Number), discount: expect.any(Number), product: expect.any(Object) };
    expect(toBody(sampleInvoice())).toEqual({
      items: [
        { quantity: 2, discount: 17.1, product: medicine },
        ...[rest, rest],
        { quantity: 1, discount: 0, product: fee },
      ],
      customer: {
        ...{ legal_name: 'ANA MUÑOZ & HIJOS', tax_id: 'MUPA800101AB1', tax_system: '612' },
        address: { zip: '06700' },
      },
      ...{ use: 'G03', payment_form: '03', payment_method: 'PUE', currency: 'MXN' },
      ...{ external_id: 'order-1042-a', idempotency_key: 'order-1042-a' },
      pdf_custom_section: '<p>Pedido RX-00001042</p>',
    });
  });

  it.each<[string, FiscalDocument, object]>([
    [
      'an invoice of a branch that is paid later',
      { ...sampleInvoice(), expeditionZipcode: '64000', paymentMethod: 'PPD', paymentForm: '99' },
      { address: { zip: '64000' }, payment_method: 'PPD', payment_form: '99' },
    ],
    [
      'a replacement',
      { ...sampleInvoice(), replacesUuid: UUID },
      { related_documents: [{ relationship: '04', documents: [UUID] }] },
    ],
    ['a credit note', sampleCredit(), { type: 'E', related_documents: [{ relationship: '01', documents: [UUID] }] }],
    [
      'a global invoice',
      sampleGlobal(),
      {
        customer: { legal_name: 'PUBLICO EN GENERAL', tax_id: 'XAXX010101000', address: { zip: '06700' } },
        ...{ address: { zip: '06700' }, use: 'S01', payment_form: '04', payment_method: 'PUE' },
        global: { periodicity: 'month', months: '10', year: 2026 },
        items: [
          {
            quantity: 1,
            product: {
              ...{ description: 'Venta', product_key: '01010101', unit_key: 'ACT', sku: 'RX-00001041', price: 150 },
              taxes: [
                { rate: 0, base: 100 },
                { rate: 0.16, base: 50 },
              ],
            },
          },
          { product: { sku: 'RX-00001043', price: 43.1051, taxes: [{ rate: 0.16, base: 43.1051 }] } },
        ],
      },
    ],
  ])('is that of %s', (_, document, body) => {
    expect(toBody(document)).toMatchObject(body);
  });

  it('has what a payment complement pays, and of which invoice', () => {
    const payment = {
      ...{ payment_form: '03', currency: 'MXN', date: '2026-11-21T23:00:00.000Z' },
      related_documents: [
        {
          ...{ uuid: UUID, series: 'F', folio_number: 914, currency: 'MXN', taxability: '02' },
          ...{ installment: 1, last_balance: 819.84, amount: 819.84 },
          taxes: [
            { ...iva(0), base: 153.9 },
            { ...iva(0.16), base: 574.09 },
          ],
        },
      ],
    };
    expect(toBody(samplePayment())).toMatchObject({ type: 'P', complements: [{ type: 'pago', data: [payment] }] });
    // Facturapi's folios are numbers.
    const unnumbered = samplePayment({ invoice: { uuid: UUID, series: '', folio: 'RX-1' } });
    expect(JSON.stringify(toBody(unnumbered))).not.toMatch(/"series"|"folio_number"/);
  });

  it('has the motive of a cancellation, and the substitute', () => {
    expect(toCancelOptions({ motive: '03', substitution: null })).toEqual({ motive: '03' });
    expect(toCancelOptions({ motive: '01', substitution: UUID })).toEqual({ motive: '01', substitution: UUID });
  });
});

describe('an error', () => {
  const classify = (status: number, code: string, more: object = {}) =>
    issuingFailure(new FacturapiError({ message: 'ANA MUÑOZ', status, code, headers: {}, ...more }));

  it.each([
    [400, 'product_key_not_found', DataRefused],
    [429, 'rate_limit_exceeded', ProviderUnavailable],
    [500, 'invoice_stamping_service_unavailable', ProviderUnavailable],
    [500, 'invoice_stamping_failed', ProviderUnavailable],
    [401, 'unauthorized', ProviderUnavailable],
    [402, 'payment_required', ProviderUnavailable],
    [400, 'organization_incomplete', ProviderUnavailable],
    [400, 'certificate_expired', ProviderUnavailable],
    [500, 'internal_error', OutcomeUnknown],
    [502, '', OutcomeUnknown],
    [409, 'stamping_in_progress', OutcomeUnknown],
    [409, 'idempotency_key_in_use', OutcomeUnknown],
  ])('%s %s is a %o', (status, code, kind) => {
    expect(classify(status, code)).toBeInstanceOf(kind);
  });

  it('says how long to wait, an hour at most', () => {
    const wait = (seconds: string) => classify(429, 'rate_limit_exceeded', { headers: { 'retry-after': seconds } });
    expect([wait('90'), wait('86400')]).toMatchObject([{ retryAfterSeconds: 90 }, { retryAfterSeconds: 3_600 }]);
  });

  it.each([
    ['full_name', 'sat_name_differs', 'legal_name_mismatch CFDI40144 CFDI40145 CFDI40146'],
    ['zipcode', 'sat_zipcode_differs', 'tax_address_zip_mismatch CFDI40147 CFDI40148 CFDI40149'],
    ['rfc', 'sat_rfc_unknown', 'tax_id_not_found CFDI40143'],
    ['fiscal_regime', 'sat_regime_not_allowed', 'tax_system_not_allowed_for_tax_id CFDI40157 CFDI40158'],
    ['fiscal_regime', 'sat_regime_not_allowed', 'tax_system_not_in_catalog'],
    ['cfdi_use', 'sat_use_not_allowed', 'CFDI40160 CFDI40161'],
  ])('names the field %s of the receiver with %s for %s', (field, message, codes) => {
    for (const code of codes.split(' ')) {
      const errors = [{ code, source: 'sat', message: 'Puede cambiar' }];
      expect(classify(400, code)).toMatchObject({ errors: [{ field, code: message }] });
      const detailed = classify(400, 'invoice_stamping_validation_error', { errors });
      expect(detailed).toMatchObject({ errors: [{ field, code: message }] });
    }
  });

  it('names each field once, also by the path of a malformed value', () => {
    const codes = ['legal_name_mismatch', 'CFDI40145', 'CFDI40148'].map((code) => ({ code }));
    const named = classify(400, 'invoice_stamping_validation_error', { errors: codes });
    expect(named).toHaveProperty('errors', [
      { field: 'full_name', code: 'sat_name_differs' },
      { field: 'zipcode', code: 'sat_zipcode_differs' },
    ]);
    const malformed = [{ code: 'invalid_format', path: 'customer.tax_id', location: 'body' }];
    expect(classify(400, 'invalid_request', { errors: malformed })).toMatchObject({ errors: [{ field: 'rfc' }] });
    // A key of each object in JavaScript.
    expect(classify(400, 'constructor')).toMatchObject({ errors: [] });
  });
});

/*
 * The XML and the PDF of the sandbox. SAT's own schemas, which hold the form of every kind of document, are in test/schemas.
 */

const at = (document: FiscalDocument, path: string) =>
  elementsAt(elementsOf(writeCfdi(sandboxDocument(document))), path);

describe('the XML of a document', () => {
  const transfer = { Impuesto: '002', TipoFactor: 'Tasa' };

  it.each<[string, FiscalDocument, string, object[]]>([
    ['an invoice', sampleInvoice(), 'cfdi:Comprobante', [{ Version: '4.0', Folio: 'RX-00001042', Exportacion: '01' }]],
    ['an invoice', sampleInvoice(), 'cfdi:Comprobante', [{ SubTotal: '804.09', Descuento: '76.10', Total: '819.84' }]],
    ['an invoice', sampleInvoice(), 'cfdi:Comprobante > cfdi:Impuestos', [{ TotalImpuestosTrasladados: '91.85' }]],
    ['a credit note', sampleCredit(), 'cfdi:CfdiRelacionados', [{ TipoRelacion: '01' }]],
    [
      'an invoice',
      sampleInvoice(),
      'cfdi:Comprobante > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado',
      [
        { Base: '153.90', Importe: '0.00' },
        { Base: '574.09', Importe: '91.85' },
      ],
    ],
    ['a credit note', sampleCredit(), 'cfdi:Comprobante', [{ SubTotal: '100.00', Total: '108.00' }]],
    ['a global invoice', sampleGlobal(), 'cfdi:Comprobante', [{ SubTotal: '193.11', Total: '208.01' }]],
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
  const SALE = sampleInvoice();
  it.each<[string, FiscalDocument, string[]]>([
    ['Complemento de pago', samplePayment(), ['Pago de 39C85A3F-275B-4341-B259-E8971D9F8A94 819.84', 'Total 819.84']],
    ['Nota de crédito', sampleCredit(), ['1 x Devolución 50.00', 'Total 108.00']],
    ['Factura global', sampleGlobal(), ['Venta RX-00001041 150.00', 'Venta RX-00001043 43.1051', 'Total 208.01']],
    ['Factura', SALE, ['2 x Paracetamol caja 153.90', '1 x Servicio de envío 43.1051', 'Total 819.84']],
  ])('shows a %s on one page, in the encoding of its font', (title, content, lines) => {
    const document = sandboxDocument(content);
    const legalName = 'áñÑ¿ n\u0303 a(b)\\c 処方\u0007';
    const pdf = Buffer.from(writePdf({ ...document, issuer: { ...document.issuer, legalName } })).toString('latin1');
    // The end of the file leads to the table of its objects.
    expect(pdf.slice(Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)?.[1]))).toMatch(/^xref\n0 \d+\n/);
    const shown = [...pdf.matchAll(/^\((.*)\) Tj T\*$/gm)].map(([, line = '']) => line.replace(/\\([\\()])/g, '$1'));
    expect(shown[0]).toMatch(/^SIN VALIDEZ FISCAL/);
    expect(shown.map((line) => line.replace(/ {2,}/g, ' '))).toEqual(
      expect.arrayContaining([`${title} RX-00001042`, 'Emisor EKU9003173C9 áñÑ¿ ñ a(b)\\c ???', ...lines]),
    );
  });
});
