import * as z from 'zod';
import { lazily } from '../runtime/async.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { now } from '../runtime/clock.ts';
import { paymentsConfig, stripeConfig } from '../runtime/config.ts';
import { logError } from '../runtime/log.ts';
import type { Table } from '../store/table.ts';
import { type PaymentProvider, PaymentsUnavailable } from './provider.ts';

/** True if there is a provider, so that payment methods with a `collection` are offered. */
export const canCollect = (): boolean => paymentsConfig().PAYMENTS_PROVIDER !== 'none';

/** Returns the configured provider, loaded at its first call; one that cannot be opened counts as unavailable. */
export const configuredPayments = (table: () => Table): PaymentProvider =>
  lazily(
    () => openPaymentProvider(table),
    (cause) => new PaymentsUnavailable(cause),
  );

type OpenSandbox = (table: Table) => Promise<PaymentProvider>;
let openSandbox: OpenSandbox | undefined;

/** Offers the local server's sandbox, which no deployed function has. */
export const offerSandbox = (open: OpenSandbox): void => {
  openSandbox = open;
};

async function openPaymentProvider(table: () => Table): Promise<PaymentProvider> {
  const { PAYMENTS_PROVIDER } = paymentsConfig();
  if (PAYMENTS_PROVIDER === 'stripe') return openStripePayments();
  if (PAYMENTS_PROVIDER === 'sandbox' && openSandbox) return openSandbox(table());
  throw new Error('configuration: no payment provider');
}

const stripeSecrets = z.object({
  key: z.string().min(1),
  /** Set after the key: an endpoint is registered for an existing stage. */
  webhookSecret: z.string().min(1).optional(),
});
/** `{"key":"sk_…","webhookSecret":"whsec_…"}` */
export type StripeSecrets = z.infer<typeof stripeSecrets>;

export const parseStripeSecrets = (text: string): StripeSecrets => stripeSecrets.parse(JSON.parse(text));

async function openStripePayments(): Promise<PaymentProvider> {
  const { StripePayments } = await import('./stripe/stripe.ts');
  const readSecrets = configuredSecrets();
  const isProduction = paymentsConfig().PURPOSE === 'production';
  return new StripePayments({
    key: async () => expectMode((await readSecrets()).key, isProduction),
    callSecret: async () => (await readSecrets()).webhookSecret,
    url: stripeConfig().STRIPE_URL,
    now,
  });
}

function configuredSecrets(): () => Promise<StripeSecrets> {
  const { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_ID } = stripeConfig();
  if (STRIPE_KEY !== undefined) return async () => ({ key: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET });
  if (STRIPE_SECRET_ID === undefined) throw new Error('configuration: STRIPE_KEY or STRIPE_SECRET_ID is needed');
  return cachedSecret(STRIPE_SECRET_ID, parseStripeSecrets, now);
}

// Secret and restricted keys (https://docs.stripe.com/keys).
const LIVE_KEY = /^[sr]k_live_/;
const TEST_KEY = /^[sr]k_test_/;

/** True for a live key in production and a test key elsewhere. */
export const isKeyOfMode = (key: string, isProduction: boolean): boolean =>
  (isProduction ? LIVE_KEY : TEST_KEY).test(key);

function expectMode(key: string, isProduction: boolean): string {
  if (isKeyOfMode(key, isProduction)) return key;
  const error = new Error('a key of the other mode');
  logError(
    `nothing can be collected: ${isProduction ? 'production needs a live' : 'a demonstration needs a test'} key of Stripe`,
    error,
    {},
  );
  throw error;
}
