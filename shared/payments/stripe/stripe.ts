import type Stripe from 'stripe';
import { type Cents, sumCents } from '../../domain/money.ts';
import {
  type PaymentProvider,
  PaymentRefused,
  type PaymentSign,
  PaymentsUnavailable,
  type ProvidedPayment,
  type ProvidedRefund,
  type ProviderCall,
  type RefundRequest,
  type RequestedPayment,
} from '../provider.ts';
import type { PaymentAttempt } from '../rules/payment.ts';
import {
  chargeOf,
  checkAnswer,
  collectionOf,
  customerOf,
  readDispute,
  readIntentState,
  readPaid,
  UnexpectedAnswer,
} from './answer.ts';
import { readSign, verifyCall } from './calls.ts';
import { isRefusedByState, openStripe, readingFailure, type StripeAccess, writingFailure } from './client.ts';
import { findIntent, refundKey, requestCard, requestTransfer, requestVoucher } from './requests.ts';

export type StripeOptions = StripeAccess & {
  /** The webhook endpoint's secret; without one, no call is accepted. */
  readonly callSecret: () => Promise<string | undefined>;
  now(): Date;
};

const REQUESTS = { oxxo: requestVoucher, spei: requestTransfer, card: requestCard } as const;
const isLink = (id: string): boolean => id.startsWith('plink_');
// A link can be paid once, but opened any number of times.
const PAGE = 100;

/** Payment intents for vouchers and transfers, a payment link for a card, whose sessions produce intents. */
export class StripePayments implements PaymentProvider {
  readonly #options: StripeOptions;

  constructor(options: StripeOptions) {
    this.#options = options;
  }

  request(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment> {
    return this.#call(signal, writingFailure, (stripe) => REQUESTS[attempt.collection](stripe, attempt));
  }

  async find(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment | undefined> {
    // Links can neither be searched nor listed by their metadata.
    if (attempt.collection === 'card') return undefined;
    return this.#call(signal, readingFailure, (stripe) => findIntent(stripe, attempt));
  }

  look(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.#call(signal, readingFailure, (stripe) => this.#read(stripe, id));
  }

  cancel(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.#call(signal, readingFailure, async (stripe) => {
      if (isLink(id)) await closeLink(stripe, id);
      else await cancelIntent(stripe, id);
      return this.#read(stripe, id);
    });
  }

  withdraw(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.#call(signal, readingFailure, async (stripe) => {
      if (isLink(id)) return readLinkPayment(stripe, await deactivateLink(stripe, id), 'open');
      await cancelIntent(stripe, id);
      return this.#read(stripe, id);
    });
  }

  refund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund> {
    return this.#call(signal, writingFailure, async (stripe) => {
      const intents = await readIntents(stripe, request.payment);
      // Stripe forgets the key after 24 hours.
      const existing = await findRefund(stripe, intents, request);
      return existing ?? createRefund(stripe, intents, request);
    });
  }

  findRefund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund | undefined> {
    return this.#call(signal, readingFailure, async (stripe) =>
      findRefund(stripe, await readIntents(stripe, request.payment), request),
    );
  }

  async readCall(call: ProviderCall, signal: AbortSignal): Promise<PaymentSign | undefined> {
    const { callSecret, now } = this.#options;
    const secret = await callSecret().catch((cause: unknown) => {
      throw new PaymentsUnavailable(cause);
    });
    const event = await verifyCall(call, { secret, now: now() });
    return this.#call(signal, readingFailure, (stripe) => readSign(stripe, event));
  }

  /** Opens Stripe for one call of the port and converts its errors. */
  async #call<Result>(
    signal: AbortSignal,
    toFailure: (error: unknown) => Error,
    work: (stripe: Stripe) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(await this.#open(signal));
    } catch (error) {
      throw toFailure(error);
    }
  }

  async #open(signal: AbortSignal): Promise<Stripe> {
    try {
      signal.throwIfAborted();
      return openStripe(await this.#options.key(), this.#options.url, signal);
    } catch (cause) {
      throw new PaymentsUnavailable(cause);
    }
  }

  async #read(stripe: Stripe, id: string): Promise<ProvidedPayment> {
    if (!isLink(id)) return readIntentPayment(stripe, id, this.#options.now());
    // A page that could not be closed is being paid or was opened at the last moment.
    return readLinkPayment(stripe, await readLink(stripe, id), 'processing');
  }
}

async function readIntentPayment(stripe: Stripe, id: string, now: Date): Promise<ProvidedPayment> {
  const intent = await readIntent(stripe, id);
  return {
    id,
    ...toOrder(intent.metadata),
    amountCents: intent.amount,
    state: readIntentState(intent, now),
    unmatchedCents: await readUnmatchedCents(stripe, intent),
    dispute: null,
  };
}

const LINK = { expand: ['line_items'] };

const readLink = async (stripe: Stripe, id: string): Promise<Stripe.PaymentLink> =>
  checkAnswer('payment_link', await stripe.paymentLinks.retrieve(id, LINK));

const deactivateLink = async (stripe: Stripe, id: string): Promise<Stripe.PaymentLink> =>
  checkAnswer('payment_link', await stripe.paymentLinks.update(id, { ...LINK, active: false }));

type Unclosed = 'open' | 'processing';

/** `unclosed`: the status of an inactive link while one of its pages is open. */
async function readLinkPayment(stripe: Stripe, link: Stripe.PaymentLink, unclosed: Unclosed): Promise<ProvidedPayment> {
  const { id } = link;
  // Read before the completed sessions, so that one that is paid meanwhile is among them.
  const status = await readUnpaidLink(stripe, link, unclosed);
  const paid = (await readIntents(stripe, id)).filter(({ status }) => status === 'succeeded');
  const disputed = paid.find((intent) => chargeOf(intent)?.disputed);
  return {
    id,
    ...toOrder(link.metadata),
    amountCents: sumCents((link.line_items?.data ?? []).map(({ amount_total }) => amount_total)),
    state: paid.length > 0 ? readPaid(paid) : { status },
    unmatchedCents: 0,
    dispute: disputed ? await readLastDispute(stripe, disputed.id) : null,
  };
}

async function readUnpaidLink(
  stripe: Stripe,
  { id, active }: Stripe.PaymentLink,
  unclosed: Unclosed,
): Promise<Unclosed | 'cancelled'> {
  if (active) return 'open';
  const sessions = await stripe.checkout.sessions.list({ payment_link: id, status: 'open', limit: 1 });
  return checkAnswer('list', sessions).data.length > 0 ? unclosed : 'cancelled';
}

const EXPANDED = ['latest_charge.balance_transaction'];

const readIntent = async (stripe: Stripe, id: string): Promise<Stripe.PaymentIntent> =>
  checkAnswer('payment_intent', await stripe.paymentIntents.retrieve(id, { expand: EXPANDED }));

/** Returns the payment intents of a payment: one, or those of a link's completed sessions. */
async function readIntents(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent[]> {
  if (!isLink(id)) return [await readIntent(stripe, id)];
  const expand = EXPANDED.map((path) => `data.payment_intent.${path}`);
  const sessions = await stripe.checkout.sessions.list({ payment_link: id, status: 'complete', limit: PAGE, expand });
  return checkAnswer('list', sessions).data.flatMap(({ payment_intent: intent }) =>
    typeof intent === 'object' ? (intent ?? []) : [],
  );
}

async function readUnmatchedCents(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Cents> {
  const customer = customerOf(intent);
  if (collectionOf(intent) !== 'spei' || customer === null) return 0;
  const balance = checkAnswer('cash_balance', await stripe.customers.retrieveCashBalance(customer));
  return balance.available?.mxn ?? 0;
}

async function readLastDispute(stripe: Stripe, intent: string) {
  const { data } = checkAnswer('list', await stripe.disputes.list({ payment_intent: intent, limit: 1 }));
  return data[0] ? readDispute(data[0]) : null;
}

function toOrder({ order, attempt }: Stripe.Metadata): { orderId: number; attempt: number } {
  if (order === undefined || attempt === undefined) throw new UnexpectedAnswer('payment of an order');
  return { orderId: Number(order), attempt: Number(attempt) };
}

async function closeLink(stripe: Stripe, id: string): Promise<void> {
  await deactivateLink(stripe, id);
  const open = stripe.checkout.sessions.list({ payment_link: id, status: 'open', limit: PAGE });
  for await (const session of open) await stripe.checkout.sessions.expire(session.id).catch(ignoreRefusal);
}

const cancelIntent = async (stripe: Stripe, id: string): Promise<void> =>
  void (await stripe.paymentIntents.cancel(id).catch(ignoreRefusal));

/** Stripe refuses to cancel a payment in some states, which the caller reads next. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusedByState(error)) throw error;
}

async function createRefund(
  stripe: Stripe,
  intents: readonly Stripe.PaymentIntent[],
  request: RefundRequest,
): Promise<ProvidedRefund> {
  const { orderId, number, amountCents } = request;
  // A link that two payers paid at once has two intents; a surplus is refunded from one that still has as much.
  const intent = intents.find((item) => refundableCents(item) >= amountCents) ?? intents[0];
  if (!intent) throw new PaymentRefused('not_paid');
  if (collectionOf(intent) === 'oxxo') throw new PaymentRefused('refund_not_supported');
  const key = refundKey(request);
  const refund = await stripe.refunds.create(
    {
      payment_intent: intent.id,
      amount: amountCents,
      metadata: { order: String(orderId), refund: String(number), key },
    },
    { idempotencyKey: key },
  );
  return readRefund(checkAnswer('refund', refund));
}

function refundableCents(intent: Stripe.PaymentIntent): Cents {
  const charge = chargeOf(intent);
  return charge ? charge.amount - charge.amount_refunded : 0;
}

async function findRefund(
  stripe: Stripe,
  intents: readonly Stripe.PaymentIntent[],
  request: RefundRequest,
): Promise<ProvidedRefund | undefined> {
  const key = refundKey(request);
  for (const { id } of intents) {
    const { data } = checkAnswer('list', await stripe.refunds.list({ payment_intent: id, limit: PAGE }));
    const match = data.find(({ metadata }) => metadata?.key === key);
    if (match) return readRefund(match);
  }
  return undefined;
}

function readRefund({ id, amount: amountCents, status }: Stripe.Refund): ProvidedRefund {
  if (status === 'failed' || status === 'canceled') return { id, amountCents, status: 'failed' };
  return { id, amountCents, status: status === 'succeeded' ? 'succeeded' : 'pending' };
}
