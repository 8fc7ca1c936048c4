import { logError } from '../runtime/log.ts';
import { type InvoicingProvider, type ProvidedDocument, ProviderUnavailable } from './provider.ts';

// Facturapi's test keys, whose documents never reach SAT (its guide of authentication, "Llaves secretas").
const TEST_KEY = /^sk_test_/;

/** Returns the key for production, read anew for each call. Throws for a test key, before anything is asked with it. */
export const refuseTestKeys = (readKey: () => Promise<string>) => async (): Promise<string> => {
  const key = await readKey();
  if (!TEST_KEY.test(key)) return key;
  const error = new Error('a test key in production');
  logError('no invoice can be issued: production has a test key of Facturapi', error, {});
  throw error;
};

/**
 * Returns the provider for production, where a document without fiscal validity counts as one that was never issued. The
 * next attempt has another key, so that it succeeds once the account is mended.
 */
export const acceptOnlyLive = (provider: InvoicingProvider): InvoicingProvider => ({
  async issue(document, reference, signal) {
    const issued = await provider.issue(document, reference, signal);
    if (!isLive(issued)) throw new ProviderUnavailable(new Error('without fiscal validity'));
    return issued;
  },
  async find(key, signal) {
    const found = await provider.find(key, signal);
    return found && isLive(found) ? found : undefined;
  },
  files: (id, signal) => provider.files(id, signal),
  receipt: (id, signal) => provider.receipt(id, signal),
  cancel: (id, cancellation, signal) => provider.cancel(id, cancellation, signal),
});

function isLive({ id, isLive: isValid }: ProvidedDocument): boolean {
  if (!isValid) logError('a document has no fiscal validity in production', new Error('not live'), { id });
  return isValid;
}
