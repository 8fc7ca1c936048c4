import { fiscalText } from '../domain/text.ts';
import { lazily } from '../runtime/async.ts';
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
import { logError } from '../runtime/log.ts';
import { type InvoicingProvider, type ProvidedDocument, ProviderUnavailable } from './provider.ts';

/** Returns the configured provider, loaded at its first call; one that cannot be opened counts as unavailable. */
export const configuredProvider = (): InvoicingProvider =>
  lazily(openProvider, (cause) => new ProviderUnavailable(cause));

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
      legalName: fiscalText(ISSUER_LEGAL_NAME, 300),
      rfc: ISSUER_RFC,
      fiscalRegime: ISSUER_REGIME,
      zipcode: ISSUER_ZIPCODE,
    },
    timeZone: businessConfig().BUSINESS_TIME_ZONE,
    now,
  });
}

// Facturapi's test keys, whose documents never reach SAT (its guide of authentication, "Llaves secretas").
const TEST_KEY = /^sk_test_/;

/** Throws for a test key before any call is made with it. */
const refuseTestKeys = (readKey: () => Promise<string>) => async (): Promise<string> => {
  const key = await readKey();
  if (!TEST_KEY.test(key)) return key;
  const error = new Error('a test key in production');
  logError('no invoice can be issued: production has a test key of Facturapi', error, {});
  throw error;
};

/** A document without fiscal validity counts as not issued; the retry has a new key, so it succeeds once the account is fixed. */
const acceptOnlyLive = (provider: InvoicingProvider): InvoicingProvider => ({
  async issue(document, reference, signal) {
    const issued = await provider.issue(document, reference, signal);
    if (!isLive(issued)) throw new ProviderUnavailable(new Error('without fiscal validity'));
    return issued;
  },
  async find(key, signal) {
    const match = await provider.find(key, signal);
    return match && isLive(match) ? match : undefined;
  },
  files: (id, signal) => provider.files(id, signal),
  receipt: (id, signal) => provider.receipt(id, signal),
  cancel: (id, cancellation, signal) => provider.cancel(id, cancellation, signal),
});

function isLive({ id, isLive: isValid }: ProvidedDocument): boolean {
  if (!isValid) logError('a document has no fiscal validity in production', new Error('not live'), { id });
  return isValid;
}
