import type Stripe from 'stripe';
import { logError } from '../../runtime/log.ts';
import type { RequestedPayment } from '../provider.ts';
import type { Collection, ProvidedReference } from '../rules/payment.ts';

/** The answer does not have Stripe's format: a proxy's JSON, for example. */
export class UnexpectedAnswer extends Error {
  constructor(expected: string) {
    super(`not a ${expected} of Stripe`);
    this.name = 'UnexpectedAnswer';
  }
}

type Answer<Kind extends string> = { readonly object: Kind; readonly lastResponse?: { readonly statusCode: number } };

/** The package accepts any JSON without `error`, whatever its HTTP status. Throws UnexpectedAnswer. */
export function checkAnswer<Kind extends string, Checked extends Answer<Kind>>(kind: Kind, answer: Checked): Checked {
  const { object, lastResponse } = answer;
  if (object !== kind || (lastResponse?.statusCode ?? 200) >= 300) throw new UnexpectedAnswer(kind);
  return answer;
}

const MAX_REFERENCE = 50;
const MAX_URL = 200;
const PROVIDER = 'Stripe';

/** Limits a reference to the bounds of the API. Throws if the reference itself is longer. */
function boundReference(reference: ProvidedReference): ProvidedReference {
  const { method, institution, externalUrl } = reference;
  if (reference.reference.length > MAX_REFERENCE) throw new UnexpectedAnswer(`reference of ${method}`);
  const isLong = externalUrl.length > MAX_URL;
  if (isLong)
    logError('the address of a payment is longer than a reference may show', new Error('too long'), { method });
  return { ...reference, institution: institution.slice(0, MAX_REFERENCE), externalUrl: isLong ? '' : externalUrl };
}

export const customerOf = ({ customer }: Stripe.PaymentIntent): string | null =>
  typeof customer === 'string' ? customer : (customer?.id ?? null);

export function collectionOf({ payment_method_types }: Stripe.PaymentIntent): Collection | undefined {
  if (payment_method_types.includes('oxxo')) return 'oxxo';
  return payment_method_types.includes('customer_balance') ? 'spei' : 'card';
}

const fromUnix = (seconds: number): string => new Date(seconds * 1000).toISOString();

export function readVoucher(intent: Stripe.PaymentIntent, expiresAt: string): RequestedPayment {
  const { number, hosted_voucher_url, expires_after } = intent.next_action?.oxxo_display_details ?? {};
  return {
    id: intent.id,
    customer: customerOf(intent),
    reference: boundReference({
      method: 'oxxo',
      // Without a number it was paid or ended before it was read.
      reference: number ?? intent.id,
      institution: 'OXXO',
      externalUrl: hosted_voucher_url ?? '',
    }),
    expiresAt: expires_after ? fromUnix(expires_after) : expiresAt,
  };
}

/** Without instructions (the customer's money covered it, or it has ended) the reference is the intent's id. */
export function readTransfer(intent: Stripe.PaymentIntent, expiresAt: string): RequestedPayment {
  const { financial_addresses, hosted_instructions_url } = intent.next_action?.display_bank_transfer_instructions ?? {};
  const spei = financial_addresses?.find((address) => address.spei)?.spei;
  if (intent.status === 'requires_action' && !spei) throw new UnexpectedAnswer('CLABE');
  return {
    id: intent.id,
    customer: customerOf(intent),
    reference: boundReference({
      method: 'spei',
      reference: spei?.clabe ?? intent.id,
      institution: spei?.bank_name ?? PROVIDER,
      externalUrl: hosted_instructions_url ?? '',
    }),
    expiresAt,
  };
}

/** A card's page must fit, as its address is all that the patient gets. */
export function readLink({ id, url }: Stripe.PaymentLink, expiresAt: string): RequestedPayment {
  if (url.length > MAX_URL) throw new UnexpectedAnswer('short address');
  const reference = boundReference({ method: 'card', reference: id, institution: PROVIDER, externalUrl: url });
  return { id, customer: null, reference, expiresAt };
}
