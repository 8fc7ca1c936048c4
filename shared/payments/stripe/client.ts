import Stripe from 'stripe';
import { logError, neverConnected } from '../../runtime/log.ts';
import { PaymentOutcomeUnknown, PaymentRefused, PaymentsUnavailable } from '../provider.ts';

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

type Failure = PaymentRefused | PaymentsUnavailable | PaymentOutcomeUnknown;

// Refusals of the payer's data or of the amount; all others are errors of ours or of the account.
const OF_THE_PAYER = /^(amount_too_|email_invalid|parameter_invalid_empty|charge_already_refunded|charge_disputed)/;
const PAYER_PARAMETERS = /^(email|name|payment_method_data)/;

// `lock_timeout`: another request holds the object. A payment method's limit applies to the whole account.
const LATER_CODES = ['lock_timeout', 'rate_limit', 'payment_method_rate_limit_exceeded'];
const ACCOUNT_STATUS = [401, 403];

/** Classifies the error of a call that may have done something. */
export function writingFailure(error: unknown): Failure {
  if (error instanceof PaymentRefused || error instanceof PaymentsUnavailable) return error;
  if (!(error instanceof Stripe.errors.StripeError)) return new PaymentOutcomeUnknown(error);
  const { statusCode = 0, rawType, code = '' } = error;
  if (error instanceof Stripe.errors.StripeConnectionError) return connectionFailure(error);
  if (ACCOUNT_STATUS.includes(statusCode)) return refusedKey(error);
  // The same key with other parameters: the first call's effect stands.
  if (rawType === 'idempotency_error' && statusCode === 400) return changedParameters(error);
  if (statusCode === 429 || LATER_CODES.includes(code)) return postponement(error);
  if (statusCode >= 400 && statusCode < 500 && ![409, 424].includes(statusCode)) return refusal(error);
  return new PaymentOutcomeUnknown(error, { isStored: isReplayed(error) });
}

/** Classifies the error of a call that only reads or can be repeated safely. */
export function readingFailure(error: unknown): PaymentsUnavailable {
  if (error instanceof PaymentsUnavailable) return error;
  if (error instanceof Stripe.errors.StripeError && ACCOUNT_STATUS.includes(error.statusCode ?? 0))
    return refusedKey(error);
  if (isMissing(error)) logError('Stripe does not know what is looked for', error, describeStripeError(error));
  return new PaymentsUnavailable(error);
}

/** True if the object belongs to another account or mode. */
const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

export const isRefusedByState = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400;

const connectionFailure = (error: Stripe.errors.StripeConnectionError): Failure =>
  neverConnected(error.detail) ? new PaymentsUnavailable(error) : new PaymentOutcomeUnknown(error);

// Stripe stores the answer of a call that it ran, even a refusal, and repeats it for every call with its key.
const isReplayed = ({ headers }: Stripe.errors.StripeError): boolean => headers?.['idempotent-replayed'] === 'true';

const postponement = (error: Stripe.errors.StripeError): Failure =>
  isReplayed(error) ? new PaymentOutcomeUnknown(error, { isStored: true }) : new PaymentsUnavailable(error);

function refusedKey(error: Stripe.errors.StripeError): PaymentsUnavailable {
  logError('nothing can be collected: Stripe refuses the key', error, describeStripeError(error));
  return new PaymentsUnavailable(error);
}

function changedParameters(error: Stripe.errors.StripeError): PaymentOutcomeUnknown {
  logError('a payment was asked for with other parameters than before', error, describeStripeError(error));
  return new PaymentOutcomeUnknown(error, { isStored: true });
}

function refusal(error: Stripe.errors.StripeError): PaymentRefused {
  const { code = '', decline_code, param = '', rawType } = error;
  const isOurs = rawType !== 'card_error' && !OF_THE_PAYER.test(code) && !PAYER_PARAMETERS.test(param);
  if (isOurs) logError('Stripe refuses what the payer cannot change', error, describeStripeError(error));
  return new PaymentRefused(toReason(decline_code ?? code), error);
}

const MAX_REASON = 50;

export const toReason = (code: string | null | undefined): string => (code || 'refused').slice(0, MAX_REASON);

/** Includes Stripe's request id for its support, never the message, which quotes the payer. */
const describeStripeError = ({ statusCode, code, param, requestId }: Stripe.errors.StripeError) => ({
  status: statusCode,
  refusal: code,
  param,
  requestId,
});
