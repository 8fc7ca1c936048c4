import {
  DAY_SECONDS,
  type FakeCustomer,
  type FakeIntent,
  type FakeLink,
  type FakeRefund,
  type FakeSession,
  newId,
  newIntent,
  type StripeLife,
  seconds,
} from './stripe-life.ts';
import { type StripeAnswer, type StripeCall, type StripeForm, stripeError } from './stripe-server.ts';

/* The requests that a fake Stripe answers, and what it refuses. */

type Serve = (life: StripeLife, call: StripeCall, id: string) => StripeAnswer;

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

/** Returns a route that serves one object by its id. */
const serveOne =
  <Kept>(
    choose: (life: StripeLife) => ReadonlyMap<string, Kept>,
    serve: (life: StripeLife, kept: Kept, call: StripeCall) => StripeAnswer,
  ): Serve =>
  (life, call, id) => {
    const kept = choose(life).get(id);
    return kept ? serve(life, kept, call) : missing(id);
  };
/** True if a form asks to expand a path that begins so. */
const isExpanded = ({ form }: StripeCall, path: string): boolean =>
  Object.values(readTexts(form, 'expand')).some((expanded) => expanded.startsWith(path));

function createCustomer(life: StripeLife, call: StripeCall): StripeAnswer {
  const email = read(call.form, 'email');
  if (!MAIL.test(email)) return invalid({ code: 'email_invalid', param: 'email' });
  const metadata = readTexts(call.form, 'metadata');
  const customer = { id: newId('cus', 14), object: 'customer', metadata, email, cash: 0 } as const;
  life.customers.set(customer.id, customer);
  return ok(customer);
}

function readCash(_: StripeLife, { id, cash }: FakeCustomer): StripeAnswer {
  return ok({ object: 'cash_balance', customer: id, available: cash > 0 ? { mxn: cash } : null });
}

function searchCustomers(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const [, name = '', value] = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(read(form, 'query')) ?? [];
  const data = [...life.customers.values()].filter(({ metadata }) => metadata[name] === value);
  return ok({ object: 'search_result', url: '/v1', has_more: false, next_page: null, data });
}

function createIntent(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const method = read(form, 'payment_method_data.type');
  const refused = method === 'oxxo' ? refuseVoucher(form) : undefined;
  if (refused) return refused;
  const customer = life.customers.get(read(form, 'customer'));
  if (!customer) return missing(read(form, 'customer'));
  const wanted = Object.values(readTexts(form, 'allowed_payment_method_types'));
  const intent = newIntent({
    amount: Number(read(form, 'amount')),
    metadata: readTexts(form, 'metadata'),
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
  const names = read(form, 'payment_method_data.billing_details.name').split(' ');
  const words = names.filter((name) => name.length > 1);
  return words.length < 2 ? invalid({ param: 'payment_method_data[billing_details][name]' }) : undefined;
}

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

function bankTransfer(intent: FakeIntent, customer: string): object {
  // Each customer has its own CLABE, for good.
  const digits = [...customer.slice(4)].map((sign) => Number.parseInt(sign, 16) % 10).join('');
  const spei = { clabe: `002180${digits.slice(0, 12)}`, bank_name: 'BANAMEX' };
  const instructions = {
    amount_remaining: intent.amount,
    hosted_instructions_url: `https://payments.stripe.com/bank_transfers/instructions/test_${newId('YWNjdF8x', 85)}`,
    financial_addresses: [{ type: 'spei', supported_networks: ['spei'], spei }],
  };
  return { type: 'display_bank_transfer_instructions', display_bank_transfer_instructions: instructions };
}

function listIntents(life: StripeLife, { form }: StripeCall): StripeAnswer {
  return ok(list([...life.intents.values()].filter(({ customer }) => customer === read(form, 'customer'))));
}

const readIntent = (life: StripeLife, intent: FakeIntent, call: StripeCall): StripeAnswer =>
  ok(isExpanded(call, 'latest_charge') ? withCharge(life, intent) : intent);

const withCharge = (life: StripeLife, intent: FakeIntent) => ({
  ...intent,
  latest_charge: life.charges.get(intent.latest_charge ?? '') ?? null,
});

const CANCELLABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];

function cancelIntent(life: StripeLife, intent: FakeIntent): StripeAnswer {
  // A voucher that was shown can be paid until it is over.
  const isShown = intent.payment_method_types.includes('oxxo') && intent.status === 'requires_action';
  if (isShown || !CANCELLABLE.includes(intent.status))
    return stripeError(400, { code: 'payment_intent_unexpected_state' });
  life.cancel(intent);
  return ok(intent);
}

function createLink(life: StripeLife, { form }: StripeCall): StripeAnswer {
  const amount = Number(read(form, 'line_items.0.price_data.unit_amount'));
  if (amount < 1_000) return invalid({ code: 'amount_too_small', param: 'line_items[0][price_data][unit_amount]' });
  const link: FakeLink = {
    id: newId('plink', 24),
    object: 'payment_link',
    active: true,
    url: `https://buy.stripe.com/test_${newId('8x', 14)}`,
    metadata: readTexts(form, 'metadata'),
    amount,
    intentMetadata: readTexts(form.payment_intent_data as StripeForm, 'metadata'),
    name: read(form, 'payment_intent_data.description'),
  };
  life.links.set(link.id, link);
  return ok(link);
}

function readLink(_: StripeLife, link: FakeLink, call: StripeCall): StripeAnswer {
  const items = list([{ object: 'item', amount_total: link.amount, quantity: 1, description: link.name }]);
  return ok({ ...link, ...(isExpanded(call, 'line_items') && { line_items: items }) });
}

function updateLink(life: StripeLife, link: FakeLink, call: StripeCall): StripeAnswer {
  link.active = read(call.form, 'active') === 'true';
  return readLink(life, link, call);
}

function expireSession(life: StripeLife, session: FakeSession): StripeAnswer {
  if (session.status !== 'open')
    return stripeError(400, { message: 'Only Checkout Sessions with a status in ["open"] can be expired.' });
  session.status = 'expired';
  life.tell('checkout.session.expired', session);
  return ok(session);
}

function listSessions(life: StripeLife, call: StripeCall): StripeAnswer {
  const [link, asked] = [read(call.form, 'payment_link'), read(call.form, 'status')];
  const listed = [...life.sessions.values()].filter(
    ({ payment_link, status }) => payment_link === link && (asked === '' || status === asked),
  );
  if (!isExpanded(call, 'data.payment_intent.l')) return ok(list(listed));
  const expand = (id: string | null) => {
    const intent = life.intents.get(id ?? '');
    return intent ? withCharge(life, intent) : null;
  };
  return ok(list(listed.map((one) => ({ ...one, payment_intent: expand(one.payment_intent) }))));
}

function createRefund(life: StripeLife, { form }: StripeCall): StripeAnswer {
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
    status: intent.payment_method_types.includes('card') ? 'succeeded' : 'requires_action',
    metadata: readTexts(form, 'metadata'),
    payment_intent: intent.id,
  };
  life.refunds.set(refund.id, refund);
  life.tell('refund.created', refund);
  return ok(refund);
}

/** Lists what belongs to a payment, the newest first. */
function listOf(objects: ReadonlyMap<string, { payment_intent: string }>, { form }: StripeCall): StripeAnswer {
  const ofIntent = [...objects.values()].filter((one) => one.payment_intent === read(form, 'payment_intent'));
  return ok(list(ofIntent.reverse()));
}

const ROUTES: readonly (readonly [method: string, path: RegExp, serve: Serve])[] = [
  ['POST', /^\/customers$/, createCustomer],
  ['GET', /^\/customers\/search$/, searchCustomers],
  ['GET', /^\/customers\/(\w+)\/cash_balance$/, serveOne(({ customers }) => customers, readCash)],
  [
    'GET',
    /^\/customers\/(\w+)$/,
    serveOne(
      ({ customers }) => customers,
      (_, customer) => ok(customer),
    ),
  ],
  ['POST', /^\/payment_intents$/, createIntent],
  ['GET', /^\/payment_intents$/, listIntents],
  ['GET', /^\/payment_intents\/(\w+)$/, serveOne(({ intents }) => intents, readIntent)],
  ['POST', /^\/payment_intents\/(\w+)\/cancel$/, serveOne(({ intents }) => intents, cancelIntent)],
  ['POST', /^\/payment_links$/, createLink],
  ['GET', /^\/payment_links\/(\w+)$/, serveOne(({ links }) => links, readLink)],
  ['POST', /^\/payment_links\/(\w+)$/, serveOne(({ links }) => links, updateLink)],
  ['GET', /^\/checkout\/sessions$/, listSessions],
  ['POST', /^\/checkout\/sessions\/(\w+)\/expire$/, serveOne(({ sessions }) => sessions, expireSession)],
  ['POST', /^\/refunds$/, createRefund],
  ['GET', /^\/refunds$/, (life, call) => listOf(life.refunds, call)],
  ['GET', /^\/disputes$/, (life, call) => listOf(life.disputes, call)],
  ['GET', /^\/account$/, (life) => ok({ id: 'acct_1', object: 'account', capabilities: capabilities(life) })],
  ['GET', /^\/webhook_endpoints$/, (life) => ok(list(life.endpoints))],
];
