import fc from 'fast-check';
import { type BasketInput, priceBasket } from '../../../shared/domain/pricing.ts';
import type { Order } from '../../../shared/order/order.ts';
import { randomBasket } from '../orders/random-baskets.ts';
import { INVOICING } from '../orders/samples.ts';
import { syntheticOrder } from '../orders/synthetic-orders.ts';

/** The outcome of a try of the provider: `unheard` is stamped without an answer, `lost` never arrives. */
type Outcome = 'stamped' | 'unheard' | 'lost' | 'down' | 'refused';
/** How the receiver, or SAT, answers a cancellation. */
export type Consent = 'accepted' | 'pending' | 'expired' | 'rejected';

/** The events of an order. Shares are thousandths of its total, or of what is left to credit or to pay back. */
export type Act =
  | { readonly kind: 'ask' | 'advance' | 'cancel' | 'cancel again' | 'replace' | 'issue' }
  | { readonly kind: 'pay'; readonly form: string }
  | { readonly kind: 'move payment'; readonly to: 'credit' | 'processing' | 'rejected' | 'unpaid' }
  | { readonly kind: 'credit' | 'refund'; readonly share: number; readonly form: string };

/** The life of an order; times are minutes since the order was placed. */
export type Plan = {
  readonly basket: BasketInput;
  readonly store: 'branch' | 'counter' | null;
  /** SAT's form of the payment method. */
  readonly form: string;
  readonly isOnCredit: boolean;
  /** Minutes since the year began. */
  readonly placedAt: number;
  readonly acts: readonly { readonly at: number; readonly act: Act }[];
  /** Used one after another, then again from the first. */
  readonly outcomes: readonly Outcome[];
  readonly consents: readonly Consent[];
};

const DAY = 24 * 60;
const YEAR = 365 * DAY;

const form = fc.constantFrom('01', '03', '04', '28');
const share = fc.oneof(fc.constant(1_000), fc.integer({ min: 1, max: 1_000 }));
const payment = fc.constantFrom('credit' as const, 'processing', 'rejected', 'unpaid');
const plain = fc.constantFrom(
  ...(['ask', 'advance', 'advance', 'cancel', 'cancel again', 'replace', 'replace', 'issue'] as const),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pay' as const), form }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move payment' as const), to: payment }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('credit' as const, 'refund'), share, form }) },
  { weight: 6, arbitrary: fc.record({ kind: plain }) },
);

const within = (minutes: number) => fc.integer({ min: 0, max: minutes });
// Soon, within the window of an invoice, or some months later.
const later = fc.oneof(within(60), within(3 * DAY), within(40 * DAY));

/** Half of the orders ask for their invoice, as half of them are paid soon. */
const begins = fc
  .record({ asks: fc.option(within(3 * DAY)), pays: fc.option(later), form })
  .map(({ asks, pays, form: paid }) => [
    ...(asks === null ? [] : [{ at: asks, act: { kind: 'ask' as const } }]),
    ...(pays === null ? [] : [{ at: pays, act: { kind: 'pay' as const, form: paid } }]),
  ]);

const outcome = fc.constantFrom<Outcome>(
  'stamped',
  'stamped',
  'stamped',
  'stamped',
  'unheard',
  'lost',
  'down',
  'refused',
);
const consent = fc.constantFrom<Consent>('accepted', 'accepted', 'pending', 'expired', 'rejected');

/** The lives of random orders of a year. */
export const randomPlan: fc.Arbitrary<Plan> = fc
  .record({
    basket: randomBasket,
    store: fc.constantFrom('branch', 'counter', null, null),
    form,
    isOnCredit: fc.boolean(),
    placedAt: fc.nat(YEAR - 1),
    begins,
    more: fc.array(fc.record({ at: later, act }), { maxLength: 6 }),
    outcomes: fc.array(outcome, { minLength: 1, maxLength: 6 }),
    consents: fc.array(consent, { minLength: 1, maxLength: 4 }),
  })
  .map(({ begins: first, more, ...plan }) => ({
    ...plan,
    acts: [...first, ...more].sort((one, other) => one.at - other.at),
  }));

// 2026-01-01 in Mexico City, which has no daylight saving time.
const YEAR_BEGINS = Date.parse('2026-01-01T06:00:00.000Z');

/** Returns the instant of a minute of the simulated year. */
export const toYearInstant = (minute: number): Date => new Date(YEAR_BEGINS + minute * 60_000);

const sample = syntheticOrder({ id: 1 });
const times = { created_at: sample.createdAt, updated_at: sample.updatedAt };
const receiver = {
  ...INVOICING,
  ...{ id: 1, latitude: null, longitude: null, updated_by: null, ...times },
} as unknown as NonNullable<Order['invoicing']>;

const storeAddress = { ...sample.shipping, company_name: 'Botica', business_hours: '9 a 21' } as unknown as NonNullable<
  Order['store']
>;
export const BRANCH_ZIPCODE = '64000';
const STORES = {
  branch: { zipcode: BRANCH_ZIPCODE, is_sat_branch: true },
  counter: { zipcode: '44100', is_sat_branch: false },
} as const;

/** Returns the order of a plan as it is placed. */
export function toOrder({ basket, store, form: paid, isOnCredit, placedAt: minute }: Plan, id: number): Order {
  // An order has no lines of no products.
  const sold = basket.lines.filter(({ quantity }) => quantity > 0);
  const inputs = sold.length > 0 ? sold : [{ unitPriceCents: 100, quantity: 1, ivaRateMicros: 0 }];
  const { lines: priced, ...amounts } = priceBasket({ ...basket, lines: inputs });
  const placedAt = toYearInstant(minute).toISOString();
  const lines = inputs.map(({ unitPriceCents: priceCents, quantity }, index) => {
    return { ...(sample.lines[0] as Order['lines'][number]), ...priced[index], id: index + 1, quantity, priceCents };
  });
  const status = isOnCredit ? 'credit' : 'unpaid';
  return {
    ...{ ...sample, ...amounts, id, lines, createdAt: placedAt, updatedAt: placedAt, linesAt: placedAt },
    store: store && { ...storeAddress, ...STORES[store] },
    invoicing: receiver,
    paymentMethod: {
      ...sample.paymentMethod,
      sat_payment_form: isOnCredit ? '99' : paid,
      initial_payment_status: status,
    },
    paymentStatus: status,
  };
}
