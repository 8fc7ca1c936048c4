import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { sumCents } from '../../../../shared/domain/money.ts';
import { offerSandbox } from '../../../../shared/payments/configured.ts';
import {
  CallNotSigned,
  PaymentOutcomeUnknown,
  type PaymentProvider,
  PaymentRefused,
  type PaymentSign,
  PaymentsUnavailable,
  type ProvidedPayment,
  type ProvidedRefund,
  type ProviderCall,
  type RefundRequest,
  type RequestedPayment,
} from '../../../../shared/payments/provider.ts';
import type { PaymentAttempt, ProvidedReference, ProvidedState } from '../../../../shared/payments/rules/payment.ts';
import { now } from '../../../../shared/runtime/clock.ts';
import { sandboxKey } from '../../../../shared/store/keys.ts';
import { parseItem, toItem } from '../../../../shared/store/parse-item.ts';
import type { Table } from '../../../../shared/store/table.ts';
import {
  addMoney,
  cancelPayment,
  decide,
  findPayment,
  hashAttempt,
  isPaid,
  type Outcome,
  parseSandboxId,
  readSandboxState,
  type SandboxOrder,
  type SandboxPayment,
  sandboxId,
  sandboxOrder,
} from './record.ts';

/** `pageUrl` is the parent address of all payments' pages, without a trailing slash. */
type SandboxOptions = { readonly table: Table; readonly pageUrl: string; now(): Date };

export type ShownPayment = Pick<SandboxPayment, 'folio' | 'amountCents' | 'returnUrl'> &
  Pick<ProvidedPayment, 'orderId' | 'attempt'> &
  Pick<ProvidedReference, 'method' | 'reference'> & { readonly status: ProvidedState['status'] };

const NOTHING: SandboxOrder = { version: 0, keptCents: 0, payments: [], refunds: [] };

/** The local server's provider: a person decides on a page what the payer did. Payments are stored in the table. */
export class SandboxPayments implements PaymentProvider {
  readonly #options: SandboxOptions;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  async request(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment> {
    // Stripe refuses an invalid address, too.
    if (!/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(attempt.payerEmail)) throw new PaymentRefused('email_invalid');
    const { orderId, number } = attempt;
    const order = await this.#change(orderId, signal, (before) => addPayment(before, attempt, this.#options.now()));
    const payment = findPayment(order, number);
    if (payment?.attempt !== hashAttempt(attempt)) throw new PaymentOutcomeUnknown(undefined, { isStored: true });
    return this.#toRequested(orderId, payment);
  }

  async find(
    { orderId, number, collection }: PaymentAttempt,
    signal: AbortSignal,
  ): Promise<RequestedPayment | undefined> {
    const payment = findPayment(await this.#read(orderId, signal), number);
    return payment && collection !== 'card' ? this.#toRequested(orderId, payment) : undefined;
  }

  async look(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    const { orderId, number } = expectId(id);
    return this.#toProvided(orderId, number, await this.#read(orderId, signal));
  }

  cancel(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.#changePayment(id, signal, cancelPayment);
  }

  withdraw(id: string, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.cancel(id, signal);
  }

  async refund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund> {
    const { orderId, number } = expectId(request.payment);
    await this.#change(orderId, signal, (order) => addRefund(order, number, request));
    return toRefund(request);
  }

  async findRefund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund | undefined> {
    const { orderId } = expectId(request.payment);
    const { refunds } = await this.#read(orderId, signal);
    return refunds.some(({ number }) => number === request.number) ? toRefund(request) : undefined;
  }

  /** Returns undefined if a call is not about an order. Throws CallNotSigned. */
  async readCall({ body, signature = '' }: ProviderCall): Promise<PaymentSign | undefined> {
    const [, stamp = '', hex = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const isCurrent = Math.abs(this.#options.now().getTime() / 1000 - Number(stamp)) <= TOLERANCE_SECONDS;
    if (hex === '' || !isCurrent || !timingSafeEqual(Buffer.from(hex, 'hex'), sign(Number(stamp), body)))
      throw new CallNotSigned();
    try {
      return paymentSign.safeParse(JSON.parse(Buffer.from(body).toString())).data;
    } catch (cause) {
      throw new CallNotSigned(cause);
    }
  }

  /** Simulates the payer's decision. Throws PaymentsUnavailable. */
  decide(id: string, outcome: Outcome, signal: AbortSignal): Promise<ProvidedPayment> {
    return this.#changePayment(id, signal, (order, number, now) => decide(order, number, outcome, now));
  }

  async transfer(orderId: number, cents: number, signal: AbortSignal): Promise<void> {
    await this.#change(orderId, signal, (order) => addMoney(order, cents, this.#options.now()));
  }

  /** Returns the content of a payment's page; undefined if there is no such payment. Throws PaymentsUnavailable. */
  async show(id: string, signal: AbortSignal): Promise<ShownPayment | undefined> {
    const parsed = parseSandboxId(id);
    if (!parsed) return undefined;
    const { orderId, number } = parsed;
    const payment = findPayment(await this.#read(orderId, signal), number);
    if (!payment) return undefined;
    const { folio, amountCents, returnUrl } = payment;
    const { method, reference } = this.#toRequested(orderId, payment).reference;
    const { status } = readSandboxState(payment, this.#options.now());
    return { orderId, attempt: number, folio, amountCents, method, reference, returnUrl, status };
  }

  async #read(orderId: number, signal: AbortSignal): Promise<SandboxOrder> {
    try {
      signal.throwIfAborted();
      const item = await this.#options.table.get(sandboxKey(orderId));
      return item ? parseItem(sandboxOrder, item, 'sandbox payments') : NOTHING;
    } catch (cause) {
      throw new PaymentsUnavailable(cause);
    }
  }

  /** Changes one payment. It may be repeated, whatever its outcome. Throws PaymentsUnavailable. */
  async #changePayment(
    id: string,
    signal: AbortSignal,
    change: (order: SandboxOrder, number: number, now: Date) => SandboxOrder,
  ): Promise<ProvidedPayment> {
    const { orderId, number } = expectId(id);
    const now = this.#options.now();
    try {
      const order = await this.#change(orderId, signal, (before) => change(before, number, now));
      return this.#toProvided(orderId, number, order);
    } catch (cause) {
      throw new PaymentsUnavailable(cause);
    }
  }

  /** After a conflict, `change` runs again. */
  async #change(
    orderId: number,
    signal: AbortSignal,
    change: (order: SandboxOrder) => SandboxOrder,
  ): Promise<SandboxOrder> {
    const before = await this.#read(orderId, signal);
    const next = change(before);
    if (next === before) return before;
    const after = { ...next, version: before.version + 1 };
    const write = {
      Item: toItem(sandboxKey(orderId), after),
      ConditionExpression: 'attribute_not_exists(pk) OR version = :before',
      ExpressionAttributeValues: { ':before': before.version },
    };
    const isWritten = await this.#options.table.tryTransact([{ Put: write }]).catch((cause) => {
      throw new PaymentOutcomeUnknown(cause);
    });
    return isWritten ? after : this.#change(orderId, signal, change);
  }

  #toRequested(orderId: number, payment: SandboxPayment): RequestedPayment {
    const { number, collection, expiresAt } = payment;
    const id = sandboxId(orderId, number);
    return {
      id,
      customer: collection === 'card' ? null : `sandbox-${orderId}`,
      reference: {
        method: collection,
        reference: referenceOf(orderId, payment),
        institution: INSTITUTIONS[collection],
        externalUrl: `${this.#options.pageUrl}/${id}`,
      },
      expiresAt,
    };
  }

  #toProvided(orderId: number, number: number, order: SandboxOrder): ProvidedPayment {
    const payment = findPayment(order, number);
    if (!payment) throw new PaymentsUnavailable(new Error('no such payment'));
    return {
      id: sandboxId(orderId, number),
      orderId,
      attempt: number,
      amountCents: payment.amountCents,
      state: readSandboxState(payment, this.#options.now()),
      unmatchedCents: payment.collection === 'spei' ? order.keptCents : 0,
      dispute: null,
    };
  }
}

const INSTITUTIONS = { card: 'Sandbox', oxxo: 'OXXO', spei: 'Sandbox' } as const;

/** A voucher's number, an order's CLABE (999 is no bank's code), or a page's id. */
function referenceOf(orderId: number, { collection, number }: SandboxPayment): string {
  if (collection === 'card') return sandboxId(orderId, number);
  if (collection === 'spei') return `999${String(orderId).padStart(15, '0')}`;
  return `99${String(orderId).padStart(15, '0')}${String(number).padStart(15, '0')}`;
}

function expectId(id: string): { orderId: number; number: number } {
  const parsed = parseSandboxId(id);
  if (!parsed) throw new PaymentsUnavailable(new Error('not an id of the sandbox'));
  return parsed;
}

/** Adds a payment, which takes kept money, unless its number exists already. */
function addPayment(order: SandboxOrder, attempt: PaymentAttempt, now: Date): SandboxOrder {
  const { number, folio, collection, amountCents, returnUrl, expiresAt } = attempt;
  if (findPayment(order, number)) return order;
  const payment: SandboxPayment = {
    ...{ number, folio, collection, amountCents, returnUrl, expiresAt },
    attempt: hashAttempt(attempt),
    receivedCents: 0,
    paidAt: null,
    ended: null,
  };
  return addMoney({ ...order, payments: [...order.payments, payment] }, 0, now);
}

function addRefund(order: SandboxOrder, number: number, request: RefundRequest): SandboxOrder {
  if (order.refunds.some((refund) => refund.number === request.number)) return order;
  const payment = findPayment(order, number);
  if (!payment || !isPaid(payment)) throw new PaymentRefused('not_paid');
  if (payment.collection === 'oxxo') throw new PaymentRefused('refund_not_supported');
  const earlier = order.refunds.filter((refund) => refund.payment === number);
  const refundedCents = sumCents(earlier.map(({ amountCents }) => amountCents));
  if (refundedCents === payment.receivedCents) throw new PaymentRefused('charge_already_refunded');
  if (refundedCents + request.amountCents > payment.receivedCents) throw new PaymentRefused('refused');
  const refund = { number: request.number, payment: number, amountCents: request.amountCents };
  return { ...order, refunds: [...order.refunds, refund] };
}

const toRefund = ({ payment, number, amountCents }: RefundRequest): ProvidedRefund => ({
  id: `${payment}-refund-${number}`,
  amountCents,
  status: 'succeeded',
});

// The local server answers only this machine, and a call only makes it read its own table.
const SECRET = 'sandbox-of-the-local-server';
const TOLERANCE_SECONDS = 300;

const sign = (seconds: number, body: Uint8Array): Buffer =>
  createHmac('sha256', SECRET).update(`${seconds}.`).update(body).digest();

type SandboxCall = { readonly body: Buffer<ArrayBuffer>; readonly signature: string };

/** Returns the call that announces a change, signed as Stripe signs. */
export function makeSandboxCall(content: PaymentSign, now: Date): SandboxCall {
  const body = Buffer.from(JSON.stringify(content));
  const seconds = Math.floor(now.getTime() / 1000);
  return { body, signature: `t=${seconds},v1=${sign(seconds, body).toString('hex')}` };
}

const paymentSign = z.object({
  orderId: z.number(),
  attempt: z.number().nullable(),
  about: z.enum(['payment', 'refund', 'dispute']),
});

/** Lets the handlers of this process collect through the sandbox. */
export const offerLocalPayments = (): void =>
  offerSandbox(async (table) => new SandboxPayments({ table, pageUrl: process.env.SANDBOX_PAYMENTS_URL ?? '', now }));
