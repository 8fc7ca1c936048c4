import { afterAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { configuredProvider } from '../../../shared/invoices/configured.ts';
import { FacturapiInvoicing } from '../../../shared/invoices/facturapi/facturapi.ts';
import { OutcomeUnknown, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import { type Outcome, openFacturapi, refusal } from '../../support/engines/facturapi-server.ts';
import { scriptOnce, watchProvider } from '../../support/engines/watched-provider.ts';
import { loopback } from '../../support/http/loopback.ts';
import { newReference, providerSuite, sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { NO_SALE } from '../../support/invoices/tax-documents.ts';

const facturapi = await openFacturapi();
afterAll(() => facturapi.close());

const open = () => new FacturapiInvoicing({ key: async () => facturapi.key, url: facturapi.url });
const soon = () => AbortSignal.timeout(5_000);
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const issue = (reference = newReference(), signal = soon()) => open().issue(sampleInvoice(), reference, signal);

providerSuite('facturapi', {
  open,
  countOf: async (key) => facturapi.invoices.filter((invoice) => invoice.external_id === key).length,
});

const errors = watchProvider(facturapi, /MUÑOZ|sk_test/);

/** Scripts this outcome for the first call of a method. */
const forOnce = (method: string, outcome: Outcome) => scriptOnce(facturapi, (call) => call.method === method, outcome);

it('an invoice that is not stamped at once is pending, not cancelled, and found with its later status', async () => {
  const reference = newReference();
  forOnce('POST', 'stamp later');
  const issued = await issue(reference);
  expect(issued).toMatchObject({ status: 'pending', totalCents: 81_984 });
  expect(await open().cancel(issued.id, NO_SALE, soon())).toMatchObject({ status: 'pending', cancellation: 'none' });
  const stored = facturapi.invoices.find(({ id }) => id === issued.id);
  for (const status of ['valid', 'failed'] as const) {
    Object.assign(stored ?? {}, { status });
    expect(await open().find(reference.key, soon())).toEqual({ ...issued, status });
  }
});

describe('when Facturapi fails', () => {
  it.each<[string, Outcome]>([
    ['is behind a gateway that breaks', { status: 502, body: '<html>Bad gateway</html>' }],
    ['answers with too long an id', { status: 200, body: { id: 'x'.repeat(31), status: 'valid', total: 819.84 } }],
    ['drops the connection', 'drop'],
  ])('because it %s, the outcome of an issue call is unknown', async (_, outcome) => {
    forOnce('POST', outcome);
    expect(await failure(issue())).toBeInstanceOf(OutcomeUnknown);
  });

  it.each<Outcome>(['lose reply', 'break off'])(
    'because of %j after issuing, the invoice is found',
    async (outcome) => {
      const reference = newReference();
      forOnce('POST', outcome);
      expect(await issue(reference)).toMatchObject({ status: 'valid', totalCents: 81_984 });
      expect(facturapi.invoices.filter(({ external_id }) => external_id === reference.key)).toHaveLength(1);
    },
  );

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

  it('every other call ends at its deadline too, and a download that stalls, breaks off or is another file', async () => {
    const { id } = await issue();
    const late = () => AbortSignal.timeout(150);
    facturapi.script(() => 'hang');
    const calls = [open().find('key', late()), open().files(id, late()), open().cancel(id, NO_SALE, late())];
    for (const call of await Promise.all(calls.map(failure))) expect(call).toBeInstanceOf(ProviderUnavailable);
    const page = { status: 200, body: '<html>Mantenimiento' };
    const outcomes: ((path: string) => Outcome | undefined)[] = [
      () => 'stall',
      () => 'break off',
      (path) => (path.endsWith('/pdf') ? page : undefined),
      (path) => (path.endsWith('/xml') ? page : undefined),
    ];
    for (const outcome of outcomes) {
      facturapi.script(({ path }) => outcome(path));
      expect(await failure(open().files(id, late()))).toBeInstanceOf(ProviderUnavailable);
    }
  });

  it('and refuses connections, or there is no key, nothing was issued', async () => {
    const { url, close } = await loopback(() => undefined);
    await close();
    const nowhere = new FacturapiInvoicing({ key: async () => 'sk_test', url: `${url}/v2` });
    const keyless = new FacturapiInvoicing({ key: () => Promise.reject(new Error('no secret')), url: facturapi.url });
    for (const provider of [nowhere, keyless]) {
      expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(
        ProviderUnavailable,
      );
      expect(await failure(provider.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
    }
    expect(facturapi.calls).toEqual([]);
  });
});

describe('when the account is refused', () => {
  it('for an unknown key, it is unavailable, and an error is logged', async () => {
    facturapi.script(() => refusal(401, 'api_key_invalid'));
    expect(await failure(issue())).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(open().find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(errors).toHaveLength(2);
    for (const line of errors) expect(line).toContain('no invoice can be issued');
  });
});

describe('a cancellation', () => {
  const issueWaiting = async (cancellation_status: string, reference = newReference()) => {
    const { id } = await issue(reference);
    Object.assign(facturapi.invoices.find((one) => one.id === id) ?? {}, { cancellation_status });
    facturapi.script();
    return id;
  };
  const refuse = (outcome: Outcome) => facturapi.script(({ method }) => (method === 'DELETE' ? outcome : undefined));

  it('that is being verified is not asked for again', async () => {
    const id = await issueWaiting('verifying');
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'valid', cancellation: 'pending' });
    expect(facturapi.calls.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['rejected', 'expired'])('that was %s is found so, and can be asked for again', async (state) => {
    const reference = newReference();
    const id = await issueWaiting(state, reference);
    expect(await open().find(reference.key, soon())).toMatchObject({ status: 'valid', cancellation: state });
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'cancelled', cancellation: 'accepted' });
  });

  it('that SAT refuses for good differs from a rejection, and from one with a document that cannot substitute', async () => {
    const id = await issueWaiting('none');
    refuse(refusal(400, 'invoice_not_cancelable_by_sat'));
    expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'valid', cancellation: 'not_cancelable' });
    facturapi.script();
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

  it.each<Outcome>([refusal(500, 'invoice_cancellation_service_unavailable'), 'lose reply'])(
    'is unavailable because of %j, and succeeds when repeated',
    async (outcome) => {
      const id = await issueWaiting('none');
      refuse(outcome);
      expect(await failure(open().cancel(id, NO_SALE, soon()))).toBeInstanceOf(ProviderUnavailable);
      facturapi.script();
      expect(await open().cancel(id, NO_SALE, soon())).toMatchObject({ status: 'cancelled' });
    },
  );
});

it('among several invoices the valid one is found, and those of another reference do not count', async () => {
  const reference = newReference();
  const issued = await issue(reference);
  const stored = facturapi.invoices.find(({ id }) => id === issued.id);
  const other = { ...stored, id: 'b'.repeat(24), status: 'failed' };
  facturapi.script(() => ({ status: 200, body: { data: [other, stored] } }));
  expect(await open().find(reference.key, soon())).toMatchObject({ id: issued.id });
  expect(await open().find(newReference().key, soon())).toBeUndefined();
});

describe('the configured provider', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
  });
  const useFacturapi = (settings: Readonly<Record<string, string>>) => {
    vi.stubEnv('INVOICING_PROVIDER', 'facturapi');
    vi.stubEnv('FACTURAPI_URL', facturapi.url);
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  };

  /** Configures Facturapi in production. */
  const inProduction = (settings: Readonly<Record<string, string>>) => {
    useFacturapi({ PURPOSE: 'production', ...settings });
    return configuredProvider();
  };

  it.each([
    ['demonstration', 'key', false],
    ['production', 'liveKey', true],
  ] as const)('of a %s issues with its %s', async (PURPOSE, key, isLive) => {
    useFacturapi({ FACTURAPI_KEY: facturapi[key], PURPOSE });
    const provider = configuredProvider();
    const reference = newReference();
    const issued = await provider.issue(sampleInvoice(), reference, soon());
    expect(issued).toMatchObject({ status: 'valid', isLive });
    expect(await provider.find(reference.key, soon())).toEqual(issued);
    expect((await provider.files(issued.id, soon())).pdf.length).toBeGreaterThan(5);
    expect(await provider.cancel(issued.id, NO_SALE, soon())).toMatchObject({ status: 'cancelled' });
    expect(await provider.receipt(issued.id, soon())).toBeDefined();
  });

  it('asks Facturapi nothing in production with a test key, and says why', async () => {
    const provider = inProduction({ FACTURAPI_KEY: facturapi.key });
    expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(provider.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(facturapi.calls).toEqual([]);
    expect(errors).toHaveLength(2);
    expect(errors.join()).not.toContain(facturapi.key);
  });

  it('takes a document without fiscal validity in production for one that was never issued', async () => {
    const provider = inProduction({ FACTURAPI_KEY: facturapi.liveKey });
    const answered = { id: 'a'.repeat(24), status: 'valid', total: 819.84, external_id: 'key', livemode: false };
    facturapi.script(({ method }) => ({ status: 200, body: method === 'POST' ? answered : { data: [answered] } }));
    expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(await provider.find('key', soon())).toBeUndefined();
    expect(errors).toHaveLength(2);
  });

  it.each([
    ['no key', { INVOICING_PROVIDER: 'facturapi' }],
    ['no such provider', { INVOICING_PROVIDER: 'paper' }],
    ['no purpose', { PURPOSE: '' }],
    ['the sandbox in production', { INVOICING_PROVIDER: 'sandbox', PURPOSE: 'production' }],
  ])('with %s is unavailable, but can be opened', async (_, settings) => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const provider = configuredProvider();
    expect(await failure(provider.issue(sampleInvoice(), newReference(), soon()))).toBeInstanceOf(ProviderUnavailable);
    expect(await failure(provider.find('key', soon()))).toBeInstanceOf(ProviderUnavailable);
  });
});
