import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSALS, type RefusalCode } from '../../../shared/messages/refusals.ts';
import {
  canAddPrescriptions,
  canChangeDetails,
  canMoveOrder,
  isCancellable,
  ORDER_STATUSES,
  type OrderStatus,
} from '../../../shared/order/rules/status.ts';
import { describeAwsAnswers, type GatewayCode, gatewayAnswers } from '../../gateway-answers.ts';
import { DEMO_USERS } from '../../local/demonstration.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../local/seed.ts';

type OwnGatewayCode = Exclude<GatewayCode, RefusalCode>;

/** The client's cure for each refusal; the refusal's own message tells the cause. */
const CURES: Readonly<Record<RefusalCode | OwnGatewayCode, string>> = {
  invalid_input: 'Correct the fields that the answer names. The body has no `code`: it mirrors the request.',
  malformed_json: 'Send one JSON value in UTF-8.',
  call_not_signed: 'The payment provider alone calls this route, and signs what it sends.',
  not_authenticated: 'Log in at `/api/token/` and send the token.',
  token_invalid: 'Log in anew. A token works only with a key of the client that it was issued under.',
  token_expired: 'Log in anew; `access_lifetime` says how long a token lives.',
  wrong_credentials: 'Ask the user for e-mail and password; do not send the same ones again.',
  client_unknown: 'Ask the pharmacy for a key.',
  cross_site: 'Send the token as a header, or call from an origin that the pharmacy has allowed.',
  not_found: 'Check the id and the page. What belongs to somebody else is not found either.',
  total_changed: 'Show the `quote` of the answer, and order with its total if the buyer agrees.',
  password_url_missing: 'Ask the pharmacy to set the address of the page on which your users choose a password.',
  order_not_changeable:
    'Read the order. In `pending_approval` wait for approval, or cancel it; later place another order.',
  order_not_cancellable: 'Read the order. From `in_process` on the pharmacy alone can stop it.',
  order_not_waiting: 'Read the order: one that is approved needs no more prescriptions.',
  order_paid: 'Place another order for what is missing, or cancel this one.',
  order_on_credit: 'Ask the insurer, or who placed the order, to cancel it.',
  order_invoiced: 'Read the order: `cfdi` holds its invoice. For a correction ask the pharmacy.',
  order_cancelled: 'Place another order.',
  invoice_in_progress: 'Read the order again after some minutes: `cfdi` then holds the invoice.',
  invoice_window_closed: 'Ask the pharmacy; it can still issue a correction.',
  nothing_to_invoice: 'None is needed, as nothing was charged.',
  not_payable: 'Read the order: it is paid, being paid, cancelled, or its payment method is not collected here.',
  too_many_references:
    'Have the present reference paid, or wait: vouchers expire after some days, and what else was replaced is closed within minutes.',
  out_of_stock: 'Place another order without what is sold out, or ask again when it is back.',
  payment_rejected: 'Pay the order again, then ask for the invoice.',
  order_changed_meanwhile: 'Read the order, and send the change again if it is still wanted.',
  move_not_allowed: 'Read the order: its status says what is possible.',
  body_too_large: 'Send less, or documents of fewer bytes.',
  not_json: 'Send `Content-Type: application/json`, without another `charset` than UTF-8.',
  idempotency_key_reused: 'Use a new key for a new order; repeat an order with its first body.',
  too_many_attempts: 'Wait for `Retry-After`, then ask the user for the password.',
  too_many_orders: 'Wait for `Retry-After`.',
  too_many_invoices: 'Wait for `Retry-After`.',
  internal_error: 'Repeat what carries an idempotency key; tell support the `X-Request-Id`.',
  rebuilding: 'Repeat after `Retry-After`. Nothing was done.',
  unavailable: 'Repeat after `Retry-After` what changes nothing or carries an idempotency key; else look first.',
  api_key_invalid: 'Send the key of your client in `X-API-Key`.',
  throttled: 'Repeat after `Retry-After`. Nothing was done.',
  timeout: 'Repeat after `Retry-After` what changes nothing or carries an idempotency key; else look first.',
  unauthorized: 'Send the key of your client in `X-API-Key`.',
  access_denied: 'Ask the pharmacy for a key.',
  request_refused: 'Check the request against this description.',
};

const yesOrNo = (isAllowed: boolean): string => (isAllowed ? 'yes' : 'no');
const names = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ') || 'none';
const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Returns the introduction of the API description: introduction.md, with these parts of it made from the code. */
export function writeIntroduction(): string {
  const parts: Readonly<Record<string, string>> = {
    key: DEMO_API_KEY,
    password: DEMO_PASSWORD,
    users: DEMO_USERS.map(({ role, email }) => `\`${email}\` (${role})`).join(', '),
    statuses: table(ORDER_STATUSES.map(describeStatus)),
    codes: table(Object.entries(CURES).map(([code, cure]) => describeCode(code as keyof typeof CURES, cure))),
    gateway: describeAwsAnswers([413, 414, 415, 431]),
  };
  const text = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8').trimEnd();
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => parts[name] ?? '');
}

// An order is delivered, or collected at a store.
const STORES = [null, {}];

function describeStatus(status: OrderStatus): string[] {
  const next = ORDER_STATUSES.filter((to) => STORES.some((store) => canMoveOrder({ orderStatus: status, store }, to)));
  return [
    `\`${status}\``,
    yesOrNo(canChangeDetails(status)),
    status === 'cancelled' ? 'it is' : yesOrNo(isCancellable(status)),
    yesOrNo(canAddPrescriptions(status)),
    names(next),
  ];
}

function describeCode(code: keyof typeof CURES, cure: string): string[] {
  const { status, cause } = findCause(code);
  return [`\`${code}\` ${status}`, `*${cause}* ${cure}`];
}

function findCause(code: keyof typeof CURES) {
  if (code in REFUSALS) {
    const { status, en: cause } = REFUSALS[code as RefusalCode];
    return { status, cause };
  }
  const { statusCode: status, detail } = gatewayAnswers[code as OwnGatewayCode];
  return { status, cause: detail.slice(detail.indexOf(' / ') + ' / '.length) };
}
