import { PaymentsUnavailable } from '../provider.ts';
import type { Collection } from '../rules/payment.ts';
import { checkAnswer } from './answer.ts';
import { STRIPE_EVENTS } from './calls.ts';
import { openStripe, STRIPE_VERSION } from './client.ts';

export type StripeInspection = {
  readonly collections: readonly Collection[];
  /** A `disabled` endpoint gets no calls, and one of `other_version` calls in another format. */
  readonly endpoint: 'registered' | 'missing' | 'disabled' | 'other_version';
  readonly missingEvents: readonly string[];
};

const CAPABILITIES = { card: 'card_payments', oxxo: 'oxxo_payments', spei: 'mx_bank_transfer_payments' } as const;

/** Inspects a key's account and the endpoint that calls this address. Throws PaymentsUnavailable, caused by Stripe's error. */
export async function inspectStripe(
  { key, url, callUrl }: { readonly key: string; readonly url: string; readonly callUrl: string },
  signal: AbortSignal,
): Promise<StripeInspection> {
  try {
    const stripe = openStripe(key, url, signal);
    const { capabilities } = checkAnswer('account', await stripe.accounts.retrieveCurrent());
    const endpoints = checkAnswer('list', await stripe.webhookEndpoints.list({ limit: 100 })).data;
    const endpoint = endpoints.find(({ url: endpointUrl }) => endpointUrl === callUrl);
    const events = endpoint?.enabled_events ?? [];
    const isActive = (collection: Collection) => capabilities?.[CAPABILITIES[collection]] === 'active';
    return {
      collections: (['card', 'oxxo', 'spei'] as const).filter(isActive),
      endpoint: endpoint ? readEndpoint(endpoint) : 'missing',
      missingEvents: events.includes('*') ? [] : STRIPE_EVENTS.filter((event) => !events.includes(event)),
    };
  } catch (cause) {
    throw new PaymentsUnavailable(cause);
  }
}

function readEndpoint({ status, api_version }: { readonly status: string; readonly api_version: string | null }) {
  if (status !== 'enabled') return 'disabled';
  return api_version === STRIPE_VERSION ? 'registered' : 'other_version';
}
