import type Stripe from 'stripe';
import { PaymentRefused, type RefundRequest, type RequestedPayment } from '../provider.ts';
import type { PaymentAttempt } from '../rules/payment.ts';
import { checkAnswer, readLink, readTransfer, readVoucher } from './answer.ts';

// Requests contain amount, folio, name and e-mail, never products. Stripe refuses a repeated key with other parameters.

/** A new table starts with the same order ids, so the time is part of the idempotency key. */
const attemptKey = ({ orderId, number, amountCents, createdAt }: PaymentAttempt): string =>
  `order-${orderId}-${number}-${amountCents}-${Date.parse(createdAt)}`;

const attemptMetadata = (attempt: PaymentAttempt) => ({
  order: String(attempt.orderId),
  attempt: String(attempt.number),
  key: attemptKey(attempt),
});

const description = ({ folio }: PaymentAttempt): string => `Pedido ${folio}`;

export async function requestVoucher(stripe: Stripe, attempt: PaymentAttempt): Promise<RequestedPayment> {
  const intent = await createIntent(stripe, attempt, 'oxxo', {
    payment_method_data: {
      type: 'oxxo',
      billing_details: { name: attempt.payerName, email: attempt.payerEmail },
    },
    payment_method_options: { oxxo: { expires_after_days: voucherDays(attempt) } },
  });
  return readVoucher(intent, attempt.expiresAt);
}

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 7;

/** A voucher is valid until the end of a day in Mexico City, 1 to 7 days after today. */
const voucherDays = ({ createdAt, expiresAt }: PaymentAttempt): number =>
  Math.min(Math.max(Math.ceil((Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS), 1), LONGEST_DAYS);

const TRANSFER = { type: 'mx_bank_transfer' } as const;

export async function requestTransfer(stripe: Stripe, attempt: PaymentAttempt): Promise<RequestedPayment> {
  const intent = await createIntent(stripe, attempt, 'customer_balance', {
    payment_method_data: { type: 'customer_balance' },
    payment_method_options: { customer_balance: { funding_type: 'bank_transfer', bank_transfer: TRANSFER } },
  });
  return readTransfer(intent, attempt.expiresAt);
}

type MethodParameters = Pick<Stripe.PaymentIntentCreateParams, 'payment_method_data' | 'payment_method_options'>;

async function createIntent(
  stripe: Stripe,
  attempt: PaymentAttempt,
  method: 'oxxo' | 'customer_balance',
  methodParameters: MethodParameters,
): Promise<Stripe.PaymentIntent> {
  const parameters = {
    amount: attempt.amountCents,
    currency: 'mxn',
    customer: attempt.customer ?? (await createCustomer(stripe, attempt)),
    confirm: true,
    allowed_payment_method_types: [method],
    description: description(attempt),
    metadata: attemptMetadata(attempt),
    ...methodParameters,
  } satisfies Stripe.PaymentIntentCreateParams;
  const answer = await stripe.paymentIntents.create(parameters, { idempotencyKey: attemptKey(attempt) });
  const intent = checkAnswer('payment_intent', answer);
  // Stripe silently leaves out methods that the account may not use.
  if (!intent.payment_method_types.includes(method)) throw new PaymentRefused('payment_method_not_enabled');
  return intent;
}

// A CLABE belongs to a customer; with one customer per order, each order has its own money.
async function createCustomer(stripe: Stripe, attempt: PaymentAttempt): Promise<string> {
  const customer = await stripe.customers.create(
    { name: attempt.payerName, email: attempt.payerEmail, metadata: attemptMetadata(attempt) },
    { idempotencyKey: `${attemptKey(attempt)}-customer` },
  );
  return checkAnswer('customer', customer).id;
}

/** Requests a card's page: a link that can be paid once, as a session's id and address are too long to show. */
export async function requestCard(stripe: Stripe, attempt: PaymentAttempt): Promise<RequestedPayment> {
  const metadata = attemptMetadata(attempt);
  const name = description(attempt);
  const link = await stripe.paymentLinks.create(
    {
      line_items: [
        {
          quantity: 1,
          price_data: { currency: 'mxn', unit_amount: attempt.amountCents, product_data: { name } },
        },
      ],
      payment_method_types: ['card'],
      restrictions: { completed_sessions: { limit: 1 } },
      metadata,
      payment_intent_data: { metadata, description: name },
      inactive_message: 'Este pago ya no está disponible.',
      ...(attempt.returnUrl && {
        after_completion: { type: 'redirect' as const, redirect: { url: attempt.returnUrl } },
      }),
    },
    { idempotencyKey: attemptKey(attempt) },
  );
  return readLink(checkAnswer('payment_link', link), attempt.expiresAt);
}

/** A customer's own list is current at once, but the search for customers lags. */
export async function findIntent(stripe: Stripe, attempt: PaymentAttempt): Promise<RequestedPayment | undefined> {
  const key = attemptKey(attempt);
  const customers = attempt.customer ? [attempt.customer] : await findCustomers(stripe, attempt);
  for (const customer of customers) {
    const { data } = checkAnswer('list', await stripe.paymentIntents.list({ customer, limit: 100 }));
    const intent = data.find(({ metadata }) => metadata.key === key);
    if (intent && attempt.collection === 'oxxo') return readVoucher(intent, attempt.expiresAt);
    if (intent) return readTransfer(intent, attempt.expiresAt);
  }
  return undefined;
}

async function findCustomers(stripe: Stripe, attempt: PaymentAttempt): Promise<string[]> {
  const query = `metadata['key']:'${attemptKey(attempt)}'`;
  const { data } = checkAnswer('search_result', await stripe.customers.search({ query }));
  return data.map(({ id }) => id);
}

export const refundKey = ({ payment, number, amountCents }: RefundRequest): string =>
  `refund-${payment}-${number}-${amountCents}`;
