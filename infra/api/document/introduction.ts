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

const yesOrNo = (isAllowed: boolean): string => (isAllowed ? 'yes' : 'no');
const names = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ') || 'none';
const table = (...rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${'---|'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n');
};

const ROLES_SECTION = `## Roles

The pharmacy gives each user one of three roles; \`GET /api/me/\` has an id in the field of the role.

${table(
  ['Role', 'Places orders for', 'Sees, changes and cancels', 'Who it is'],
  ['`patient`', 'itself: `user.email` is its own', 'its own orders', 'a customer with an account'],
  ['`doctor`', 'any patient', 'the orders that it placed', 'a physician of a clinic'],
  [
    '`insurance_employee`',
    'any patient',
    'all orders of the client',
    'somebody of an insurer, or the server of a shop',
  ],
)}

**Who logs in for the order of a guest?** The server of the shop does, as an \`insurance_employee\` that the pharmacy has made for it, and sends the guest in \`user\`: \`email\`, \`first_name\`, \`last_name\`. The first order registers the guest, and later ones with this e-mail are the same patient's. Key and password of that user stay on the server; a page or an app has neither. A guest who wants an account chooses a password by a link: \`POST /api/password/\` mails it to any patient, also to one whom an order has registered.`;

const PAYING_SECTION = `## Paying

Amounts are Mexican pesos (MXN). \`GET /api/payment-methods/\` lists the methods that the user may choose; with \`include=collection\` each says how it is collected online: \`card\`, \`oxxo\` or \`spei\`, or \`null\` if it is not. An order by a collected method has a reference in \`payment_references\`, an order by any other has none and is paid as agreed with the pharmacy. In the demonstration 3 (card), 4 (OXXO) and 5 (SPEI) are collected.

${table(
  ['`method`', '`external_url` is', '`reference` is', 'Works for', 'Pesos'],
  ['`card`', 'the page on which the patient enters the card', 'the id of that page', '24 hours', 'up to 999,999.99'],
  ['`oxxo`', 'the voucher with its barcode, to print or show', 'the number of the voucher', '3 days', '10 to 10,000'],
  ['`spei`', 'the page with CLABE and amount', 'the CLABE', '3 days', 'up to 999,999.99'],
)}

The times are settings of the pharmacy; \`include=payments\` has the end of each as \`expires_at\`. Send the patient to \`external_url\`, in the same window or another: it is a page of the payment provider, made for this order alone, and works without a token. Show \`reference\` and \`total\` beside it. Then read the order, or wait for the event \`order.paid\`: nothing is paid before \`payment_status\` is \`paid\`, whatever page the patient comes back to. If \`payment_references\` is empty although the method is collected, the provider did not answer in time: the reference follows within minutes, with the event \`payment.requested\`.

After \`rejected\`, or when the patient would rather pay otherwise, \`POST /api/orders/{id}/payment/\` gets a new reference, with \`{"payment_method": 3}\` one of another method. An order that is collected is prepared once it is paid. A cancelled order that was paid gets its money back: \`include=refunds\`.`;

// An order is delivered, or collected at a store.
const STORES = [null, {}];

const STATES_SECTION = `## States

\`order_status\` is the pharmacy's view of an order, \`patient_order_status\` the patient's: \`cancelled\`, \`delivered\` and \`shipped\` as they are, else \`in_process\`. A new order is \`pending_approval\` if a product requires a prescription, else \`approved\`. The columns in the middle are what whoever may see the order may do by this API; the pharmacy moves it on. An order that is collected at a store goes from \`ready\` to \`delivered\`, any other by \`shipped\`.

${table(
  ['`order_status`', 'New `details`', 'Cancel', 'Add prescriptions', 'The pharmacy moves it to'],
  ...ORDER_STATUSES.map((status: OrderStatus) => [
    `\`${status}\``,
    yesOrNo(canChangeDetails(status)),
    status === 'cancelled' ? 'it is' : yesOrNo(isCancellable(status)),
    yesOrNo(canAddPrescriptions(status)),
    names(ORDER_STATUSES.filter((to) => STORES.some((store) => canMoveOrder({ orderStatus: status, store }, to)))),
  ]),
)}

${table(
  ['`payment_status`', 'New `details`', 'New reference', 'Invoice', 'Who moves it on'],
  ['`unpaid`', 'yes', 'if it is collected', 'yes', 'the patient pays, or the pharmacy records it'],
  ['`credit`', 'for employees and whoever placed it', 'no', 'yes', 'the pharmacy records the payment'],
  ['`in_process`', 'no', 'no', 'yes', 'the payment provider'],
  ['`processing`', 'no', 'no', 'yes', 'the pharmacy'],
  ['`paid`', 'no', 'no', 'yes', 'nobody; refunds leave it as it is'],
  ['`rejected`', 'yes', 'if it is collected', 'no', 'whoever sees the order, by a new reference'],
)}

New \`details\` need a yes in both tables, and no invoice (\`cfdi\`). In \`approved\` they may have no more of a product that requires a prescription than was verified. An order on credit is cancelled by employees and whoever placed it. An invoice is requested within 72 hours of the order and the same month.`;

const SANDBOX_SECTION = `## Sandbox

\`npm start\` in the folder of the pharmacy's program serves this API on your machine with a demonstration catalog, and no deployed pharmacy has what stands here. The key is \`${DEMO_API_KEY}\`, the password of each user \`${DEMO_PASSWORD}\`: ${DEMO_USERS.map(({ role, email }) => `\`${email}\` (${role})`).join(', ')}. The page at \`external_url\` has three buttons, which pay, refuse or let expire; a \`POST\` to it with the form field \`outcome\` = \`paid\`, \`rejected\` or \`expired\` does the same. These requests, beside \`/v2\` and with your key, do what people of the pharmacy do:

${table(
  ['`POST`', 'What it does'],
  ['`/sandbox/orders/{id}/approve`', 'verifies the prescriptions, and approves the order'],
  ['`/sandbox/orders/{id}/reject`, `{"reason"}`', 'rejects a prescription'],
  ['`/sandbox/orders/{id}/pay`, `{"form"}`', 'records a payment; `form` is SAT’s code'],
  ['`/sandbox/orders/{id}/ship`, `{"carrier", "tracking"}`', 'moves it on until it is shipped'],
  ['`/sandbox/orders/{id}/deliver`', 'moves it on until it is delivered'],
  ['`/sandbox/sat/down`, `/sandbox/sat/up`', 'takes invoicing down, and up again'],
)}

Mails are not sent: \`http://localhost:8005\` shows them, those with a link for a password within a minute. Such a link leads to \`http://localhost:4000/password?token=…\`, where the page of your shop would be.`;

const TESTING_SECTION = `## Testing

\`\`\`sh
curl -X POST "$BOTICA/../sandbox/orders/1/ship" -H "X-API-Key: $API_KEY"
curl -d outcome=expired "$EXTERNAL_URL"
\`\`\`

Test the way of an order with the requests above: placed, approved, paid, shipped; then what goes wrong: a payment that is rejected or expires, a prescription that is rejected, SAT down while an invoice is asked for, \`expected_total\` that has changed, an order that is cancelled after it was paid. \`npm start -- --fresh\` begins with empty data, \`LOCAL_RATE_LIMIT=5\` answers 429 as a deployed pharmacy would, and \`LOCAL_PAYMENT_CALLS=late\` lets payments arrive late. Compare \`code\`, never \`detail\`. Times are those of the machine: an order of the last hours of a month cannot be invoiced in the next.

\`shop.ts\` and \`shop.py\`, in the package of the client, go the whole way of a guest's order; the guide in that package (\`README.md\`) explains each step.`;

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

/** The table of every code with its status, cause and cure, in Markdown. Two columns fit the screen of a phone. */
function writeCodeTable(): string {
  const rows = Object.entries(CURES).map(([code, cure]) => {
    const { status, cause } = describeCode(code as keyof typeof CURES);
    return `| \`${code}\` ${status} | *${cause}* ${cure} |`;
  });
  return ['| Code and status | Cause and cure |', '|---|---|', ...rows].join('\n');
}

function describeCode(code: keyof typeof CURES): { status: number; cause: string } {
  if (code in REFUSALS) {
    const { status, en } = REFUSALS[code as RefusalCode];
    return { status, cause: en };
  }
  const { statusCode, detail } = gatewayAnswers[code as OwnGatewayCode];
  return { status: statusCode, cause: detail.slice(detail.indexOf(' / ') + ' / '.length) };
}

export const writeIntroduction = (): string => `A first request finds a product:

\`\`\`sh
curl "$BOTICA/api/products/?search=paracetamol&limit=1" -H "X-API-Key: $API_KEY"
\`\`\`

Amounts are Mexican pesos (MXN) as text with two decimals, times are UTC, and unknown fields are ignored. The guide in the package of the client (\`shared/client/README.md\`) goes through an integration step by step.

## Authentication

Every request carries the key of the client in \`X-API-Key\`. Order routes also need the access token of a user: \`POST /api/token/\` gives it for e-mail and password, and it is sent as \`Authorization: Bearer …\`. A page in a browser may use the cookie that the same answer sets.

${ROLES_SECTION}

${PAYING_SECTION}

${STATES_SECTION}

${SANDBOX_SECTION}

${TESTING_SECTION}

## Errors

A 400 mirrors the request: each bad field holds its messages. Every other error is \`{"detail", "code"}\`: \`detail\` is for people, \`code\` for programs. A client that meets a code that it does not know goes by the status. \`X-Request-Id\` finds the request in the log of the pharmacy. All codes stand below, under Codes.

## Pages

Lists take \`page\` and \`limit\`; \`count\` is exact, and \`next\` and \`previous\` are addresses or null. To read a list to its end while it changes, send an empty \`cursor\` in place of \`page\` and follow \`next\`: nothing that keeps its place is skipped or repeated.

## Idempotency

With an \`Idempotency-Key\`, an order is placed once, however often it is sent within 24 hours: the same key and body return the order as it is now, with \`Idempotent-Replayed: true\`. Another body with the same key is 422 \`idempotency_key_reused\`.

## Languages

Messages are in Spanish, or in English if \`Accept-Language\` prefers it. \`Content-Language\` says which.

## Events and webhooks

What happens to an order is told as events, without anything personal. A client asks for them (\`/api/events/\`), or a webhook brings them: signed as [Standard Webhooks](https://www.standardwebhooks.com) say, repeated over 3 days until it is answered 2xx, and maybe more than once under the same \`id\`. Webhooks, below, shows a signed message.

## Limits

| Subject | Limit | Above it |
|---|---|---|
| Requests with a key | 50 a second, bursts of 100 | 429 \`throttled\` |
| Orders; invoices of a patient or doctor | 60 an hour; 10 in 24 hours | 429 \`too_many_orders\`, \`too_many_invoices\` |
| Body | 256 KB; 5.5 MB and 20,000 values where it carries documents | 413 \`body_too_large\` |
| Lines of an order; prescriptions | 50; 10, of 3 MB each and 4 MB together | 400 |
| Results on a page | 100 | counts as 100 |

## Codes

The cause, in italics, is the message that the answer carries. New codes may come (\`CHANGELOG.md\`, in the package of the client, says what may change); none changes its meaning.

${writeCodeTable()}

## The gateway

A \`HEAD\` is answered as the \`GET\` of its path, without the body. Any other path or method below the base address, preflights aside, is 404 \`not_found\`, with or without a key. The gateway answers for itself in Spanish and English at once. Answers of 1 KB or more are compressed if the coding that \`Accept-Encoding\` prefers is gzip or deflate.

${describeAwsAnswers([413, 414, 415, 431])}`;
