import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { makeBundles } from '../../../infra/bundle.ts';
import { configuredProvider } from '../../../shared/invoices/configured.ts';
import { FacturapiInvoicing } from '../../../shared/invoices/facturapi/facturapi.ts';
import { DataRefused, OutcomeUnknown, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import type { FiscalDocument } from '../../../shared/invoices/rules/build/cfdi.ts';
import { isMessageCode } from '../../../shared/messages/messages.ts';
import { type FacturapiServer, type Fate, openFacturapi, refusal } from '../../support/engines/facturapi-server.ts';
import { loopback } from '../../support/http/loopback.ts';
import { newReference, providerSuite, sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { sampleCredit, sampleGlobal, samplePayment } from '../../support/invoices/sample-documents.ts';
import { NO_SALE } from '../../support/invoices/tax-documents.ts';

let facturapi: FacturapiServer;
beforeAll(async () => {
  facturapi = await openFacturapi();
});
afterAll(() => facturapi.close());

const open = () => new FacturapiInvoicing({ key: async () => facturapi.key, url: facturapi.url });
const soon = () => AbortSignal.timeout(5_000);
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const issue = (reference = newReference(), signal = soon()) => open().issue(sampleInvoice(), reference, signal);

providerSuite('facturapi', async () => ({
  open,
  countOf: async (key) => facturapi.invoices.filter((invoice) => invoice.external_id === key).length,
  stop: async () => undefined,
}));

const rejections: unknown[] = [];
const remember = (reason: unknown) => rejections.push(reason);
beforeAll(() => process.on('unhandledRejection', remember));
afterAll(() => void process.off('unhandledRejection', remember));
const errors: string[] = [];
beforeEach(() => {
  facturapi.script();
  errors.length = 0;
  const write = (line: unknown) => String(line).includes('"level":"ERROR"') && errors.push(String(line)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
});
afterEach(() => void vi.restoreAllMocks());
// Each test must leave no open connection and no unhandled rejection behind.
afterEach(async () => {
  await vi.waitFor(async () => expect(await facturapi.connections()).toBe(0), { timeout: 10_000 });
  expect(rejections).toEqual([]);
});

/** Scripts this fate for the first call of a method; all other calls are served normally. */
const forOnce = (method: string, fate: Fate) => {
  let isDone = false;
  facturapi.script((call) => {
    if (isDone || call.method !== method) return undefined;
    isDone = true;
    return fate;
  });
};

describe('the request to Facturapi', () => {
  const iva = (rate: number) => [{ type: 'IVA', factor: 'Tasa', rate, withholding: false }];
  const bodyOf = async (document: FiscalDocument, reference = newReference()) => {
    await open().issue(document, reference, soon());
    return facturapi.calls[0]?.body;
  };

  it('contains the amounts before IVA, the discounts and every tax', async () => {
    const taxed = { tax_included: false, taxability: '02' };
    const units = { product_key: '51142001', unit_key: 'H87', unit_name: 'Pieza', sku: '7509999000017', ...taxed };
    const shipping = { product_key: '78102203', unit_key: 'E48', unit_name: 'Unidad de servicio', ...taxed };
    const reference = { ...newReference(), folio: 'RX-00001042' };
    const [medicine, sunscreen] = ['Paracetamol caja', 'Protector <solar> "50+" caja'];
    expect(await bodyOf(sampleInvoice(), reference)).toEqual({
      customer: {
        legal_name: 'ANA MUÑOZ & HIJOS',
        tax_id: 'MUPA800101AB1',
        tax_system: '612',
        address: { zip: '06700' },
      },
      items: [
        { quantity: 2, discount: 17.1, product: { ...units, description: medicine, price: 85.5, taxes: iva(0) } },
        { quantity: 1, discount: 25, product: { ...units, description: sunscreen, price: 249.99, taxes: iva(0.16) } },
        {
          quantity: 3,
          discount: 34,
          product: { ...units, description: 'Termómetro caja', price: 113.33, taxes: iva(0.16) },
        },
        {
          quantity: 1,
          discount: 0,
          product: {
            ...shipping,
            description: 'Servicio de envío',
            price: expect.closeTo(43.1, 1),
            taxes: iva(0.16),
          },
        },
      ],
      use: 'G03',
      payment_form: '03',
      payment_method: 'PUE',
      currency: 'MXN',
      external_id: reference.key,
      idempotency_key: reference.key,
      pdf_custom_section: '<p>Pedido RX-00001042</p>',
    });
  });

  it.each<[string, FiscalDocument, object]>([
    [
      'PPD and form 99 for an invoice that is paid later',
      { ...sampleInvoice(), paymentMethod: 'PPD', paymentForm: '99' },
      { payment_method: 'PPD', payment_form: '99' },
    ],
    [
      'the address of a branch that issues the invoice',
      { ...sampleInvoice(), expeditionZipcode: '64000' },
      { address: { zip: '64000' } },
    ],
    [
      'relation 01 of a credit note to its invoice',
      sampleCredit(),
      {
        ...{ type: 'E', use: 'G02', payment_form: '03', payment_method: 'PUE' },
        related_documents: [{ relationship: '01', documents: ['39C85A3F-275B-4341-B259-E8971D9F8A94'] }],
        items: [{ product: { price: 50, taxes: [{ rate: 0 }] } }, { product: { price: 50, taxes: [{ rate: 0.16 }] } }],
      },
    ],
  ])('has %s', async (_, document, body) => {
    expect(await bodyOf(document)).toMatchObject(body);
  });

  it('has what was paid, and on which invoice, for a payment complement', async () => {
    const { customer, ...body } = await bodyOf(samplePayment());
    expect(customer).toMatchObject({ tax_id: 'MUPA800101AB1', tax_system: '612', address: { zip: '06700' } });
    expect(body).toEqual({
      type: 'P',
      complements: [
        {
          type: 'pago',
          data: [
            {
              payment_form: '03',
              currency: 'MXN',
              date: '2026-11-21T23:00:00.000Z',
              related_documents: [
                {
                  uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
                  series: 'F',
                  folio_number: 914,
                  currency: 'MXN',
                  installment: 1,
                  last_balance: 819.84,
                  amount: 819.84,
                  taxability: '02',
                  taxes: [
                    { ...iva(0)[0], base: 153.9 },
                    { ...iva(0.16)[0], base: 574.09 },
                  ],
                },
              ],
            },
          ],
        },
      ],
      external_id: expect.any(String),
      idempotency_key: body.external_id,
      pdf_custom_section: '<p>Pedido RX-00001042</p>',
    });
  });

  it('leaves out a series and a folio that Facturapi has no field for', async () => {
    const invoice = { uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94', series: '', folio: 'RX-1' };
    const [paid] = (await bodyOf(samplePayment({ invoice }))).complements[0].data[0].related_documents;
    expect(Object.keys(paid)).not.toContain('series');
    expect(Object.keys(paid)).not.toContain('folio_number');
  });

  it('has the period, the public and a line for each sale in a global invoice', async () => {
    expect(await bodyOf(sampleGlobal())).toMatchObject({
      customer: {
        legal_name: 'PUBLICO EN GENERAL',
        tax_id: 'XAXX010101000',
        tax_system: '616',
        address: { zip: '06700' },
      },
      address: { zip: '06700' },
      use: 'S01',
      payment_form: '04',
      payment_method: 'PUE',
      global: { periodicity: 'month', months: '10', year: 2026 },
      items: [
        {
          quantity: 1,
          product: {
            description: 'Venta',
            product_key: '01010101',
            unit_key: 'ACT',
            unit_name: 'Actividad',
            sku: 'RX-00001041',
            price: 150,
            tax_included: false,
            taxes: [
              { rate: 0, base: 100 },
              { rate: 0.16, base: 50 },
            ],
          },
        },
        { product: { sku: 'RX-00001043', price: 43.1051, taxes: [{ rate: 0.16, base: 43.1051 }] } },
      ],
    });
  });

  it('has motive 03 for a cancellation', async () => {
    const { id } = await issue();
    facturapi.script();
    await open().cancel(id, NO_SALE, soon());
    const cancelling = facturapi.calls.find(({ method }) => method === 'DELETE');
    expect([cancelling?.path, cancelling?.query.toString()]).toEqual([`/invoices/${id}`, 'motive=03']);
  });

  it('has the UUID of the document that replaces another, and relation 04 in that document', async () => {
    const replaced = await issue();
    const replacement = { ...sampleInvoice(), replacesUuid: replaced.stamp?.uuid ?? '' };
    facturapi.script();
    const { stamp } = await open().issue(replacement, newReference(), soon());
    expect(facturapi.calls[0]?.body.related_documents).toEqual([
      { relationship: '04', documents: [replaced.stamp?.uuid] },
    ]);
    await open().cancel(replaced.id, { motive: '01', substitution: stamp?.uuid ?? '' }, soon());
    const cancelling = facturapi.calls.find(({ method }) => method === 'DELETE');
    expect(cancelling?.query.toString()).toBe(`motive=01&substitution=${stamp?.uuid}`);
  });

  it.each([
    [{ livemode: true }, { isLive: true }],
    [{ livemode: false }, { isLive: false }],
    [{}, { isLive: false }],
    // The total of the order is 819.84.
    [{ total: 819.85 }, { totalCents: 81_985 }],
    [{ total: 819.83 }, { totalCents: 81_983 }],
  ])('that is answered %o makes a document that says so: %o', async (answered, document) => {
    const body = { id: 'a'.repeat(24), status: 'valid', total: 819.84, ...answered };
    facturapi.script(() => ({ status: 200, body }));
    expect(await issue()).toMatchObject(document);
  });
});

describe('an invoice that is not stamped at once', () => {
  it('is pending, and is found with its later status', async () => {
    const reference = newReference();
    forOnce('POST', 'stamp later');
    const issued = await issue(reference);
    expect(issued).toMatchObject({ status: 'pending', totalCents: 81_984 });
    const stored = facturapi.invoices.find(({ id }) => id === issued.id);
    for (const status of ['valid', 'failed'] as const) {
      Object.assign(stored ?? {}, { status });
      expect(await open().find(reference.key, soon())).toEqual({ ...issued, status });
    }
  });

  it('is not cancelled before it is stamped', async () => {
    forOnce('POST', 'stamp later');
    const { id } = await issue();
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'pending', cancellation: 'none' });
  });
});

describe('a refusal of the receiver', () => {
  const details = (...errors: object[]) => refusal(400, 'invoice_stamping_validation_error', errors);
  const sat = (code: string) => details({ code, source: 'sat', message: 'Puede cambiar' });

  it.each([
    ['legal_name_mismatch', 'full_name', 'sat_name_differs'],
    ['tax_address_zip_mismatch', 'zipcode', 'sat_zipcode_differs'],
    ['tax_id_not_found', 'rfc', 'sat_rfc_unknown'],
    ['tax_system_not_allowed_for_tax_id', 'fiscal_regime', 'sat_regime_not_allowed'],
    ['tax_system_not_in_catalog', 'fiscal_regime', 'sat_regime_not_allowed'],
    ['CFDI40143', 'rfc', 'sat_rfc_unknown'],
    ['CFDI40144', 'full_name', 'sat_name_differs'],
    ['CFDI40145', 'full_name', 'sat_name_differs'],
    ['CFDI40146', 'full_name', 'sat_name_differs'],
    ['CFDI40147', 'zipcode', 'sat_zipcode_differs'],
    ['CFDI40148', 'zipcode', 'sat_zipcode_differs'],
    ['CFDI40149', 'zipcode', 'sat_zipcode_differs'],
    ['CFDI40157', 'fiscal_regime', 'sat_regime_not_allowed'],
    ['CFDI40158', 'fiscal_regime', 'sat_regime_not_allowed'],
    ['CFDI40160', 'cfdi_use', 'sat_use_not_allowed'],
    ['CFDI40161', 'cfdi_use', 'sat_use_not_allowed'],
  ])('by %s names the field %s', async (code, field, message) => {
    forOnce('POST', code.startsWith('CFDI') ? sat(code) : refusal(400, code));
    const refused = await failure(issue());
    expect(refused).toBeInstanceOf(DataRefused);
    expect(refused).toHaveProperty('errors', [{ field, code: message }]);
    expect(isMessageCode(message)).toBe(true);
  });

  it.each<[string, Fate, object[]]>([
    [
      'several errors, each field once',
      details({ code: 'legal_name_mismatch' }, { code: 'CFDI40145' }, { code: 'CFDI40148' }),
      [
        { field: 'full_name', code: 'sat_name_differs' },
        { field: 'zipcode', code: 'sat_zipcode_differs' },
      ],
    ],
    [
      'a malformed field',
      refusal(400, 'invalid_request', [{ code: 'invalid_format', path: 'customer.tax_id', location: 'body' }]),
      [{ field: 'rfc', code: 'sat_rfc_unknown' }],
    ],
  ])('names %s', async (_, fate, errors) => {
    forOnce('POST', fate);
    expect(await failure(issue())).toHaveProperty('errors', errors);
  });

  it.each([
    ['a product', refusal(400, 'product_key_not_found')],
    ['an unknown code', refusal(400, 'new_code')],
    ['a code that is a name of JavaScript', refusal(400, 'constructor')],
    ['a code of the PAC', details({ code: '402', source: 'pac' })],
  ])('for %s names no field, and is logged', async (_, fate) => {
    forOnce('POST', fate);
    const refused = await failure(issue());
    expect(refused).toBeInstanceOf(DataRefused);
    expect(refused).toHaveProperty('errors', []);
    expect(errors).toEqual([expect.stringContaining('"logId":"log-1"')]);
    expect(errors).toEqual([expect.not.stringContaining('MUÑOZ')]);
  });
});

describe('when Facturapi fails', () => {
  it.each<[string, Fate]>([
    ['has too many requests', refusal(429, 'rate_limit_exceeded')],
    ['has no PAC available', refusal(500, 'invoice_stamping_service_unavailable')],
    ['could not stamp', refusal(500, 'invoice_stamping_failed')],
  ])('and answers that it %s, nothing was issued', async (_, fate) => {
    forOnce('POST', fate);
    const reference = newReference();
    expect(await failure(issue(reference))).toBeInstanceOf(ProviderUnavailable);
    expect(facturapi.calls).toHaveLength(1);
  });

  it.each([
    ['90', 90],
    ['86400', 3_600],
  ])('and says to wait %s seconds, that is told, an hour at most', async (written, seconds) => {
    forOnce('POST', { ...refusal(429, 'rate_limit_exceeded'), headers: { 'Retry-After': written } });
    expect(await failure(issue())).toMatchObject({ retryAfterSeconds: seconds });
  });

  it.each<[string, Fate]>([
    ['breaks', refusal(500, 'internal_error')],
    ['is behind a gateway that breaks', { status: 502, body: '<html>Bad gateway</html>' }],
    ['is behind a gateway that times out', { status: 504, body: '' }],
    ['answers with other JSON', { status: 200, body: { hello: 'world' } }],
    [
      'answers with an id that is too long',
      { status: 200, body: { id: 'x'.repeat(31), status: 'valid', total: 819.84 } },
    ],
    ['answers without JSON', { status: 200, body: '<html>' }],
    ['is still stamping', refusal(409, 'stamping_in_progress')],
    ['says that the key is in use, and has no invoice', refusal(409, 'idempotency_key_in_use')],
    ['drops the connection', 'drop'],
  ])('because it %s, the outcome of an issue call is unknown', async (_, fate) => {
    forOnce('POST', fate);
    expect(await failure(issue())).toBeInstanceOf(OutcomeUnknown);
  });

  it.each<[string, Fate]>([
    ['the reply is lost', 'lose reply'],
    ['the reply breaks off', 'break off'],
  ])('because %s after issuing, the invoice is found', async (_, fate) => {
    const reference = newReference();
    forOnce('POST', fate);
    expect(await issue(reference)).toMatchObject({ status: 'valid', totalCents: 81_984 });
    expect(facturapi.invoices.filter(({ external_id }) => external_id === reference.key)).toHaveLength(1);
  });

  it('an issue call ends at its deadline with its request, and its outcome is unknown', async () => {
    const deadline = new AbortController();
    facturapi.script(() => {
      deadline.abort(new DOMException('', 'TimeoutError'));
      return 'hang';
    });
    expect(await failure(issue(newReference(), deadline.signal))).toBeInstanceOf(OutcomeUnknown);
    // No time is left to search for the invoice.
    expect(facturapi.calls).toHaveLength(1);
  });

  it('every other call ends at its deadline too', async () => {
    const { id } = await issue();
    facturapi.script(() => 'hang');
    const late = () => AbortSignal.timeout(150);
    const calls = [open().find('key', late()), open().files(id, late()), open().cancel(id, NO_SALE, late())];
    for (const call of await Promise.all(calls.map(failure))) expect(call).toBeInstanceOf(ProviderUnavailable);
  });

  it('a download that stalls or breaks off is unavailable', async () => {
    const { id } = await issue();
    facturapi.script(() => 'stall');
    expect(await failure(open().files(id, AbortSignal.timeout(150)))).toBeInstanceOf(ProviderUnavailable);
    facturapi.script(() => 'break off');
    expect(await failure(open().files(id, soon()))).toBeInstanceOf(ProviderUnavailable);
  });

  it.each(['pdf', 'xml'])('a download that is no %s is unavailable', async (type) => {
    const { id } = await issue();
    const body = '<html>Mantenimiento';
    facturapi.script(({ path }) => (path.endsWith(`/${type}`) ? { status: 200, body } : undefined));
    expect(await failure(open().files(id, soon()))).toBeInstanceOf(ProviderUnavailable);
  });

  it('and refuses connections, nothing was issued', async () => {
    const { url, close } = await loopback(() => undefined);
    await close();
    const nowhere = new FacturapiInvoicing({ key: async () => 'sk_test', url: `${url}/v2` });
    expect(await failure(nowhere.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(nowhere.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
  });

  it('no request is sent without a key', async () => {
    const keyless = new FacturapiInvoicing({ key: () => Promise.reject(new Error('no secret')), url: facturapi.url });
    expect(await failure(keyless.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(facturapi.calls).toEqual([]);
  });
});

describe('when the account is refused', () => {
  it.each([
    ['an unknown key', refusal(401, 'api_key_invalid')],
    ['an unpaid subscription', refusal(402, 'subscription_required')],
    ['a key without rights', refusal(403, 'api_key_not_allowed')],
    ['an unfinished organization', refusal(400, 'organization_incomplete')],
    ['an expired certificate', refusal(400, 'certificate_expired')],
  ])('for %s, it is unavailable, and an error is logged', async (_, fate) => {
    facturapi.script(() => fate);
    expect(await failure(issue())).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(open().find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(errors).toHaveLength(2);
    for (const line of errors) {
      expect(line).toContain('no invoice can be issued');
      expect(line).not.toContain('MUÑOZ');
    }
  });

  it('uses only the key that it was given', async () => {
    const other = new FacturapiInvoicing({ key: async () => 'sk_test_other', url: facturapi.url });
    expect(await failure(other.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
  });
});

describe('a cancellation', () => {
  const waiting = async (cancellation_status: string) => {
    const { id } = await issue();
    Object.assign(facturapi.invoices.find((one) => one.id === id) ?? {}, { cancellation_status });
    facturapi.script();
    return id;
  };

  it.each(['pending', 'verifying'])('that is %s is not asked for again', async (state) => {
    const id = await waiting(state);
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'valid', cancellation: 'pending' });
    expect(facturapi.calls.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['pending', 'verifying'])('that SAT answers as %s is pending, and the invoice valid', async (state) => {
    const id = await waiting('none');
    const answered = { id, status: 'valid', cancellation_status: state, total: 819.84 };
    facturapi.script(({ method }) => (method === 'DELETE' ? { status: 200, body: answered } : undefined));
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'valid', cancellation: 'pending' });
  });

  it.each(['rejected', 'expired'])('that was %s is found so, and can be asked for again', async (state) => {
    const reference = newReference();
    const { id } = await issue(reference);
    Object.assign(facturapi.invoices.find((one) => one.id === id) ?? {}, { cancellation_status: state });
    expect(await open().find(reference.key, soon())).toMatchObject({ status: 'valid', cancellation: state });
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'cancelled', cancellation: 'accepted' });
  });

  it.each(['invoice_not_cancelable', 'invoice_not_cancelable_by_sat', 'invoice_cancellation_not_allowed'])(
    'that SAT or Facturapi refuses for good (%s) is told apart from a rejection',
    async (code) => {
      const id = await waiting('none');
      facturapi.script(({ method }) => (method === 'DELETE' ? refusal(400, code) : undefined));
      expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({
        status: 'valid',
        cancellation: 'not_cancelable',
      });
    },
  );

  it('with a document that cannot substitute is unavailable, and logged', async () => {
    const id = await waiting('none');
    const unknown = { motive: '01', substitution: '39C85A3F-275B-4341-B259-E8971D9F8A94' } as const;
    expect(await failure(open().cancel(id, unknown, soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(errors).toEqual([expect.stringContaining('substitution_invoice_not_found')]);
  });

  it('has a receipt only in XML', async () => {
    const { id } = await issue();
    await open().cancel(id, NO_SALE, soon());
    facturapi.script(({ path }) => (path.endsWith('/xml') ? { status: 200, body: '<html>Mantenimiento' } : undefined));
    expect(await failure(open().receipt(id, soon()))).toBeInstanceOf(ProviderUnavailable);
  });

  it.each<[string, Fate]>([
    ['SAT is down', refusal(500, 'invoice_cancellation_service_unavailable')],
    ['the reply is lost', 'lose reply'],
  ])('is unavailable when %s, and succeeds when repeated', async (_, fate) => {
    const id = await waiting('none');
    facturapi.script(({ method }) => (method === 'DELETE' ? fate : undefined));
    expect(await failure(open().cancel(id, NO_SALE, soon()))).toBeInstanceOf(ProviderUnavailable);
    facturapi.script();
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'cancelled', cancellation: 'accepted' });
  });
});

describe('among several invoices of one reference', () => {
  it('the valid one is found', async () => {
    const reference = newReference();
    const issued = await issue(reference);
    const stored = facturapi.invoices.find(({ id }) => id === issued.id);
    const other = { ...stored, id: 'b'.repeat(24), status: 'failed' };
    facturapi.script(() => ({ status: 200, body: { data: [other, stored] } }));
    expect(await open().find(reference.key, soon())).toMatchObject({ id: issued.id });
  });

  it('those of another reference do not count', async () => {
    const issued = await issue();
    const stored = facturapi.invoices.find(({ id }) => id === issued.id);
    facturapi.script(() => ({ status: 200, body: { data: [stored] } }));
    expect(await open().find(newReference().key, soon())).toBeUndefined();
  });
});

describe('the configured provider', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
  });
  afterEach(() => vi.unstubAllEnvs());
  const useFacturapi = (settings: Readonly<Record<string, string>>) => {
    vi.stubEnv('INVOICING_PROVIDER', 'facturapi');
    vi.stubEnv('FACTURAPI_URL', facturapi.url);
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  };

  it('is the sandbox in the local server', async () => {
    const reference = newReference();
    const issued = await configuredProvider().issue(sampleInvoice(), reference, soon());
    expect(await configuredProvider().find(reference.key, soon())).toEqual(issued);
    expect(facturapi.calls).toEqual([]);
  });

  it('is Facturapi when configured, with its key and its address, which may be a test key in a demonstration', async () => {
    useFacturapi({ FACTURAPI_KEY: facturapi.key, PURPOSE: 'demonstration' });
    const provider = configuredProvider();
    const reference = newReference();
    const issued = await provider.issue(sampleInvoice(), reference, soon());
    expect(issued).toMatchObject({ isLive: false });
    expect(await provider.find(reference.key, soon())).toEqual(issued);
    expect(facturapi.calls.length).toBeGreaterThan(0);
  });

  describe('in production', () => {
    const inProduction = (settings: Readonly<Record<string, string>>) => {
      useFacturapi({ PURPOSE: 'production', ...settings });
      return configuredProvider();
    };

    it('issues with a live key', async () => {
      const provider = inProduction({ FACTURAPI_KEY: facturapi.liveKey });
      const reference = newReference();
      const issued = await provider.issue(sampleInvoice(), reference, soon());
      expect(issued).toMatchObject({ status: 'valid', isLive: true });
      expect(await provider.find(reference.key, soon())).toEqual(issued);
      expect((await provider.files(issued.id, soon())).pdf.length).toBeGreaterThan(5);
      expect(await provider.cancel(issued.id, NO_SALE, soon())).toMatchObject({ status: 'cancelled' });
      expect(await provider.receipt(issued.id, soon())).toBeDefined();
    });

    it('asks Facturapi nothing with a test key, and says why', async () => {
      const provider = inProduction({ FACTURAPI_KEY: facturapi.key });
      expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(
        ProviderUnavailable,
      );
      expect(await failure(provider.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
      expect(facturapi.calls).toEqual([]);
      expect(errors).toEqual([expect.stringContaining('test key'), expect.stringContaining('test key')]);
      expect(errors.join()).not.toContain(facturapi.key);
    });

    it('takes a document without fiscal validity for one that was never issued', async () => {
      const provider = inProduction({ FACTURAPI_KEY: facturapi.liveKey });
      const answered = { id: 'a'.repeat(24), status: 'valid', total: 819.84, external_id: 'key', livemode: false };
      facturapi.script(({ method }) => ({ status: 200, body: method === 'POST' ? answered : { data: [answered] } }));
      expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(
        ProviderUnavailable,
      );
      expect(await provider.find('key', soon())).toBeUndefined();
      expect(errors).toEqual([expect.stringContaining('fiscal validity'), expect.stringContaining('fiscal validity')]);
    });

    it('is never the sandbox', async () => {
      const provider = inProduction({ INVOICING_PROVIDER: 'sandbox' });
      const reference = newReference();
      expect(await failure(provider.issue(sampleInvoice(), reference, soon()))).toBeInstanceOf(ProviderUnavailable);
      vi.stubEnv('PURPOSE', 'demonstration');
      expect(await configuredProvider().find(reference.key, soon())).toBeUndefined();
    });
  });

  it('reads its key from a secret, once for many calls', async () => {
    let asked = 0;
    const secrets = await loopback((_, response) => {
      asked += 1;
      response.end(JSON.stringify({ SecretString: `${facturapi.key}\n` }));
    });
    onTestFinished(secrets.close);
    useFacturapi({ FACTURAPI_SECRET_ID: 'facturapi', AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url });
    const provider = configuredProvider();
    await provider.issue(sampleInvoice(), newReference(), soon());
    await provider.find('key', soon());
    expect(asked).toBe(1);
  });

  it.each([
    ['no key', { INVOICING_PROVIDER: 'facturapi' }],
    ['no such provider', { INVOICING_PROVIDER: 'paper' }],
    ['no issuer', { ISSUER_RFC: '' }],
    ['no purpose', { PURPOSE: '' }],
  ])('with %s is unavailable, but can be opened', async (_, settings) => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const provider = configuredProvider();
    expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(provider.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
  });
});

describe('the bundle of the provider', () => {
  // Node loads the SDK as CommonJS, a bundle as an ES module, and its default export differs.
  it('issues in bare Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'facturapi-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [bundle] = await makeBundles(['shared/invoices/facturapi/facturapi.ts'], folder);
    const program = `
      const { FacturapiInvoicing } = await import(process.argv[1]);
      const [, , url, key, invoice, reference] = process.argv;
      const provider = new FacturapiInvoicing({ key: async () => key, url });
      const signal = AbortSignal.timeout(5000);
      const issued = await provider.issue(JSON.parse(invoice), JSON.parse(reference), signal);
      const { pdf } = await provider.files(issued.id, signal);
      const refused = await provider.issue({ ...JSON.parse(invoice), receiver: { zipcode: '00000' } }, { key: 'x', folio: '' }, signal).catch((error) => error.name);
      console.log(JSON.stringify([issued.status, pdf.length > 5, refused]));`;
    const args = [
      bundle?.file ?? '',
      facturapi.url,
      facturapi.key,
      JSON.stringify(sampleInvoice()),
      '{"key":"bundled","folio":"RX-1"}',
    ];
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, ...args]);
    expect(JSON.parse(stdout)).toEqual(['valid', true, 'DataRefused']);
  });
});
