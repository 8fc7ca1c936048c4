import {
  canAddPrescriptions,
  canChangeDetails,
  canMoveOrder,
  isCancellable,
  ORDER_STATUSES,
  type OrderStatus,
} from '../../../shared/order/rules/status.ts';
import { DEMO_USERS } from '../../local/demonstration.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../local/seed.ts';

const yesOrNo = (isAllowed: boolean): string => (isAllowed ? 'yes' : 'no');
const names = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ') || 'none';
const table = (...rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${'---|'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n');
};

export const ROLES_SECTION = `## Roles

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

export const PAYING_SECTION = `## Paying

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

export const STATES_SECTION = `## States

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

export const SANDBOX_SECTION = `## Sandbox

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

export const TESTING_SECTION = `## Testing

\`\`\`sh
curl -X POST "$BOTICA/../sandbox/orders/1/ship" -H "X-API-Key: $API_KEY"
curl -d outcome=expired "$EXTERNAL_URL"
\`\`\`

Test the way of an order with the requests above: placed, approved, paid, shipped; then what goes wrong: a payment that is rejected or expires, a prescription that is rejected, SAT down while an invoice is asked for, \`expected_total\` that has changed, an order that is cancelled after it was paid. \`npm start -- --fresh\` begins with empty data, \`LOCAL_RATE_LIMIT=5\` answers 429 as a deployed pharmacy would, and \`LOCAL_PAYMENT_CALLS=late\` lets payments arrive late. Compare \`code\`, never \`detail\`. Times are those of the machine: an order of the last hours of a month cannot be invoiced in the next.

\`shop.ts\` and \`shop.py\`, in the package of the client, go the whole way of a guest's order; the guide in that package (\`README.md\`) explains each step.`;
