import { FacturapiError } from 'facturapi';
import type { PlainCode } from '../../messages/messages.ts';
import { logError, neverConnected } from '../../runtime/log.ts';
import { DataRefused, OutcomeUnknown, ProviderUnavailable, type ReceiverError } from '../provider.ts';

type Field = ReceiverError['field'];

const MESSAGE: Readonly<Record<Field, PlainCode>> = {
  full_name: 'sat_name_differs',
  rfc: 'sat_rfc_unknown',
  zipcode: 'sat_zipcode_differs',
  fiscal_regime: 'sat_regime_not_allowed',
  cfdi_use: 'sat_use_not_allowed',
  email: 'not_an_email',
};

// Receiver fields by codes of Facturapi and of SAT's error matrix of CFDI 4.0.
const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  legal_name_mismatch: 'full_name',
  tax_address_zip_mismatch: 'zipcode',
  tax_id_not_found: 'rfc',
  tax_system_not_allowed_for_tax_id: 'fiscal_regime',
  tax_system_not_in_catalog: 'fiscal_regime',
  CFDI40143: 'rfc',
  CFDI40144: 'full_name',
  CFDI40145: 'full_name',
  // A receiver that calls itself the general public has the generic RFC, which no order's receiver has.
  CFDI40146: 'full_name',
  CFDI40147: 'zipcode',
  CFDI40148: 'zipcode',
  CFDI40149: 'zipcode',
  CFDI40157: 'fiscal_regime',
  CFDI40158: 'fiscal_regime',
  CFDI40160: 'cfdi_use',
  CFDI40161: 'cfdi_use',
};

// Receiver fields by their paths in the request, for malformed values.
const FIELD_OF_PATH: Readonly<Record<string, Field>> = {
  'customer.legal_name': 'full_name',
  'customer.tax_id': 'rfc',
  'customer.tax_system': 'fiscal_regime',
  'customer.address.zip': 'zipcode',
  use: 'cfdi_use',
};

// Errors of the account, which neither the receiver nor a retry can fix; others come with 401, 402 or 403.
const ACCOUNT_CODES = /^(api_key|certificate|live_api_key|manifesto|missing_credentials|organization|subscription)/;
const ACCOUNT_STATUS = [401, 402, 403];

// Answers that exclude a stamp.
const NOT_STAMPED = ['rate_limit_exceeded', 'invoice_stamping_failed', 'invoice_stamping_service_unavailable'];
// Answers while another request with the same key, or a task of Facturapi's, is still running.
const IN_PROGRESS = ['idempotency_key_in_use', 'stamping_in_progress', 'conflict'];

/** Classifies an error of `issue`. After an unlisted 5xx the outcome is unknown: the server may have failed after the stamp. */
export function issuingFailure(error: unknown): DataRefused | ProviderUnavailable | OutcomeUnknown {
  if (!(error instanceof FacturapiError)) {
    return neverConnected(error) ? new ProviderUnavailable(error) : new OutcomeUnknown(error);
  }
  const { status, code = '' } = error;
  if (isAccountError(error)) return accountFailure(error);
  if (status === 429 || NOT_STAMPED.includes(code)) return toUnavailable(error);
  if (status >= 500 || IN_PROGRESS.includes(code)) return new OutcomeUnknown(error);
  return toDataRefused(error);
}

export function unavailability(error: unknown): ProviderUnavailable {
  if (!(error instanceof FacturapiError)) return new ProviderUnavailable(error);
  return isAccountError(error) ? accountFailure(error) : toUnavailable(error);
}

// An answer must not delay a document for days.
const LONGEST_WAIT_SECONDS = 3_600;

/** Facturapi's 429 states the pause in seconds (OpenAPI v2, `Retry-After`). */
function toUnavailable(error: FacturapiError): ProviderUnavailable {
  const seconds = Number(error.headers['retry-after']);
  return new ProviderUnavailable(
    error,
    seconds > 0 ? { retryAfterSeconds: Math.min(Math.ceil(seconds), LONGEST_WAIT_SECONDS) } : {},
  );
}

// InvoiceCancellationErrorCode of Facturapi's guide of errors.
const NOT_CANCELABLE = ['invoice_not_cancelable', 'invoice_not_cancelable_by_sat', 'invoice_cancellation_not_allowed'];
const NO_RECEIPT = ['invoice_cancellation_receipt_unavailable', 'invoice_cancellation_not_found'];

const hasErrorCode = (error: unknown, codes: readonly string[]): error is FacturapiError =>
  error instanceof FacturapiError && codes.includes(error.code ?? '');

export const isNotCancelable = (error: unknown): boolean => hasErrorCode(error, NOT_CANCELABLE);

/** True if there is no cancellation receipt, or not yet. */
export const isReceiptMissing = (error: unknown): boolean => hasErrorCode(error, NO_RECEIPT);

/** Logs a refused substitution, since waiting does not fix it. */
export function cancellingFailure(error: unknown): ProviderUnavailable {
  if (error instanceof FacturapiError && error.code?.startsWith('substitution_'))
    logError('Facturapi refuses the substitution of a document', error, toLogFields(error));
  return unavailability(error);
}

const isAccountError = ({ status, code = '' }: FacturapiError): boolean =>
  ACCOUNT_STATUS.includes(status) || ACCOUNT_CODES.test(code);

function accountFailure(error: FacturapiError): ProviderUnavailable {
  logError('no invoice can be issued: Facturapi refuses the account', error, toLogFields(error));
  return new ProviderUnavailable(error);
}

// A code such as `constructor` is no key of ours.
const findField = (fields: Readonly<Record<string, Field>>, key: string): Field | undefined =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

function toDataRefused(error: FacturapiError): DataRefused {
  const causes = [error, ...(error.errors ?? [])];
  const fields = causes.flatMap(
    ({ code = '', path = '' }) => findField(FIELD_OF_CODE, code) ?? findField(FIELD_OF_PATH, path) ?? [],
  );
  if (fields.length === 0) logError('Facturapi refuses data that the receiver cannot fix', error, toLogFields(error));
  return new DataRefused(
    [...new Set(fields)].map((field) => ({ field, code: MESSAGE[field] })),
    error,
  );
}

/** Includes Facturapi's request number for its support, never the message, which quotes the receiver. */
const toLogFields = ({ status, code, errors = [], logId }: FacturapiError) => ({
  status,
  code,
  details: errors.map((detail) => detail.code ?? ''),
  logId,
});
