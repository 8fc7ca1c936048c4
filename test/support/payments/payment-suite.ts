import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CallNotSigned,
  PaymentOutcomeUnknown,
  type PaymentProvider,
  PaymentRefused,
  PaymentsUnavailable,
  type ProviderCall,
  type RequestedPayment,
} from '../../../shared/payments/provider.ts';
import type { Collection, PaymentAttempt } from '../../../shared/payments/rules/payment.ts';
import { setClock } from '../../../shared/runtime/clock.ts';

/** The acts of payers, at one implementation of the port. */
export type PayerWorld = {
  readonly provider: PaymentProvider;
  /** The patient pays what was asked for. */
  pay(payment: RequestedPayment): Promise<void>;
  /** A transfer of this amount arrives at the CLABE of a payment. */
  transfer(payment: RequestedPayment, cents: number): Promise<void>;
  /** A call about this order, signed at this time. */
  sign(orderId: number, attempt: number, at: Date): Promise<ProviderCall>;
  /** Time has passed, by which vouchers end. */
  passTime(): Promise<void>;
};

// 9 in the evening of the 20th in Mexico City.
const START = new Date('2026-11-21T03:00:00.000Z');
const DAY_MS = 86_400_000;
const daysLater = (days: number): Date => new Date(START.getTime() + days * DAY_MS);
export const inTime = (): AbortSignal => AbortSignal.timeout(10_000);

let lastOrder = Math.floor(Math.random() * 1_000_000) * 1_000;

export function newAttempt(collection: Collection, more: Partial<PaymentAttempt> = {}): PaymentAttempt {
  lastOrder += 1;
  return {
    orderId: lastOrder,
    folio: 'RX-00000123',
    number: 1,
    collection,
    amountCents: 81_984,
    payerName: 'Ana Muñoz',
    payerEmail: 'ana@example.mx',
    customer: null,
    returnUrl: null,
    createdAt: START.toISOString(),
    expiresAt: daysLater(collection === 'card' ? 1 : 3).toISOString(),
    ...more,
  };
}

/** The tests that every payment provider passes. */
export function paymentSuite(name: string, open: () => Promise<PayerWorld>): void {
  describe(`the port of payments at ${name}`, () => {
    let world: PayerWorld;
    let provider: PaymentProvider;
    beforeAll(async () => {
      world = await open();
      provider = world.provider;
    });
    beforeEach(() => setClock(START));
    afterAll(() => setClock());

    const request = (attempt: PaymentAttempt) => provider.request(attempt, inTime());
    const look = async (id: string) => (await provider.look(id, inTime())).state;
    const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

    it.each([
      ['card', '04', /^\S{10,50}$/],
      ['oxxo', '01', /^\d{32}$/],
      ['spei', '03', /^\d{18}$/],
    ] as const)(
      'shows a reference for %s that fits the interface, once, and tells that it was paid in form %s',
      async (collection, form, shape) => {
        const attempt = newAttempt(collection);
        const payment = await request(attempt);
        const { id, reference } = payment;
        expect(id.length).toBeLessThanOrEqual(50);
        expect(reference).toMatchObject({ method: collection, reference: expect.stringMatching(shape) });
        expect(reference.institution.length).toBeLessThanOrEqual(50);
        expect(reference.externalUrl).toMatch(/^https?:\/\/\S{10,190}$/);
        expect(await provider.look(id, inTime())).toEqual({
          ...{ id, orderId: attempt.orderId, attempt: 1, amountCents: 81_984 },
          ...{ state: { status: 'open' }, unmatchedCents: 0, dispute: null },
        });
        setClock(daysLater(0.5));
        expect(await request(attempt)).toEqual(payment);
        const other = await failure(request({ ...attempt, folio: 'RX-00000124' }));
        expect(other).toBeInstanceOf(PaymentOutcomeUnknown);
        expect(other).toHaveProperty('isStored', true);
        await world.pay(payment);
        const paid = { status: 'paid', receivedCents: 81_984, paidAt: '2026-11-21T15:00:00.000Z', form };
        expect(await look(id)).toEqual(paid);
      },
    );

    it.each(['oxxo', 'spei'] as const)('finds what an attempt by %s has brought', async (collection) => {
      const attempt = newAttempt(collection);
      expect(await provider.find(attempt, inTime())).toBeUndefined();
      const payment = await request(attempt);
      expect(await provider.find(attempt, inTime())).toMatchObject({ id: payment.id, reference: payment.reference });
      expect(await provider.find({ ...attempt, number: 2 }, inTime())).toBeUndefined();
    });

    it('cannot find the page of a card, whose address nobody has', async () => {
      const attempt = newAttempt('card');
      await request(attempt);
      expect(await provider.find(attempt, inTime())).toBeUndefined();
    });

    it.each((['card', 'spei'] as const).flatMap((by) => [[by, 'cancel'] as const, [by, 'withdraw'] as const]))(
      'ends %s by %s, also twice, and says that it was paid if that is too late',
      async (collection, end) => {
        const { id } = await request(newAttempt(collection));
        expect((await provider[end](id, inTime())).state).toEqual({ status: 'cancelled' });
        expect((await provider[end](id, inTime())).state).toEqual({ status: 'cancelled' });
        expect(await look(id)).toEqual({ status: 'cancelled' });
        const payment = await request(newAttempt(collection));
        await world.pay(payment);
        expect((await provider[end](payment.id, inTime())).state).toMatchObject({ status: 'paid' });
      },
    );

    it.each(['cancel', 'withdraw'] as const)(
      'cannot %s a voucher that was shown, which can still be paid',
      async (end) => {
        const payment = await request(newAttempt('oxxo'));
        expect((await provider[end](payment.id, inTime())).state).toEqual({ status: 'open' });
        await world.pay(payment);
        expect((await provider[end](payment.id, inTime())).state).toMatchObject({ status: 'paid' });
      },
    );

    it('lets a voucher expire, and leaves a transfer open after its time, which whoever asked ends', async () => {
      const transfer = await request(newAttempt('spei'));
      const voucher = await request(newAttempt('oxxo'));
      expect(Date.parse(voucher.expiresAt)).toBeGreaterThanOrEqual(daysLater(3).getTime());
      setClock(daysLater(4));
      await world.passTime();
      expect(await look(transfer.id)).toEqual({ status: 'open' });
      setClock(daysLater(16));
      await world.passTime();
      expect(await look(voucher.id)).toEqual({ status: 'expired' });
    });

    it('counts what a transfer brings in parts, and keeps what is too much', async () => {
      const payment = await request(newAttempt('spei'));
      await world.transfer(payment, 80_000);
      expect(await look(payment.id)).toEqual({ status: 'partly_paid', receivedCents: 80_000 });
      await world.transfer(payment, 2_000);
      const paid = await provider.look(payment.id, inTime());
      expect(paid.state).toMatchObject({ status: 'paid', receivedCents: 81_984 });
      expect(paid.unmatchedCents).toBe(16);
    });

    it('keeps what was paid in part, and what comes after cancelling, and puts it to the next attempt', async () => {
      const attempt = newAttempt('spei');
      const first = await request(attempt);
      await world.transfer(first, 30_000);
      expect(await provider.cancel(first.id, inTime())).toMatchObject({
        state: { status: 'cancelled' },
        unmatchedCents: 30_000,
      });
      await world.transfer(first, 1_000);
      expect(await provider.look(first.id, inTime())).toMatchObject({ unmatchedCents: 31_000 });
      const second = await request({ ...attempt, number: 2, amountCents: 50_000, customer: first.customer });
      expect(second.reference.reference).toBe(first.reference.reference);
      expect(await provider.look(second.id, inTime())).toMatchObject({
        state: { status: 'partly_paid', receivedCents: 31_000 },
        unmatchedCents: 0,
      });
    });

    it('is paid at once if the kept money is enough', async () => {
      const attempt = newAttempt('spei');
      const first = await request(attempt);
      await provider.cancel(first.id, inTime());
      await world.transfer(first, 81_984);
      const second = await request({ ...attempt, number: 2, customer: first.customer });
      expect(second.reference).toMatchObject({ method: 'spei' });
      expect(await look(second.id)).toMatchObject({ status: 'paid', receivedCents: 81_984 });
    });

    it('refuses for good what no repetition makes right, with a reason that fits', async () => {
      const refused = await failure(request(newAttempt('spei', { payerEmail: 'ana' })));
      expect(refused).toBeInstanceOf(PaymentRefused);
      expect(refused).toHaveProperty('reason', 'email_invalid');
    });

    it.each(['card', 'spei'] as const)('refunds what came by %s, once for each number', async (collection) => {
      const attempt = newAttempt(collection);
      const payment = await request(attempt);
      await world.pay(payment);
      const refund = { orderId: attempt.orderId, number: 1, payment: payment.id, amountCents: 30_000 };
      expect(await provider.findRefund(refund, inTime())).toBeUndefined();
      const made = await provider.refund(refund, inTime());
      expect(made).toHaveProperty('amountCents', 30_000);
      setClock(daysLater(2));
      expect(await provider.refund(refund, inTime())).toEqual(made);
      expect(await provider.findRefund(refund, inTime())).toEqual(made);
      const rest = { ...refund, number: 2, amountCents: 51_984 };
      expect((await provider.refund(rest, inTime())).id).not.toBe(made.id);
      const tooMuch = await failure(provider.refund({ ...refund, number: 3, amountCents: 1 }, inTime()));
      expect(tooMuch).toBeInstanceOf(PaymentRefused);
      expect(tooMuch).toHaveProperty('reason', 'charge_already_refunded');
    });

    it('refuses to refund a voucher, and what was not paid', async () => {
      const voucher = await request(newAttempt('oxxo'));
      await world.pay(voucher);
      const refund = { orderId: lastOrder, number: 1, payment: voucher.id, amountCents: 100 };
      expect(await failure(provider.refund(refund, inTime()))).toHaveProperty('reason', 'refund_not_supported');
      const card = await request(newAttempt('card'));
      const ofCard = await failure(provider.refund({ ...refund, payment: card.id }, inTime()));
      expect(ofCard).toHaveProperty('reason', 'not_paid');
    });

    const shiftSeconds = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
    it('reads a call with a signature of now', async () => {
      const { orderId } = newAttempt('card');
      for (const minutes of [-5, 0, 5]) {
        const call = await world.sign(orderId, 2, shiftSeconds(minutes * 60));
        expect(await provider.readCall(call, inTime())).toEqual({ orderId, attempt: 2, about: 'payment' });
      }
    });

    it.each<[string, number, (call: ProviderCall) => Partial<ProviderCall>]>([
      ['older than 5 minutes', -301, () => ({})],
      ['ahead by more than 5 minutes', 301, () => ({})],
      ['of another body', 0, () => ({ body: Buffer.from('{}') })],
      ['that is missing', 0, () => ({ signature: undefined })],
      ['that is none', 0, () => ({ signature: 't=1,v1=ñ' })],
      ['without a time', 0, ({ signature }) => ({ signature: signature?.replace(/t=\d+,/, '') })],
    ])('refuses a call with a signature %s', async (_, seconds, alter) => {
      const call = await world.sign(1, 1, shiftSeconds(seconds));
      const refused = await failure(provider.readCall({ ...call, ...alter(call) }, inTime()));
      expect(refused).toBeInstanceOf(CallNotSigned);
    });

    it('does nothing for a caller whose time is over', async () => {
      const attempt = newAttempt('spei');
      const over = AbortSignal.abort();
      expect(await failure(provider.request(attempt, over))).toBeInstanceOf(PaymentsUnavailable);
      expect(await provider.find(attempt, inTime())).toBeUndefined();
      const { id } = await request(attempt);
      expect(await failure(provider.look(id, over))).toBeInstanceOf(PaymentsUnavailable);
      expect(await failure(provider.cancel(id, over))).toBeInstanceOf(PaymentsUnavailable);
      expect(await look(id)).toEqual({ status: 'open' });
    });
  });
}
