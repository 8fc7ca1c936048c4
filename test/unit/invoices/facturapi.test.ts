import { FacturapiError } from 'facturapi';
import { describe, expect, it } from 'vitest';
import { toCancelOptions, toRequestBody } from '../../../shared/invoices/facturapi/body.ts';
import { issuingFailure } from '../../../shared/invoices/facturapi/failure.ts';
import { DataRefused, OutcomeUnknown, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment } from '../../support/invoices/sample-documents.ts';

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
