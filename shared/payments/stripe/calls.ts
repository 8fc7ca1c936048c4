import Stripe from 'stripe';
import { CallNotSigned, type PaymentSign, PaymentsUnavailable, type ProviderCall } from '../provider.ts';
import type { Collection } from '../rules/payment.ts';
import { checkAnswer } from './answer.ts';
import { openStripe, STRIPE_VERSION } from './client.ts';

/** The events that an endpoint must be registered for. */
export const STRIPE_EVENTS = [
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.partially_funded',
  'checkout.session.completed',
  'checkout.session.expired',
  'cash_balance.funds_available',
  'customer_cash_balance_transaction.created',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const satisfies readonly Stripe.Event['type'][];

const TOLERANCE_SECONDS = 300;

type Verification = { readonly secret: string | undefined; readonly now: Date };

/** Returns the event of a call whose signature is valid and at most 5 minutes old. Throws CallNotSigned. */
export async function verifyCall(
  { body, signature }: ProviderCall,
  { secret, now }: Verification,
): Promise<Stripe.Event> {
  const receivedAt = now.getTime();
  try {
    // The package accepts a stamp from the future, which would keep a call valid for longer.
    if (!secret || !signature || isAhead(signature, receivedAt)) throw new Error('no signature of now');
    return await Stripe.webhooks.constructEventAsync(body, signature, secret, TOLERANCE_SECONDS, undefined, receivedAt);
  } catch (cause) {
    throw new CallNotSigned(cause);
  }
}

const isAhead = (signature: string, receivedAt: number): boolean =>
  [...signature.matchAll(/(?:^|,)t=(\d+)/g)].some(
    ([, seconds]) => Number(seconds) > receivedAt / 1000 + TOLERANCE_SECONDS,
  );

/** Returns the subject of an event, reading referenced objects; undefined if it is no order. */
export async function readSign(stripe: Stripe, event: Stripe.Event): Promise<PaymentSign | undefined> {
  if (!isHandled(event)) return undefined;
  const { object } = event.data;
  switch (object.object) {
    case 'payment_intent':
    case 'checkout.session':
      return toSign(object.metadata, 'payment');
    case 'cash_balance':
    case 'customer_cash_balance_transaction':
      return toSign(await readCustomerOrder(stripe, object.customer), 'payment');
    case 'refund':
      return toSign(object.metadata, 'refund');
    case 'dispute':
      return toSign(await readIntentMetadata(stripe, object.payment_intent), 'dispute');
  }
}

type Handled = Extract<Stripe.Event, { readonly type: (typeof STRIPE_EVENTS)[number] }>;
const isHandled = (event: Stripe.Event): event is Handled => STRIPE_EVENTS.some((type) => type === event.type);

const WHOLE = /^[1-9]\d{0,14}$/;

function toSign(metadata: Stripe.Metadata | null, about: PaymentSign['about']): PaymentSign | undefined {
  const { order = '', attempt = '' } = metadata ?? {};
  if (!WHOLE.test(order)) return undefined;
  return { orderId: Number(order), attempt: WHOLE.test(attempt) ? Number(attempt) : null, about };
}

/** A customer's money belongs to the order, not to one of its attempts. */
async function readCustomerOrder(stripe: Stripe, customer: string | Stripe.Customer): Promise<Stripe.Metadata> {
  const object = await stripe.customers.retrieve(typeof customer === 'string' ? customer : customer.id);
  const { order } = object.deleted ? {} : (checkAnswer('customer', object).metadata ?? {});
  return order === undefined ? {} : { order };
}

async function readIntentMetadata(
  stripe: Stripe,
  intent: string | Stripe.PaymentIntent | null,
): Promise<Stripe.Metadata> {
  if (intent === null) return {};
  const object = await stripe.paymentIntents.retrieve(typeof intent === 'string' ? intent : intent.id);
  return checkAnswer('payment_intent', object).metadata;
}

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
