import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  PaymentOutcomeUnknown,
  PaymentRefused,
  PaymentsUnavailable,
  type RefundRequest,
} from '../../../shared/payments/provider.ts';
import { inspectStripe, STRIPE_EVENTS } from '../../../shared/payments/stripe/calls.ts';
import { StripePayments } from '../../../shared/payments/stripe/stripe.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { scriptOnce, watchProvider } from '../../support/engines/watched-provider.ts';
import { loopback } from '../../support/http/loopback.ts';
import { inTime, newAttempt, paymentSuite } from '../../support/payments/payment-suite.ts';
import { openStripeServer, type StripeOutcome, stripeError } from '../../support/payments/stripe-server.ts';

const stripe = await openStripeServer();
afterAll(() => stripe.close());

const open = (url = stripe.url, key = stripe.testKey) =>
  new StripePayments({ key: async () => key, callSecret: async () => stripe.life.secret, url, now });

paymentSuite('Stripe', async () => ({
  provider: open(),
  async pay({ id, customer, reference }) {
    if (reference.method === 'card') stripe.life.payPage(stripe.life.openPage(id));
    if (reference.method === 'oxxo') stripe.life.payVoucher(id);
    if (reference.method === 'spei') stripe.life.transfer(customer ?? '', stripe.life.intents.get(id)?.amount ?? 0);
  },
  transfer: async ({ customer }, cents) => stripe.life.transfer(customer ?? '', cents),
  sign: (order, attempt, at) => {
    const object = { object: 'payment_intent', metadata: { order: String(order), attempt: String(attempt) } };
    const event = { object: 'event', type: 'payment_intent.succeeded', data: { object } };
    return stripe.life.sign(JSON.stringify(event), { at: at.getTime() / 1000 });
  },
  passTime: async () => stripe.life.passTime(),
}));

const START = new Date('2026-11-21T03:00:00.000Z');
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const request = (attempt = newAttempt('spei'), signal = inTime()) => open().request(attempt, signal);
const look = async (id: string) => (await open().look(id, inTime())).state;

const errors = watchProvider(stripe, /ana@|Ana|Muñoz|sk_test/);
beforeEach(() => setClock(START));

/** Scripts this outcome for the first call to a path. */
const forOnce = (path: string, outcome: StripeOutcome) =>
  scriptOnce(stripe, (call) => call.path === path && call.method === 'POST', outcome);

describe('what is sent to Stripe', () => {
  const listSent = () =>
    stripe.calls.map(({ method, path, sent, key, headers }) => ({
      line: `${method} ${path}`,
      sent: decodeURIComponent(sent.replaceAll('+', ' ')).split('&'),
      key,
      version: headers['stripe-version'],
      connection: headers.connection,
    }));
  const fixed = { version: '2026-10-28.endive', connection: 'close' };
  const listMetadata = (order: number, attempt: number, prefix = 'metadata') => [
    `${prefix}[order]=${order}`,
    `${prefix}[attempt]=${attempt}`,
    `${prefix}[key]=order-${order}-${attempt}-81984-1795230000000`,
  ];

  it('a voucher: amount, folio, name and e-mail', async () => {
    await request(newAttempt('oxxo', { orderId: 123, number: 2 }));
    const { id: customer } = [...stripe.life.customers.values()].at(-1) ?? {};
    expect(listSent()).toEqual([
      {
        ...{ ...fixed, line: 'POST /customers', key: 'order-123-2-81984-1795230000000-customer' },
        sent: ['name=Ana Muñoz', 'email=ana@example.mx', ...listMetadata(123, 2)],
      },
      {
        ...{ ...fixed, line: 'POST /payment_intents', key: 'order-123-2-81984-1795230000000' },
        sent: [
          ...['amount=81984', 'currency=mxn', `customer=${customer}`, 'confirm=true'],
          ...['allowed_payment_method_types[0]=oxxo', 'description=Pedido RX-00000123', ...listMetadata(123, 2)],
          'payment_method_data[type]=oxxo',
          'payment_method_data[billing_details][name]=Ana Muñoz',
          'payment_method_data[billing_details][email]=ana@example.mx',
          'payment_method_options[oxxo][expires_after_days]=3',
        ],
      },
    ]);
  });

  it('a transfer, to the customer that the order has', async () => {
    const { customer } = await request(newAttempt('spei', { orderId: 124 }));
    stripe.script();
    await request(newAttempt('spei', { orderId: 124, number: 2, customer }));
    const [intent, ...more] = listSent();
    expect(more).toEqual([]);
    expect(intent).toMatchObject({ ...fixed, line: 'POST /payment_intents', key: 'order-124-2-81984-1795230000000' });
    expect(intent?.sent).toEqual([
      ...['amount=81984', 'currency=mxn', `customer=${customer}`, 'confirm=true'],
      ...[
        'allowed_payment_method_types[0]=customer_balance',
        'description=Pedido RX-00000123',
        ...listMetadata(124, 2),
      ],
      'payment_method_data[type]=customer_balance',
      'payment_method_options[customer_balance][funding_type]=bank_transfer',
      'payment_method_options[customer_balance][bank_transfer][type]=mx_bank_transfer',
    ]);
  });

  it('the page of a card: nobody, and the address to return to', async () => {
    await request(newAttempt('card', { orderId: 125, returnUrl: 'https://tienda.example/gracias' }));
    const [link, ...more] = listSent();
    expect(more).toEqual([]);
    expect(link).toMatchObject({ ...fixed, line: 'POST /payment_links', key: 'order-125-1-81984-1795230000000' });
    const item = 'line_items[0]';
    expect(link?.sent).toEqual([
      ...[`${item}[quantity]=1`, `${item}[price_data][currency]=mxn`, `${item}[price_data][unit_amount]=81984`],
      `${item}[price_data][product_data][name]=Pedido RX-00000123`,
      ...['payment_method_types[0]=card', 'restrictions[completed_sessions][limit]=1', ...listMetadata(125, 1)],
      ...listMetadata(125, 1, 'payment_intent_data[metadata]'),
      'payment_intent_data[description]=Pedido RX-00000123',
      'inactive_message=Este pago ya no está disponible.',
      ...['after_completion[type]=redirect', 'after_completion[redirect][url]=https://tienda.example/gracias'],
    ]);
  });

  it.each([
    ['2026-11-21T04:00:00.000Z', '1'],
    ['2026-11-24T03:00:00.000Z', '3'],
    ['2026-12-21T03:00:00.000Z', '7'],
  ])('a voucher that is valid until %s ends after %s days', async (expiresAt, days) => {
    await request(newAttempt('oxxo', { expiresAt }));
    expect(stripe.calls.at(-1)?.form.payment_method_options).toEqual({ oxxo: { expires_after_days: days } });
  });
});

const HTML = { status: 502, body: '<html>Bad Gateway</html>' };
const NO_ERROR = { status: 503, body: { message: 'Service Unavailable' } };

describe('a call to Stripe that fails', () => {
  it.each([
    ['has no answer', 'hang'],
    ['is cut off before it is done', 'drop'],
    ['is cut off after it was done', 'lose reply'],
    ['stops in its answer', 'stall'],
    ['is answered 500 after it was done', 'fail after'],
    ['is answered 503 without an error', NO_ERROR],
    ['meets another with its key', stripeError(409, { code: 'idempotency_key_in_use' })],
  ] as const)('leaves its outcome unknown if it %s, and brings one payment', async (_, outcome) => {
    const attempt = newAttempt('spei');
    forOnce('/payment_intents', outcome);
    const unknown = await failure(request(attempt, AbortSignal.timeout(300)));
    expect(unknown).toBeInstanceOf(PaymentOutcomeUnknown);
    expect(unknown).toHaveProperty('isStored', false);
    // One call was on its way when the first one broke off; or Stripe keeps the failure for a day.
    const again = await failure(request(attempt));
    const found = again instanceof PaymentOutcomeUnknown ? await request(attempt).catch(() => again) : again;
    const payment = found instanceof PaymentOutcomeUnknown ? await open().find(attempt, inTime()) : found;
    expect(payment).toHaveProperty('reference.method', 'spei');
    const made = [...stripe.life.intents.values()].filter(({ metadata }) => metadata.order === `${attempt.orderId}`);
    expect(made).toHaveLength(1);
  });

  it('says that an answer is kept for ever, and finds what was done', async () => {
    const attempt = newAttempt('oxxo');
    forOnce('/payment_intents', 'fail after');
    expect(await failure(request(attempt))).toHaveProperty('isStored', false);
    expect(await failure(request(attempt))).toHaveProperty('isStored', true);
    expect(await open().find(attempt, inTime())).toMatchObject({ reference: { institution: 'OXXO' } });
  });

  it.each([
    ['too many calls', stripeError(429, { code: 'rate_limit' })],
    ['a lock', stripeError(429, { code: 'lock_timeout' })],
    ['the limit of transfers', stripeError(400, { code: 'payment_method_rate_limit_exceeded' })],
    ['a key that is refused', stripeError(401, {})],
    ['a right that the key lacks', stripeError(403, {})],
  ] as const)('has done nothing because of %s, and may be repeated', async (_, outcome) => {
    const attempt = newAttempt('card');
    forOnce('/payment_links', outcome);
    expect(await failure(request(attempt))).toBeInstanceOf(PaymentsUnavailable);
    expect(await request(attempt)).toHaveProperty('reference.method', 'card');
  });

  it('has done nothing without a connection', async () => {
    const closed = await loopback(() => undefined);
    await closed.close();
    expect(await failure(open(closed.url).request(newAttempt('card'), inTime()))).toBeInstanceOf(PaymentsUnavailable);
  });

  it.each([
    [{ amountCents: 999 }, 'amount_too_small'],
    [{ amountCents: 1_000_001 }, 'amount_too_large'],
    [{ payerEmail: 'ana' }, 'email_invalid'],
    [{ payerName: 'A' }, 'refused'],
  ])('refuses a voucher with %o for good: %s', async (more, reason) => {
    const refused = await failure(request(newAttempt('oxxo', more)));
    expect(refused).toBeInstanceOf(PaymentRefused);
    expect(refused).toHaveProperty('reason', reason);
    expect(errors).toEqual([]);
  });

  it('logs a refusal that the payer cannot change', async () => {
    forOnce('/payment_links', stripeError(400, { code: 'parameter_unknown', param: 'restrictions' }));
    expect(await failure(request(newAttempt('card')))).toHaveProperty('reason', 'parameter_unknown');
    expect(errors).toHaveLength(1);
    expect(JSON.parse(errors[0] ?? '')).toMatchObject({
      refusal: 'parameter_unknown',
      param: 'restrictions',
      status: 400,
    });
  });

  it.each(['hang', 'drop', HTML, stripeError(401, {})] as const)(
    'is unavailable when it only reads (%o)',
    async (outcome) => {
      const { id } = await request();
      stripe.script(() => outcome);
      const soon = () => AbortSignal.timeout(300);
      expect(await failure(open().look(id, soon()))).toBeInstanceOf(PaymentsUnavailable);
      expect(await failure(open().cancel(id, soon()))).toBeInstanceOf(PaymentsUnavailable);
    },
  );

  it('is unavailable for what the account does not know', async () => {
    expect(await failure(open().look('pi_of_another_account', inTime()))).toBeInstanceOf(PaymentsUnavailable);
    expect(errors[0]).toContain('resource_missing');
  });

  it('shows no address that does not fit, and the number all the same', async () => {
    const details = { number: '93', hosted_voucher_url: `https://x/${'y'.repeat(191)}` };
    const intent = { id: 'pi_1', object: 'payment_intent', status: 'requires_action', payment_method_types: ['oxxo'] };
    const body = { ...intent, next_action: { oxxo_display_details: details } };
    forOnce('/payment_intents', { status: 200, body });
    const { reference } = await request(newAttempt('oxxo'));
    expect(reference).toEqual({ method: 'oxxo', reference: '93', institution: 'OXXO', externalUrl: '' });
    expect(errors).toHaveLength(1);
  });
});

describe('the life of a voucher at Stripe', () => {
  it('ends with a day in Mexico City, and then the provider has the last word', async () => {
    const { id, expiresAt } = await request(newAttempt('oxxo'));
    expect(expiresAt).toBe('2026-11-24T05:59:59.000Z');
    setClock(new Date('2026-11-24T06:00:00.000Z'));
    expect(await look(id)).toEqual({ status: 'processing' });
    stripe.life.passTime();
    expect(await look(id)).toEqual({ status: 'processing' });
    setClock(new Date('2026-12-04T06:00:00.000Z'));
    stripe.life.passTime();
    expect(await look(id)).toEqual({ status: 'expired' });
  });

  it('may be paid although its time is over', async () => {
    const { id } = await request(newAttempt('oxxo'));
    setClock(new Date('2026-11-25T06:00:00.000Z'));
    stripe.life.passTime();
    stripe.life.payVoucher(id);
    expect(await look(id)).toMatchObject({ status: 'paid', paidAt: '2026-11-25T06:00:00.000Z', form: '01' });
  });
});

describe('the page of a card at Stripe', () => {
  it.each([
    ['credit', '04'],
    ['debit', '28'],
    ['prepaid', '28'],
    ['unknown', '04'],
  ] as const)('is paid with a %s card, form %s', async (funding, form) => {
    const { id } = await request(newAttempt('card'));
    stripe.life.payPage(stripe.life.openPage(id), funding);
    expect(await look(id)).toMatchObject({ status: 'paid', form });
  });

  it('stays open after a declined card, which may be followed by another', async () => {
    const { id } = await request(newAttempt('card'));
    const page = stripe.life.openPage(id);
    stripe.life.declinePage(page);
    expect(await look(id)).toEqual({ status: 'open' });
    stripe.life.payPage(page);
    expect(await look(id)).toMatchObject({ status: 'paid', receivedCents: 81_984 });
    expect(() => stripe.life.openPage(id)).toThrow('closed');
  });

  it('is closed with its open pages, and is being paid as long as one cannot be closed', async () => {
    const { id } = await request(newAttempt('card'));
    const [page, other] = [stripe.life.openPage(id), stripe.life.openPage(id)];
    forOnce(`/checkout/sessions/${page}/expire`, stripeError(400, { message: 'is being paid' }));
    expect((await open().cancel(id, inTime())).state).toEqual({ status: 'processing' });
    expect(() => stripe.life.payPage(other)).toThrow('closed');
    stripe.life.payPage(page);
    expect(await look(id)).toMatchObject({ status: 'paid' });
  });

  it('counts what two payers paid at once, and gives each back from its own', async () => {
    const attempt = newAttempt('card');
    const { id } = await request(attempt);
    for (const page of [stripe.life.openPage(id), stripe.life.openPage(id)]) stripe.life.payPage(page);
    expect(await look(id)).toMatchObject({ status: 'paid', receivedCents: 163_968 });
    const refund: RefundRequest = { orderId: attempt.orderId, number: 1, payment: id, amountCents: 81_984 };
    await open().refund(refund, inTime());
    await open().refund({ ...refund, number: 2 }, inTime());
    const refunded = [...stripe.life.refunds.values()].slice(-2).map(({ payment_intent }) => payment_intent);
    expect(new Set(refunded).size).toBe(2);
  });

  it('tells a dispute and how it ended', async () => {
    const { id } = await request(newAttempt('card'));
    stripe.life.payPage(stripe.life.openPage(id));
    const [intent] = [...stripe.life.intents.keys()].slice(-1);
    const dispute = stripe.life.dispute(intent ?? '');
    const told = async () => (await open().look(id, inTime())).dispute;
    expect(await told()).toEqual({ status: 'open', amountCents: 81_984 });
    stripe.life.closeDispute(dispute, 'lost');
    expect(await told()).toEqual({ status: 'lost', amountCents: 81_984 });
    stripe.life.closeDispute(dispute, 'won');
    expect(await told()).toEqual({ status: 'won', amountCents: 81_984 });
    const refund = { orderId: 1, number: 1, payment: id, amountCents: 100 };
    expect(await failure(open().refund(refund, inTime()))).toHaveProperty('reason', 'charge_disputed');
  });
});

describe('a refund at Stripe', () => {
  it.each(['succeeded', 'failed'] as const)('waits for the bank, and has %s then', async (status) => {
    const attempt = newAttempt('spei');
    const { id, customer } = await request(attempt);
    stripe.life.transfer(customer ?? '', 81_984);
    const refund = { orderId: attempt.orderId, number: 1, payment: id, amountCents: 81_984 };
    const made = await open().refund(refund, inTime());
    expect(made).toHaveProperty('status', 'pending');
    stripe.life.settleRefund(made.id, status);
    expect(await open().findRefund(refund, inTime())).toEqual({ ...made, status });
  });

  it('is made once, also after a lost answer', async () => {
    const attempt = newAttempt('card');
    const { id } = await request(attempt);
    stripe.life.payPage(stripe.life.openPage(id));
    const refund = { orderId: attempt.orderId, number: 1, payment: id, amountCents: 40_000 };
    forOnce('/refunds', 'lose reply');
    expect(await failure(open().refund(refund, inTime()))).toBeInstanceOf(PaymentOutcomeUnknown);
    expect(await open().refund(refund, inTime())).toMatchObject({ amountCents: 40_000, status: 'succeeded' });
    expect([...stripe.life.charges.values()].at(-1)?.amount_refunded).toBe(40_000);
  });
});

describe('a call of Stripe', () => {
  const signs = async () => {
    const calls = await stripe.life.takeCalls();
    return Promise.all(calls.map((call) => open().readCall(call, inTime())));
  };

  it('names the order and the attempt of each event', async () => {
    await stripe.life.takeCalls();
    const spei = newAttempt('spei');
    const { customer } = await request(spei);
    stripe.life.transfer(customer ?? '', 81_985);
    const ofSpei = { orderId: spei.orderId, attempt: 1, about: 'payment' };
    // The money arrived, the payment succeeded, and a cent is left.
    expect(await signs()).toEqual([{ ...ofSpei, attempt: null }, ofSpei, { ...ofSpei, attempt: null }]);

    const card = newAttempt('card', { number: 3 });
    const { id } = await request(card);
    stripe.life.payPage(stripe.life.openPage(id));
    const ofCard = { orderId: card.orderId, attempt: 3, about: 'payment' };
    expect(await signs()).toEqual([ofCard, ofCard]);
    await open().refund({ orderId: card.orderId, number: 1, payment: id, amountCents: 100 }, inTime());
    expect(await signs()).toEqual([{ orderId: card.orderId, attempt: null, about: 'refund' }]);
    stripe.life.dispute([...stripe.life.intents.keys()].at(-1) ?? '');
    expect(await signs()).toEqual([{ ...ofCard, about: 'dispute' }]);
  });

  it.each([
    ['of a kind that is not asked for', 'customer.created', { order: '1' }],
    ['of a payment that is no order', 'payment_intent.succeeded', {}],
    ['of an order that is none', 'payment_intent.succeeded', { order: '1e3' }],
  ])('says nothing %s', async (_, type, metadata) => {
    const call = await stripe.life.sign(JSON.stringify({ object: 'event', type, data: { object: { metadata } } }));
    expect(await open().readCall(call, inTime())).toBeUndefined();
  });

  it('has to come again if what it names cannot be read', async () => {
    const { customer } = await request();
    await stripe.life.takeCalls();
    stripe.life.transfer(customer ?? '', 100);
    const [call] = await stripe.life.takeCalls();
    stripe.script(() => 'drop');
    const read = open().readCall(call ?? { body: Buffer.alloc(0), signature: '' }, inTime());
    expect(await failure(read)).toBeInstanceOf(PaymentsUnavailable);
  });

  it('is nobody’s without a secret, and nothing that is no JSON', async () => {
    const call = await stripe.life.sign('{}');
    const access = { key: async () => stripe.testKey, callSecret: async () => undefined, url: stripe.url, now };
    expect(await failure(new StripePayments(access).readCall(call, inTime()))).toHaveProperty('name', 'CallNotSigned');
    const noJson = await stripe.life.sign('no JSON');
    expect(await failure(open().readCall(noJson, inTime()))).toHaveProperty('name', 'CallNotSigned');
  });
});

it('the account tells what it may collect, and whether the endpoint gets the events', async () => {
  const callUrl = 'https://api.example/v2/api/payments/stripe/';
  const inspect = () => inspectStripe({ key: stripe.testKey, url: stripe.url, callUrl }, inTime());
  const [lost, ...wanted] = STRIPE_EVENTS;
  stripe.life.allowed.delete('oxxo');
  const missing = { collections: ['card', 'spei'], endpoint: 'missing', missingEvents: [...STRIPE_EVENTS] };
  expect(await inspect()).toEqual(missing);
  stripe.life.allowed.add('oxxo');
  const endpoint = { object: 'webhook_endpoint', url: callUrl, status: 'enabled', api_version: '2026-10-28.endive' };
  for (const [more, told] of [
    [{ enabled_events: wanted }, { endpoint: 'registered', missingEvents: [lost] }],
    [
      { enabled_events: ['*'], status: 'disabled' },
      { endpoint: 'disabled', missingEvents: [] },
    ],
    [
      { enabled_events: ['*'], api_version: null },
      { endpoint: 'other_version', missingEvents: [] },
    ],
  ]) {
    stripe.life.endpoints.splice(0, 1, { ...endpoint, ...more });
    expect(await inspect()).toEqual({ collections: ['card', 'oxxo', 'spei'], ...told });
  }
});
