import { once } from '../runtime/async.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { now } from '../runtime/clock.ts';
import {
  awsConfig,
  businessConfig,
  documentsConfig,
  facturapiConfig,
  invoicingConfig,
  issuerConfig,
} from '../runtime/config.ts';
import { acceptOnlyLive, refuseTestKeys } from './live-only.ts';
import { type InvoicingProvider, ProviderUnavailable } from './provider.ts';

/**
 * Returns the provider of the configuration, loaded at its first call. A request without an invoice does not wait for it,
 * and a provider that cannot be opened counts as unavailable.
 */
export function configuredProvider(): InvoicingProvider {
  const provider = once(openProvider);
  const opened = async (): Promise<InvoicingProvider> => {
    try {
      return await provider();
    } catch (cause) {
      throw new ProviderUnavailable(cause);
    }
  };
  return {
    issue: async (document, reference, signal) => (await opened()).issue(document, reference, signal),
    find: async (key, signal) => (await opened()).find(key, signal),
    files: async (id, signal) => (await opened()).files(id, signal),
    receipt: async (id, signal) => (await opened()).receipt(id, signal),
    cancel: async (id, cancellation, signal) => (await opened()).cancel(id, cancellation, signal),
  };
}

async function openProvider(): Promise<InvoicingProvider> {
  const { INVOICING_PROVIDER, PURPOSE } = invoicingConfig();
  if (PURPOSE === 'demonstration') return INVOICING_PROVIDER === 'facturapi' ? openFacturapi() : openSandbox();
  if (INVOICING_PROVIDER === 'sandbox')
    throw new Error('configuration: production has a provider with fiscal validity');
  return acceptOnlyLive(await openFacturapi(refuseTestKeys(configuredKey())));
}

async function openFacturapi(key = configuredKey()): Promise<InvoicingProvider> {
  const { FACTURAPI_URL: url } = facturapiConfig();
  const { FacturapiInvoicing } = await import('./facturapi/facturapi.ts');
  return new FacturapiInvoicing({ key, url });
}

function configuredKey(): () => Promise<string> {
  const { FACTURAPI_KEY, FACTURAPI_SECRET_ID } = facturapiConfig();
  if (FACTURAPI_KEY !== undefined) return async () => FACTURAPI_KEY;
  if (FACTURAPI_SECRET_ID === undefined)
    throw new Error('configuration: FACTURAPI_KEY or FACTURAPI_SECRET_ID is needed');
  return cachedSecret(FACTURAPI_SECRET_ID, (text) => text.trim(), now);
}

async function openSandbox(): Promise<InvoicingProvider> {
  const { ISSUER_LEGAL_NAME, ISSUER_RFC, ISSUER_REGIME, ISSUER_ZIPCODE } = issuerConfig();
  const { SandboxProvider } = await import('./sandbox/sandbox.ts');
  return new SandboxProvider({
    bucket: documentsConfig().DOCUMENTS_BUCKET,
    forcePathStyle: awsConfig().S3_PATH_STYLE,
    issuer: {
      legalName: ISSUER_LEGAL_NAME,
      rfc: ISSUER_RFC,
      fiscalRegime: ISSUER_REGIME,
      zipcode: ISSUER_ZIPCODE,
    },
    timeZone: businessConfig().BUSINESS_TIME_ZONE,
    now,
  });
}
