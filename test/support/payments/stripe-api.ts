import {
  type FakeIntent,
  type FakeLink,
  type FakeRefund,
  newId,
  newIntent,
  type StripeLife,
  seconds,
} from './stripe-life.ts';
import { type StripeAnswer, type StripeCall, type StripeForm, stripeError } from './stripe-server.ts';

/* The requests that a fake Stripe answers, and what it refuses. */

type Serve = (life: StripeLife, call: StripeCall, id: string) => StripeAnswer;

const ROUTES: readonly (readonly [method: string, path: RegExp, serve: Serve])[] = [
  ['POST', /^\/customers$/, createCustomer],
  ['GET', /^\/customers\/search$/, searchCustomers],
  ['GET', /^\/customers\/(\w+)\/cash_balance$/, readCash],
  ['GET', /^\/customers\/(\w+)$/, readCustomer],
  ['POST', /^\/payment_intents$/, createIntent],
  ['GET', /^\/payment_intents$/, listIntents],
  ['GET', /^\/payment_intents\/(\w+)$/, readIntent],
  ['POST', /^\/payment_intents\/(\w+)\/cancel$/, cancelIntent],
  ['POST', /^\/payment_links$/, createLink],
  ['GET', /^\/payment_links\/(\w+)$/, readLink],
  ['POST', /^\/payment_links\/(\w+)$/, updateLink],
  ['GET', /^\/checkout\/sessions$/, listSessions],
  ['POST', /^\/checkout\/sessions\/(\w+)\/expire$/, expireSession],
  ['POST', /^\/refunds$/, createRefund],
  ['GET', /^\/refunds$/, listRefunds],
  ['GET', /^\/disputes$/, listDisputes],
  ['GET', /^\/account$/, (life) => ok({ id: 'acct_1', object: 'account', capabilities: capabilities(life) })],
  ['GET', /^\/webhook_endpoints$/, (life) => ok(list(life.endpoints))],
];

export function serveStripe(life: StripeLife, call: StripeCall): StripeAnswer {
  for (const [method, path, serve] of ROUTES) {
    const match = call.method === method && path.exec(call.path);
    if (match) return serve(life, call, match[1] ?? '');
  }
  return stripeError(404, { message: `Unrecognized request URL (${call.method}: /v1${call.path}).` });
}

const ok = (body: object): StripeAnswer => ({
  status: 200,
  body: structuredClone(body),
  headers: { 'Request-Id': newId('req', 14) },
});
const list = (data: readonly object[]) => ({ object: 'list', url: '/v1', has_more: false, data });
const missing = (id: string) => stripeError(404, { code: 'resource_missing', message: `No such object: '${id}'` });
/** A refusal of the parameters, before anything runs. */
const invalid = (error: Readonly<Record<string, string>>): StripeAnswer => ({
  ...stripeError(400, error),
  isRefusedEarly: true,
});

const capabilities = ({ allowed }: StripeLife) => ({
  card_payments: allowed.has('card') ? 'active' : 'inactive',
  oxxo_payments: allowed.has('oxxo') ? 'active' : 'inactive',
  mx_bank_transfer_payments: allowed.has('customer_balance') ? 'active' : 'inactive',
});

/** Returns a refusal if a form has a parameter that Stripe does not know here. */
function refuseUnknown({ form }: StripeCall, known: readonly string[]): StripeAnswer | undefined {
  const unknown = Object.keys(form).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : invalid({ code: 'parameter_unknown', param: unknown });
}

/** Returns the text under a path of a form: `a.b.0`. */
function read(form: StripeForm, path: string): string {
  let node: string | StripeForm | undefined = form;
  for (const name of path.split('.')) node = typeof node === 'object' ? node[name] : undefined;
  return typeof node === 'string' ? node : '';
}

const readTexts = (form: StripeForm, name: string): Record<string, string> => ({
  ...((form[name] ?? {}) as Record<string, string>),
});
const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

function createCustomer(life: StripeLife, call: StripeCall): StripeAnswer {
  const refused = refuseUnknown(call, ['email', 'name', 'metadata', 'cash_balance']);
  if (refused) return refused;
  const email = read(call.form, 'email');
  if (!MAIL.test(email)) return invalid({ code: 'email_invalid', param: 'email' });
  const customer = { id: newId('cus', 14), metadata: readTexts(call.form, 'metadata'), email, cash: 0 };
  life.customers.set(customer.id, customer);
  return ok({ object: 'customer', id: customer.id, email, metadata: customer.metadata });
}

function readCustomer(life: StripeLife, _: StripeCall, id: string): StripeAnswer {
  const customer = life.customers.get(id);
  return customer ? ok({ object: 'customer', id, email: customer.email, metadata: customer.metadata }) : missing(id);
}

function readCash(life: StripeLife, _: StripeCall, id: string): StripeAnswer {
  const customer = life.customers.get(id);
  if (!customer) return missing(id);
  return ok({ object: 'cash_balance', customer: id, available: customer.cash > 0 ? { mxn: customer.cash } : null });
}

function searchCustomers(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const [, name = '', value] = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(read(form, 'query')) ?? [];
  const found = [...life.customers.values()].filter(({ metadata }) => metadata[name] === value);
  const data = found.map(({ id, metadata }) => ({ object: 'customer', id, metadata }));
  return ok({ object: 'search_result', url: '/v1', has_more: false, next_page: null, data });
}

const INTENT_PARAMETERS = [
  'amount',
  'currency',
  'customer',
  'confirm',
  'allowed_payment_method_types',
  'payment_method_data',
  'payment_method_options',
  'metadata',
  'description',
];

function createIntent(life: StripeLife, call: StripeCall): StripeAnswer {
  const { form } = call;
  if (form.payment_method_types) return invalid({ code: 'payment_method_types_no_longer_supported' });
  const method = read(form, 'payment_method_data.type');
  const refused = refuseUnknown(call, INTENT_PARAMETERS) ?? (method === 'oxxo' ? refuseVoucher(form) : undefined);
  if (refused) return refused;
  const customer = life.customers.get(read(form, 'customer'));
  if (!customer) return missing(read(form, 'customer'));
  const wanted = Object.values(readTexts(form, 'allowed_payment_method_types'));
  const intent = newIntent({
    amount: Number(read(form, 'amount')),
    metadata: readTexts(form, 'metadata'),
    livemode: call.isLive,
    types: wanted.filter((type) => life.allowed.has(type)),
    customer: customer.id,
    description: read(form, 'description'),
  });
  life.intents.set(intent.id, intent);
  if (!intent.payment_method_types.includes(method)) return ok(intent);
  intent.status = 'requires_action';
  intent.next_action = method === 'oxxo' ? voucher(form) : bankTransfer(intent, customer.id);
  if (method === 'customer_balance' && customer.cash > 0) life.book(customer);
  return ok(intent);
}

/** The rules of a voucher (https://docs.stripe.com/payments/oxxo). */
function refuseVoucher(form: StripeForm): StripeAnswer | undefined {
  const amount = Number(read(form, 'amount'));
  if (amount < 1_000) return invalid({ code: 'amount_too_small', param: 'amount' });
  if (amount > 1_000_000) return invalid({ code: 'amount_too_large', param: 'amount' });
  const payer = 'payment_method_data.billing_details';
  const names = read(form, `${payer}.name`)
    .split(' ')
    .filter((name) => name.length > 1);
  if (names.length < 2) return invalid({ param: 'payment_method_data[billing_details][name]' });
  if (!MAIL.test(read(form, `${payer}.email`)))
    return invalid({ param: 'payment_method_data[billing_details][email]' });
  const days = Number(read(form, 'payment_method_options.oxxo.expires_after_days'));
  return days >= 1 && days <= 7 ? undefined : invalid({ param: 'payment_method_options[oxxo][expires_after_days]' });
}

const DAY_SECONDS = 86_400;
// Mexico City is at UTC-6 all year.
const OFFSET_SECONDS = 6 * 3_600;

function voucher(form: StripeForm): object {
  const days = Number(read(form, 'payment_method_options.oxxo.expires_after_days'));
  const today = Math.floor((seconds() - OFFSET_SECONDS) / DAY_SECONDS);
  const details = {
    number: String(seconds()).padStart(32, '9'),
    hosted_voucher_url: `https://payments.stripe.com/oxxo/voucher/test_${newId('YWNjdF8x', 80)}`,
    expires_after: (today + days + 1) * DAY_SECONDS + OFFSET_SECONDS - 1,
  };
  return { type: 'oxxo_display_details', oxxo_display_details: details };
}

const ADDRESS = {
  city: 'Ciudad de México',
  country: 'MX',
  line1: 'x',
  line2: null,
  postal_code: '06700',
  state: 'CMX',
};

function bankTransfer(intent: FakeIntent, customer: string): object {
  // Each customer has its own CLABE, for good.
  const clabe = `002180${[...customer.slice(4)]
    .map((sign) => Number.parseInt(sign, 16) % 10)
    .join('')
    .slice(0, 12)}`;
  const spei = { clabe, bank_code: '002', bank_name: 'BANAMEX', account_holder_name: 'Botica' };
  const instructions = {
    amount_remaining: intent.amount,
    currency: 'mxn',
    reference: newId('ref', 12),
    type: 'mx_bank_transfer',
    hosted_instructions_url: `https://payments.stripe.com/bank_transfers/instructions/test_${newId('YWNjdF8x', 85)}`,
    financial_addresses: [
      {
        type: 'spei',
        supported_networks: ['spei'],
        spei: { ...spei, account_holder_address: ADDRESS, bank_address: ADDRESS },
      },
    ],
  };
  return { type: 'display_bank_transfer_instructions', display_bank_transfer_instructions: instructions };
}

function listIntents(life: StripeLife, { form }: StripeCall): StripeAnswer {
  return ok(list([...life.intents.values()].filter(({ customer }) => customer === read(form, 'customer'))));
}

function readIntent(life: StripeLife, { form }: StripeCall, id: string): StripeAnswer {
  const intent = life.intents.get(id);
  if (!intent) return missing(id);
  const isExpanded = Object.values(readTexts(form, 'expand')).some((path) => path.startsWith('latest_charge'));
  return ok(isExpanded ? withCharge(life, intent) : intent);
}

const withCharge = (life: StripeLife, intent: FakeIntent) => ({
  ...intent,
  latest_charge: life.charges.get(intent.latest_charge ?? '') ?? null,
});

const CANCELLABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];

function cancelIntent(life: StripeLife, _: StripeCall, id: string): StripeAnswer {
  const intent = life.intents.get(id);
  if (!intent) return missing(id);
  // A voucher that was shown can be paid until it is over.
  const isShown = intent.payment_method_types.includes('oxxo') && intent.status === 'requires_action';
  if (isShown || !CANCELLABLE.includes(intent.status))
    return { ...stripeError(400, { code: 'payment_intent_unexpected_state' }), isRefusedEarly: false };
  life.cancel(intent);
  return ok(intent);
}

const LINK_PARAMETERS = [
  'line_items',
  'payment_method_types',
  'restrictions',
  'metadata',
  'payment_intent_data',
  'after_completion',
  'inactive_message',
];

function createLink(life: StripeLife, call: StripeCall): StripeAnswer {
  const { form } = call;
  const refused = refuseUnknown(call, LINK_PARAMETERS);
  if (refused) return refused;
  const amount = Number(read(form, 'line_items.0.price_data.unit_amount'));
  if (amount < 1_000) return invalid({ code: 'amount_too_small', param: 'line_items[0][price_data][unit_amount]' });
  const link: FakeLink = {
    id: newId('plink', 24),
    object: 'payment_link',
    active: true,
    url: `https://buy.stripe.com/test_${newId('8x', 14)}`,
    currency: 'mxn',
    metadata: readTexts(form, 'metadata'),
    livemode: call.isLive,
    amount,
    intentMetadata: readTexts(form.payment_intent_data as StripeForm, 'metadata'),
    name: read(form, 'payment_intent_data.description'),
    sent: form,
  };
  life.links.set(link.id, link);
  return ok(shownLink(link));
}

const shownLink = ({ sent: _, amount: __, name: ___, intentMetadata: ____, ...link }: FakeLink): object => link;

function readLink(life: StripeLife, { form }: StripeCall, id: string): StripeAnswer {
  const link = life.links.get(id);
  if (!link) return missing(id);
  const isExpanded = Object.values(readTexts(form, 'expand')).includes('line_items');
  const items = list([{ object: 'item', amount_total: link.amount, quantity: 1, description: link.name }]);
  return ok({ ...shownLink(link), ...(isExpanded && { line_items: items }) });
}

function updateLink(life: StripeLife, { form }: StripeCall, id: string): StripeAnswer {
  const link = life.links.get(id);
  if (!link) return missing(id);
  link.active = read(form, 'active') === 'true';
  return ok(shownLink(link));
}

function listSessions(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const ofLink = [...life.sessions.values()].filter((one) => one.payment_link === read(form, 'payment_link'));
  const listed = ofLink.filter(({ status }) => read(form, 'status') === '' || status === read(form, 'status'));
  const isExpanded = Object.values(readTexts(form, 'expand')).some((path) => path.startsWith('data.payment_intent.l'));
  if (!isExpanded) return ok(list(listed));
  const intents = listed.map(({ payment_intent: id }) => life.intents.get(id ?? ''));
  const expanded = intents.map((intent) => (intent ? withCharge(life, intent) : null));
  return ok(list(listed.map((one, index) => ({ ...one, payment_intent: expanded[index] }))));
}

function expireSession(life: StripeLife, _: StripeCall, id: string): StripeAnswer {
  const session = life.sessions.get(id);
  if (!session) return missing(id);
  if (session.status !== 'open')
    return stripeError(400, { message: 'Only Checkout Sessions with a status in ["open"] can be expired.' });
  session.status = 'expired';
  life.tell('checkout.session.expired', session);
  return ok(session);
}

function createRefund(life: StripeLife, call: StripeCall): StripeAnswer {
  const { form } = call;
  const refused = refuseUnknown(call, ['payment_intent', 'amount', 'metadata', 'reason', 'instructions_email']);
  if (refused) return refused;
  const intent = life.intents.get(read(form, 'payment_intent'));
  const charge = life.charges.get(intent?.latest_charge ?? '');
  if (!intent || !charge) return missing(read(form, 'payment_intent'));
  const amount = Number(read(form, 'amount'));
  if (charge.disputed) return stripeError(400, { code: 'charge_disputed' });
  if (charge.amount_refunded === charge.amount) return stripeError(400, { code: 'charge_already_refunded' });
  if (amount > charge.amount - charge.amount_refunded) return invalid({ param: 'amount' });
  charge.amount_refunded += amount;
  const refund: FakeRefund = {
    id: newId('re', 24),
    object: 'refund',
    amount,
    currency: 'mxn',
    status: intent.payment_method_types.includes('card') ? 'succeeded' : 'requires_action',
    metadata: readTexts(form, 'metadata'),
    payment_intent: intent.id,
  };
  life.refunds.set(refund.id, refund);
  life.tell('refund.created', refund);
  return ok(refund);
}

function listRefunds(life: StripeLife, { form }: StripeCall): StripeAnswer {
  return ok(list([...life.refunds.values()].filter((one) => one.payment_intent === read(form, 'payment_intent'))));
}

function listDisputes(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const ofIntent = [...life.disputes.values()].filter((one) => one.payment_intent === read(form, 'payment_intent'));
  return ok(list(ofIntent.reverse()));
}
