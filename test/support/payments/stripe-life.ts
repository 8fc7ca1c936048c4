import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { now } from '../../../shared/runtime/clock.ts';

/*
 * The objects of a fake Stripe, of the fields that its package's types give them, and what befalls them: payers, banks and
 * time. Each change tells its event.
 */

type Mutable<Whole> = { -readonly [Name in keyof Whole]: Whole[Name] };
type Bare<Whole, Fields extends keyof Whole> = Mutable<Pick<Whole, Fields>>;

export type FakeIntent = ReturnType<typeof newIntent>;
export type FakeLink = Bare<
  Stripe.PaymentLink,
  'id' | 'object' | 'active' | 'url' | 'currency' | 'metadata' | 'livemode'
> & { readonly amount: number; readonly intentMetadata: Stripe.Metadata; readonly name: string; readonly sent: object };
export type FakeSession = Bare<
  Stripe.Checkout.Session,
  'id' | 'object' | 'status' | 'payment_status' | 'amount_total' | 'metadata' | 'livemode'
> & { payment_link: string; payment_intent: string | null };
type FakeCharge = Bare<
  Stripe.Charge,
  'id' | 'object' | 'amount' | 'amount_refunded' | 'created' | 'disputed' | 'metadata'
> & { payment_intent: string; payment_method_details: object; balance_transaction: object };
type FakeCustomer = { readonly id: string; readonly metadata: Stripe.Metadata; readonly email: string; cash: number };
export type FakeRefund = Bare<Stripe.Refund, 'id' | 'object' | 'amount' | 'status' | 'currency' | 'metadata'> & {
  payment_intent: string;
  failure_reason?: string;
};
type FakeDispute = Bare<Stripe.Dispute, 'id' | 'object' | 'amount' | 'reason' | 'status' | 'metadata' | 'livemode'> & {
  payment_intent: string;
  evidence_details: { due_by: number | null };
};

export const newId = (prefix: string, length: number): string =>
  `${prefix}_${randomBytes(length).toString('hex').slice(0, length)}`;
export const seconds = (): number => Math.floor(now().getTime() / 1000);

const DAY_SECONDS = 86_400;

export class StripeLife {
  readonly intents = new Map<string, FakeIntent>();
  readonly links = new Map<string, FakeLink>();
  readonly sessions = new Map<string, FakeSession>();
  readonly charges = new Map<string, FakeCharge>();
  readonly customers = new Map<string, FakeCustomer>();
  readonly refunds = new Map<string, FakeRefund>();
  readonly disputes = new Map<string, FakeDispute>();
  readonly endpoints: object[] = [];
  /** The methods that the account may use; others are left out of a payment in silence. */
  readonly allowed = new Set(['oxxo', 'customer_balance', 'card']);
  readonly secret = `whsec_${randomBytes(16).toString('hex')}`;
  #events: object[] = [];

  /** Returns the calls of the events since the last time, signed now, in the order in which they happened. */
  async takeCalls(): Promise<ProviderCall[]> {
    const events = this.#events;
    this.#events = [];
    return Promise.all(events.map((event) => this.sign(JSON.stringify(event))));
  }

  /** Signs a call as of a time, which is now by default. */
  async sign(payload: string, { at = seconds(), secret = this.secret } = {}): Promise<ProviderCall> {
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp: at });
    return { body: Buffer.from(payload), signature };
  }

  tell(type: Stripe.Event['type'], object: object): void {
    const data = { object: structuredClone(object) };
    const event = {
      id: newId('evt', 24),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: seconds(),
      type,
      data,
    };
    this.#events.push({ ...event, livemode: false, pending_webhooks: 1, request: null });
  }

  /** The patient pays the voucher, and Stripe has been told. */
  payVoucher(id: string): void {
    const intent = this.#intent(id);
    if (!['requires_action', 'processing'].includes(intent.status))
      throw new Error(`a voucher that is ${intent.status}`);
    this.#charge(intent, intent.amount, { type: 'oxxo', oxxo: { number: '1' } });
  }

  /** Lets time do what it does to vouchers: those that are over are `processing`, and fail 10 days later. */
  passTime(): void {
    for (const intent of this.intents.values()) {
      const { oxxo_display_details: voucher } = (intent.next_action ?? {}) as Stripe.PaymentIntent.NextAction;
      const end = voucher?.expires_after ?? Number.POSITIVE_INFINITY;
      if (intent.status === 'requires_action' && end < seconds()) {
        intent.status = 'processing';
        this.tell('payment_intent.processing', intent);
      }
      if (intent.status === 'processing' && end + 10 * DAY_SECONDS < seconds()) this.#fail(intent);
    }
  }

  #fail(intent: FakeIntent): void {
    intent.status = 'requires_payment_method';
    intent.next_action = null;
    intent.last_payment_error = { type: 'card_error', code: 'payment_intent_payment_attempt_expired' };
    this.tell('payment_intent.payment_failed', intent);
  }

  /** A transfer of this amount arrives at the CLABE of a customer. */
  transfer(customerId: string, cents: number): void {
    const customer = this.customers.get(customerId);
    if (!customer) throw new Error(`no customer ${customerId}`);
    customer.cash += cents;
    this.tell('customer_cash_balance_transaction.created', {
      ...{ id: newId('ccsbtxn', 24), object: 'customer_cash_balance_transaction', type: 'funded' },
      ...{ customer: customerId, net_amount: cents, currency: 'mxn', created: seconds(), livemode: false },
    });
    this.book(customer);
  }

  /** Puts the money of a customer to its open intents: to one that waits for exactly as much, or else to the oldest in turn. */
  book(customer: FakeCustomer): void {
    const open = [...this.intents.values()].filter(
      (one) => one.customer === customer.id && one.status === 'requires_action' && remaining(one) > 0,
    );
    const exact = open.find((intent) => remaining(intent) === customer.cash);
    for (const intent of exact ? [exact] : open) this.#apply(customer, intent);
    if (customer.cash > 0)
      this.tell('cash_balance.funds_available', {
        ...{ object: 'cash_balance', customer: customer.id, available: { mxn: customer.cash }, livemode: false },
      });
  }

  #apply(customer: FakeCustomer, intent: FakeIntent): void {
    const part = Math.min(customer.cash, remaining(intent));
    if (part === 0) return;
    customer.cash -= part;
    const left = remaining(intent) - part;
    instructions(intent).amount_remaining = left;
    if (left === 0) this.#charge(intent, intent.amount, { type: 'customer_balance', customer_balance: {} });
    else this.tell('payment_intent.partially_funded', intent);
  }

  /** Cancels an intent; what was put to it is the customer's again. */
  cancel(intent: FakeIntent): void {
    const customer = this.customers.get(intent.customer ?? '');
    const applied = intent.payment_method_types.includes('customer_balance') ? intent.amount - remaining(intent) : 0;
    Object.assign(intent, { status: 'canceled', next_action: null, canceled_at: seconds() });
    this.tell('payment_intent.canceled', intent);
    if (!customer || applied === 0) return;
    customer.cash += applied;
    this.book(customer);
  }

  /** Opens the page of a link, and returns its session. Throws if the link is closed. */
  openPage(linkId: string): string {
    const link = this.links.get(linkId);
    if (!link?.active) throw new Error('the link is closed');
    const session: FakeSession = {
      id: `cs_test_${randomBytes(29).toString('hex')}`,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: link.amount,
      metadata: { ...link.metadata },
      livemode: link.livemode,
      payment_link: linkId,
      payment_intent: null,
    };
    this.sessions.set(session.id, session);
    return session.id;
  }

  /** Pays on a page that is open, also if its link has been closed meanwhile. Throws if the page was closed. */
  payPage(sessionId: string, funding: 'credit' | 'debit' | 'prepaid' | 'unknown' = 'credit'): void {
    const { session, link } = this.#openPage(sessionId);
    const intent = this.#pageIntent(session, link);
    this.#charge(intent, intent.amount, { type: 'card', card: { funding, brand: 'visa', last4: '4242' } });
    Object.assign(session, { status: 'complete', payment_status: 'paid' });
    this.tell('checkout.session.completed', session);
    link.active = false;
  }

  /** A card is declined on a page, which stays open. */
  declinePage(sessionId: string): void {
    const { session, link } = this.#openPage(sessionId);
    const intent = this.#pageIntent(session, link);
    intent.last_payment_error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' };
    this.tell('payment_intent.payment_failed', intent);
  }

  #openPage(sessionId: string): { session: FakeSession; link: FakeLink } {
    const session = this.sessions.get(sessionId);
    const link = this.links.get(session?.payment_link ?? '');
    if (session?.status !== 'open' || !link) throw new Error('the page is closed');
    return { session, link };
  }

  #pageIntent(session: FakeSession, { amount, intentMetadata, livemode, name }: FakeLink): FakeIntent {
    const before = this.intents.get(session.payment_intent ?? '');
    if (before) return before;
    const intent = newIntent({ amount, metadata: intentMetadata, livemode, types: ['card'], description: name });
    session.payment_intent = intent.id;
    this.intents.set(intent.id, intent);
    return intent;
  }

  #charge(intent: FakeIntent, amount: number, details: object): void {
    const id = newId('ch', 24);
    this.charges.set(id, {
      id,
      object: 'charge',
      amount,
      amount_refunded: 0,
      created: seconds(),
      disputed: false,
      metadata: intent.metadata,
      payment_intent: intent.id,
      payment_method_details: details,
      balance_transaction: { id: newId('txn', 24), object: 'balance_transaction', created: seconds() },
    });
    Object.assign(intent, { status: 'succeeded', amount_received: amount, latest_charge: id, next_action: null });
    this.tell('payment_intent.succeeded', intent);
  }

  /** The payer complains about a card's payment. */
  dispute(intentId: string): string {
    const intent = this.#intent(intentId);
    const charge = this.charges.get(intent.latest_charge ?? '');
    if (!charge) throw new Error('not paid');
    charge.disputed = true;
    const dispute: FakeDispute = {
      id: newId('dp', 24),
      object: 'dispute',
      amount: charge.amount,
      reason: 'fraudulent',
      status: 'needs_response',
      metadata: {},
      livemode: false,
      payment_intent: intentId,
      evidence_details: { due_by: seconds() + 7 * DAY_SECONDS },
    };
    this.disputes.set(dispute.id, dispute);
    this.tell('charge.dispute.created', dispute);
    return dispute.id;
  }

  closeDispute(id: string, status: 'won' | 'lost'): void {
    const dispute = this.disputes.get(id);
    if (!dispute) throw new Error(`no dispute ${id}`);
    dispute.status = status;
    dispute.evidence_details.due_by = null;
    this.tell('charge.dispute.closed', dispute);
  }

  /** The bank has taken a refund, or sends it back. */
  settleRefund(id: string, status: 'succeeded' | 'failed'): void {
    const refund = this.refunds.get(id);
    if (!refund) throw new Error(`no refund ${id}`);
    refund.status = status;
    if (status === 'failed') refund.failure_reason = 'lost_or_stolen_card';
    this.tell(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  #intent(id: string): FakeIntent {
    const intent = this.intents.get(id);
    if (!intent) throw new Error(`no intent ${id}`);
    return intent;
  }
}

type Instructions = { amount_remaining: number };
const instructions = ({ next_action }: FakeIntent): Instructions =>
  (next_action as { display_bank_transfer_instructions: Instructions }).display_bank_transfer_instructions;

/** The amount that a transfer has yet to bring; 0 if the intent waits for none. */
const remaining = (intent: FakeIntent): number =>
  intent.next_action && 'display_bank_transfer_instructions' in intent.next_action
    ? instructions(intent).amount_remaining
    : 0;

type NewIntent = {
  readonly amount: number;
  readonly metadata: Stripe.Metadata;
  readonly livemode: boolean;
  readonly types: string[];
  readonly customer?: string | null;
  readonly description?: string | null;
};

type IntentError = { readonly type: string; readonly code: string; readonly decline_code?: string };

export function newIntent({ amount, metadata, livemode, types, customer = null, description = null }: NewIntent) {
  const id = newId('pi', 24);
  return {
    id,
    object: 'payment_intent',
    status: 'requires_payment_method' as Stripe.PaymentIntent.Status,
    amount,
    amount_received: 0,
    currency: 'mxn',
    created: seconds(),
    customer,
    metadata: { ...metadata },
    description,
    livemode,
    client_secret: `${id}_secret_of_the_payer`,
    payment_method_types: types,
    latest_charge: null as string | null,
    last_payment_error: null as IntentError | null,
    next_action: null as object | null,
    canceled_at: null as number | null,
    cancellation_reason: null,
  } satisfies { [Field in keyof Stripe.PaymentIntent]?: unknown };
}
