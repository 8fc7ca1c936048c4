import Stripe from 'stripe';

export const STRIPE_VERSION = '2026-10-28.endive';

export type StripeAccess = {
  /** Read for every call, so that a new key takes effect at once. */
  readonly key: () => Promise<string>;
  /** `https://api.stripe.com` */
  readonly url: string;
};

/** Opens Stripe for one call of the port. The package retries nothing: its pauses do not fit into a request. */
export function openStripe(key: string, url: string, signal: AbortSignal): Stripe {
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return new Stripe(key, {
    apiVersion: STRIPE_VERSION,
    httpClient: Stripe.createFetchHttpClient(fetchUntil(signal)),
    host: hostname,
    port: port || (isPlain ? '80' : '443'),
    protocol: isPlain ? 'http' : 'https',
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

// The package's own signal only knows its timeout of 80 s. A connection opened before the function was frozen may be dead, and
// a call on it has an unknown outcome.
const fetchUntil =
  (signal: AbortSignal): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), Connection: 'close' },
      signal,
    });
