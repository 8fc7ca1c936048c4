import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { now } from '../../../shared/runtime/clock.ts';

/*
 * The objects of a fake Stripe, of the fields that its package's types give them, and what befalls them: payers, banks and
 * time. Each change tells its event.
 */

type Bare<Whole, Fields extends keyof Whole> = { -readonly [Name in Fields]: Whole[Name] };

export type FakeIntent = ReturnType<typeof newIntent>;
export type FakeLink = Bare<Stripe.PaymentLink, 'id' | 'object' | 'active' | 'url' | 'metadata'> & {
  readonly amount: number;
  readonly intentMetadata: Stripe.Metadata;
  readonly name: string;
};
export type FakeSession = Bare<Stripe.Checkout.Session, 'id' | 'object' | 'status' | 'payment_status' | 'metadata'> & {
  payment_link: string;
  payment_intent: string | null;
};
type FakeCharge = Bare<
  Stripe.Charge,
  'id' | 'object' | 'amount' | 'amount_refunded' | 'created' | 'disputed' | 'metadata'
> & { payment_intent: string; payment_method_details: object; balance_transaction: object };
export type FakeCustomer = Bare<Stripe.Customer, 'id' | 'object' | 'email' | 'metadata'> & { cash: number };
export type FakeRefund = Bare<Stripe.Refund, 'id' | 'object' | 'amount' | 'status' | 'metadata'> & {
  payment_intent: string;
};
type FakeDispute = Bare<Stripe.Dispute, 'id' | 'object' | 'amount' | 'status'> & { payment_intent: string };

export const newId = (prefix: string, length: number): string =>
  `${prefix}_${randomBytes(length).toString('hex').slice(0, length)}`;
export const seconds = (): number => Math.floor(now().getTime() / 1000);

export const DAY_SECONDS = 86_400;

/** Returns the object of an id. Throws if there is none. */
function get<Kept>(objects: ReadonlyMap<string, Kept>, id: string | null): Kept {
  const found = objects.get(id ?? '');
  if (!found) throw new Error(`nothing has the id ${id}`);
  return found;
}

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
  async sign(payload: string, { at = seconds() } = {}): Promise<ProviderCall> {
    const { secret } = this;
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp: at });
    return { body: Buffer.from(payload), signature };
  }

  tell(type: Stripe.Event['type'], object: object): void {
    const event = { id: newId('evt', 24), object: 'event', api_version: '2026-10-28.endive', created: seconds(), type };
    this.#events.push({ ...event, data: { object: structuredClone(object) } });
  }

  /** The patient pays the voucher, and Stripe has been told. */
  payVoucher(id: string): void {
    const intent = get(this.intents, id);
    if (!['requires_action', 'processing'].includes(intent.status))
      throw new Error(`a voucher that is ${intent.status}`);
    this.#charge(intent, { type: 'oxxo', oxxo: { number: '1' } });
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
      if (intent.status !== 'processing' || end + 10 * DAY_SECONDS >= seconds()) continue;
      const last_payment_error = { type: 'card_error', code: 'payment_intent_payment_attempt_expired' };
      Object.assign(intent, { status: 'requires_payment_method', next_action: null, last_payment_error });
      this.tell('payment_intent.payment_failed', intent);
    }
  }

  /** A transfer of this amount arrives at the CLABE of a customer. */
  transfer(customerId: string, cents: number): void {
    const customer = get(this.customers, customerId);
    customer.cash += cents;
    this.tell('customer_cash_balance_transaction.created', {
      ...{ object: 'customer_cash_balance_transaction', type: 'funded', customer: customerId, net_amount: cents },
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
    const available = { mxn: customer.cash };
    if (customer.cash > 0)
      this.tell('cash_balance.funds_available', { object: 'cash_balance', customer: customer.id, available });
  }

  #apply(customer: FakeCustomer, intent: FakeIntent): void {
    const part = Math.min(customer.cash, remaining(intent));
    if (part === 0) return;
    customer.cash -= part;
    instructions(intent).amount_remaining -= part;
    if (remaining(intent) === 0) this.#charge(intent, { type: 'customer_balance', customer_balance: {} });
    else this.tell('payment_intent.partially_funded', intent);
  }

  /** Cancels an intent; what was put to it is the customer's again. */
  cancel(intent: FakeIntent): void {
    const customer = this.customers.get(intent.customer ?? '');
    const applied = intent.payment_method_types.includes('customer_balance') ? intent.amount - remaining(intent) : 0;
    Object.assign(intent, { status: 'canceled', next_action: null });
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
      ...{ id: newId('cs_test', 58), object: 'checkout.session', status: 'open', payment_status: 'unpaid' },
      ...{ metadata: { ...link.metadata }, payment_link: linkId, payment_intent: null },
    };
    this.sessions.set(session.id, session);
    return session.id;
  }

  /** Pays on a page that is open, also if its link has been closed meanwhile. Throws if the page was closed. */
  payPage(sessionId: string, funding: 'credit' | 'debit' | 'prepaid' | 'unknown' = 'credit'): void {
    const { session, link, intent } = this.#openPage(sessionId);
    this.#charge(intent, { type: 'card', card: { funding, brand: 'visa', last4: '4242' } });
    Object.assign(session, { status: 'complete', payment_status: 'paid' });
    this.tell('checkout.session.completed', session);
    link.active = false;
  }

  /** A card is declined on a page, which stays open. */
  declinePage(sessionId: string): void {
    const { intent } = this.#openPage(sessionId);
    intent.last_payment_error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' };
    this.tell('payment_intent.payment_failed', intent);
  }

  #openPage(sessionId: string) {
    const session = get(this.sessions, sessionId);
    const link = get(this.links, session.payment_link);
    if (session.status !== 'open') throw new Error('the page is closed');
    const { amount, intentMetadata: metadata, name: description } = link;
    const before = this.intents.get(session.payment_intent ?? '');
    const intent = before ?? newIntent({ amount, metadata, types: ['card'], description });
    session.payment_intent = intent.id;
    this.intents.set(intent.id, intent);
    return { session, link, intent };
  }

  #charge(intent: FakeIntent, payment_method_details: object): void {
    const { id: payment_intent, amount, metadata } = intent;
    const [id, created] = [newId('ch', 24), seconds()];
    const booking = { object: 'balance_transaction', created };
    const charge = { id, object: 'charge', amount, amount_refunded: 0, created, disputed: false, metadata } as const;
    this.charges.set(id, { ...charge, payment_intent, payment_method_details, balance_transaction: booking });
    Object.assign(intent, { status: 'succeeded', amount_received: amount, latest_charge: id, next_action: null });
    this.tell('payment_intent.succeeded', intent);
  }

  /** The payer complains about a card's payment. */
  dispute(intentId: string): string {
    const charge = get(this.charges, get(this.intents, intentId).latest_charge);
    charge.disputed = true;
    const { amount } = charge;
    const id = newId('dp', 24);
    this.disputes.set(id, { id, object: 'dispute', amount, status: 'needs_response', payment_intent: intentId });
    this.tell('charge.dispute.created', get(this.disputes, id));
    return id;
  }

  closeDispute(id: string, status: 'won' | 'lost'): void {
    const dispute = get(this.disputes, id);
    dispute.status = status;
    this.tell('charge.dispute.closed', dispute);
  }

  /** The bank has taken a refund, or sends it back. */
  settleRefund(id: string, status: 'succeeded' | 'failed'): void {
    const refund = get(this.refunds, id);
    refund.status = status;
    this.tell(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
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
  readonly types: string[];
  readonly customer?: string;
  readonly description: string;
};
type IntentError = { readonly type: string; readonly code: string; readonly decline_code?: string };

export function newIntent({ amount, metadata, types, customer, description }: NewIntent) {
  return {
    id: newId('pi', 24),
    object: 'payment_intent',
    status: 'requires_payment_method' as Stripe.PaymentIntent.Status,
    amount,
    amount_received: 0,
    currency: 'mxn',
    created: seconds(),
    customer: customer ?? null,
    metadata: { ...metadata },
    description,
    payment_method_types: types,
    latest_charge: null as string | null,
    last_payment_error: null as IntentError | null,
    next_action: null as object | null,
  } satisfies { [Field in keyof Stripe.PaymentIntent]?: unknown };
}
