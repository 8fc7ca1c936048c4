import { priceBasket } from '../../../../shared/domain/pricing.ts';
import type { Order } from '../../../../shared/store/orders/order.ts';
import { INVOICING } from '../../orders/samples.ts';
import { syntheticOrder } from '../../orders/synthetic-orders.ts';
import type { Plan } from './plans.ts';

// 2026-01-01 in Mexico City, which has no daylight saving time.
const YEAR_BEGINS = Date.parse('2026-01-01T06:00:00.000Z');
const MINUTE_MS = 60_000;

export const BRANCH_ZIPCODE = '64000';
const COUNTER_ZIPCODE = '44100';

/** Returns the instant of a minute of the simulated year. */
export const toYearInstant = (minute: number): Date => new Date(YEAR_BEGINS + minute * MINUTE_MS);

/** A basket without lines of no products, which an order does not have. */
function toBasket({ basket }: Plan) {
  const lines = basket.lines.filter(({ quantity }) => quantity > 0);
  return { ...basket, lines: lines.length > 0 ? lines : [{ unitPriceCents: 100, quantity: 1, ivaRateMicros: 0 }] };
}

/** Returns the order of a plan as it is placed. */
export function toOrder(plan: Plan, id: number): Order {
  const basket = toBasket(plan);
  const { lines: priced, ...amounts } = priceBasket(basket);
  const placedAt = toYearInstant(plan.placedAt).toISOString();
  const [line] = sample.lines;
  if (!line) throw new Error('an order has a line');
  const lines = basket.lines.map(({ unitPriceCents, quantity }, index) => {
    const { ivaRateMicros = 0, ...amountsOfLine } = priced[index] ?? {};
    return { ...line, ...amountsOfLine, id: index + 1, quantity, priceCents: unitPriceCents, ivaRateMicros };
  });
  return {
    ...sample,
    ...amounts,
    id,
    lines,
    createdAt: placedAt,
    updatedAt: placedAt,
    linesAt: placedAt,
    store: plan.store && { ...storeAddress, ...STORES[plan.store] },
    invoicing: receiver,
    paymentMethod: {
      ...sample.paymentMethod,
      sat_payment_form: plan.isOnCredit ? '99' : plan.form,
      initial_payment_status: plan.isOnCredit ? 'credit' : 'unpaid',
    },
    paymentStatus: plan.isOnCredit ? 'credit' : 'unpaid',
  };
}

const sample = syntheticOrder({ id: 1 });
const times = { created_at: sample.createdAt, updated_at: sample.updatedAt };
const receiver = {
  ...INVOICING,
  ...{ id: 1, latitude: null, longitude: null, updated_by: null, ...times },
} as unknown as NonNullable<Order['invoicing']>;

const storeAddress = { ...sample.shipping, company_name: 'Botica', business_hours: '9 a 21' } as unknown as NonNullable<
  Order['store']
>;
const STORES = {
  branch: { zipcode: BRANCH_ZIPCODE, is_sat_branch: true },
  counter: { zipcode: COUNTER_ZIPCODE, is_sat_branch: false },
} as const;
