/*
 * A model of the order service with one client, five users and a few products. It computes every expected answer
 * without code of the service. It takes ids and delivery dates from the first answer and expects them from then on.
 */

type Product = { readonly cents: number; readonly hasIva: boolean; readonly refusal?: 'shortage' | 'prescription' };
/** Products of the demonstration catalog. */
export const PRODUCTS: Readonly<Record<number, Product>> = {
  1: { cents: 2_850, hasIva: false },
  5: { cents: 6_450, hasIva: false },
  121: { cents: 24_900, hasIva: true },
  122: { cents: 7_200, hasIva: true },
  4: { cents: 5_800, hasIva: false, refusal: 'prescription' },
  129: { cents: 35_900, hasIva: true, refusal: 'shortage' },
};

/** The pieces of each tracked product at the store that ships and where orders are collected. */
export const STOCK: Readonly<Record<number, number>> = { 1: 40, 121: 25 };

/** The price, the rate discount and the rate of IVA of each delivery, with the zip code and method that select it. */
export const DELIVERIES = {
  standard: { state: 'CDMX', zipcode: '06700', cents: 7_900, discountCents: 0, ivaPercent: 16 },
  express: { state: 'CDMX', zipcode: '06700', method: 4, cents: 14_900, discountCents: 0, ivaPercent: 16 },
  discounted: { state: 'Jalisco', zipcode: '44100', cents: 9_900, discountCents: 3_000, ivaPercent: 8 },
  store: { cents: 0, discountCents: 0, ivaPercent: 16 },
} as const;
/** The zip codes of the border in the settings of the service. */
export const BORDER_ZIPCODES = '44000-44199';
type Delivery = keyof typeof DELIVERIES;
type Address = 'standard' | 'discounted';

type Coupon = {
  readonly percent?: number;
  readonly cents?: number;
  readonly fromCents?: number;
  readonly isFreeShipping?: true;
};
const COUPONS: Readonly<Record<string, Coupon>> = {
  BIENVENIDA10: { percent: 10 },
  MENOS50: { cents: 5_000 },
  MINIMO500: { cents: 7_500, fromCents: 50_000 },
  ENVIOGRATIS: { isFreeShipping: true },
};
export const COUPON_CODES = [...Object.keys(COUPONS), 'VERANO2025', 'NOEXISTE'];

export const MOVES: Readonly<Record<string, readonly string[]>> = {
  quoted: ['pending_approval', 'approved'],
  pending_approval: ['quoted', 'approved', 'cancelled'],
  approved: ['quoted', 'in_process', 'shortage', 'cancelled'],
  shortage: ['approved', 'cancelled'],
  in_process: ['ready', 'delayed', 'shortage'],
  ready: ['shipped', 'delayed'],
  delayed: ['in_process', 'ready', 'shipped'],
  shipped: ['delivered'],
};
export const PAYMENTS: Readonly<Record<string, readonly string[]>> = {
  unpaid: ['credit', 'processing', 'in_process', 'paid'],
  processing: ['in_process', 'paid', 'rejected'],
  in_process: ['paid', 'rejected'],
  credit: ['paid'],
  rejected: ['unpaid', 'processing'],
};

export type Line = { readonly product: number; readonly quantity: number };
/** Patients 0 and 1 are users from the start; 2 and 3 become known with their first order. */
export type Who = 'employee' | 'doctor a' | 'doctor b' | 'patient 0' | 'patient 1';
export type Names = { readonly first: string; readonly last: string; readonly second?: string };

export type Placing = {
  readonly who: Who;
  readonly patient: number;
  readonly names: Names;
  readonly details: readonly Line[];
  readonly coupon: string | null;
  readonly delivery: Delivery | 'default';
  readonly isOnCredit: boolean;
};
export type Filters = {
  readonly patient?: number;
  readonly included?: readonly string[];
  readonly excluded?: readonly string[];
  readonly payments?: readonly string[];
  readonly expectedFrom?: string;
  readonly expectedUntil?: string;
  readonly maxFrom?: string;
  readonly maxUntil?: string;
  readonly search?: string;
  readonly ordering?: readonly string[];
  readonly page: number;
  readonly limit: number;
};

type Person = { readonly first: string; readonly last: string; readonly second: string | null };
/** The values of an order that only the service can choose. */
export type Given = {
  readonly id: number;
  readonly patientId: number;
  readonly createdAt: string;
  readonly expected: string;
  readonly max: string;
};
export type ModelOrder = Given & {
  readonly who: Who;
  readonly patient: number;
  readonly person: Person;
  readonly shippingCents: number;
  readonly rateDiscountCents: number;
  readonly ivaPercent: number;
  readonly isOnCredit: boolean;
  readonly isPickup: boolean;
  details: readonly Line[];
  coupon: string | null;
  orderStatus: string;
  paymentStatus: string;
};
export type Refused =
  | 'fields'
  | 'not_found'
  | 'order_not_changeable'
  | 'order_paid'
  | 'order_not_cancellable'
  | 'order_on_credit'
  | 'move_not_allowed';

export class OrderModel {
  readonly orders: ModelOrder[] = [];
  readonly #people = new Map<number, Person>();
  readonly #addresses = new Map<number, Address>();
  readonly #patientIds = new Map<number, number>();

  constructor(users: ReadonlyMap<number, Names>) {
    for (const [patient, { first, last, second }] of users) {
      this.#people.set(patient, { first, last, second: second ?? null });
    }
  }

  /** Returns the service's id of a patient, or undefined before the patient's first order. */
  patientId(patient: number): number | undefined {
    return this.#patientIds.get(patient);
  }

  refusesToPlace({ who, patient, details, delivery, isOnCredit }: Placing): Refused | undefined {
    const isForSomebodyElse = who.startsWith('patient') && who !== `patient ${patient}`;
    const hasNoAddress = delivery === 'default' && !this.#addresses.has(patient);
    const mayNotOwe = isOnCredit && who !== 'employee';
    const isRefused = isForSomebodyElse || hasNoAddress || mayNotOwe || isBadBasket(details) || this.#lacks(details);
    return isRefused ? 'fields' : undefined;
  }

  /** Returns what is left of a tracked product, and what is reserved of it. */
  stock(product: number): { readonly available: number; readonly reserved: number } {
    const kept = this.orders.filter(({ orderStatus }) => orderStatus !== 'cancelled');
    const sold = (orders: readonly ModelOrder[]) => sum(orders.map(({ details }) => countPieces(details, product)));
    const waiting = kept.filter(({ orderStatus }) => WAITING.includes(orderStatus));
    return { available: (STOCK[product] ?? 0) - sold(kept), reserved: sold(waiting) };
  }

  #lacks(details: readonly Line[], before: readonly Line[] = []): boolean {
    return Object.keys(STOCK).some((product) => {
      const more = countPieces(details, Number(product)) - countPieces(before, Number(product));
      return more > Math.max(0, this.stock(Number(product)).available);
    });
  }

  place(placing: Placing, given: Given): void {
    const { who, patient, details, coupon, delivery, isOnCredit } = placing;
    const person = this.#personOf(placing);
    const address = delivery === 'default' ? this.#addresses.get(patient) : delivery;
    const { cents, discountCents, ivaPercent } = DELIVERIES[address as Delivery];
    // A doctor changes nobody who is known.
    if (!this.#people.has(patient) || !who.startsWith('doctor')) this.#people.set(patient, person);
    this.#patientIds.set(patient, given.patientId);
    if (!this.#addresses.has(patient) && delivery !== 'store' && !who.startsWith('doctor')) {
      this.#addresses.set(patient, delivery === 'discounted' ? 'discounted' : 'standard');
    }
    const order = {
      ...given,
      who,
      patient,
      person,
      details,
      coupon: applicableCoupon(coupon, details),
      shippingCents: cents,
      rateDiscountCents: discountCents,
      ivaPercent,
      isOnCredit,
      isPickup: delivery === 'store',
      orderStatus: details.some(isPrescribed) ? 'pending_approval' : 'approved',
      paymentStatus: isOnCredit ? 'credit' : 'unpaid',
    };
    this.orders.push(isFree(order) ? { ...order, paymentStatus: 'paid' } : order);
  }

  /** Returns the patient as an order shows them: by another name they have no second last name but one that was sent. */
  #personOf({ patient, names: { first, last, second }, who }: Placing): Person {
    const known = this.#people.get(patient);
    const isOther = who.startsWith('doctor') && (known?.first !== first || known.last !== last);
    return { first, last, second: second ?? (isOther ? null : (known?.second ?? null)) };
  }

  seen(order: ModelOrder, who: Who): boolean {
    if (who === 'employee') return true;
    return who.startsWith('doctor') ? order.who === who : who === `patient ${order.patient}`;
  }

  change(order: ModelOrder, details: readonly Line[], who: Who): Refused | undefined {
    if (!['quoted', 'approved'].includes(order.orderStatus)) return 'order_not_changeable';
    const changeable = ['unpaid', 'rejected', ...(answersFor(order, who) ? ['credit'] : [])];
    const first = order.isOnCredit ? 'credit' : 'unpaid';
    const wasFree = isFree(order);
    if (!changeable.includes(wasFree ? first : order.paymentStatus)) return 'order_paid';
    const hasUncovered = order.orderStatus === 'approved' && details.some(isPrescribed);
    if (isBadBasket(details) || hasUncovered || this.#lacks(details, order.details)) return 'fields';
    order.details = details;
    order.coupon = applicableCoupon(order.coupon, details);
    if (isFree(order)) order.paymentStatus = 'paid';
    else if (wasFree) order.paymentStatus = first;
    return undefined;
  }

  cancel(order: ModelOrder, who: Who): Refused | undefined {
    const isCancellable = ['quoted', 'pending_approval', 'approved', 'shortage'].includes(order.orderStatus);
    if (!isCancellable && order.orderStatus !== 'cancelled') return 'order_not_cancellable';
    if (order.paymentStatus === 'credit' && !answersFor(order, who)) return 'order_on_credit';
    order.orderStatus = 'cancelled';
    return undefined;
  }

  /** Moves an order to another status. No order of the model has a prescription. */
  move(order: ModelOrder, to: string): Refused | undefined {
    const isUncovered = order.details.some(isPrescribed) && ['approved', 'in_process'].includes(to);
    // An order for pickup is handed over at its store, and never shipped.
    const isHandedOver = order.isPickup && order.orderStatus === 'ready' && to === 'delivered';
    const isNext = MOVES[order.orderStatus]?.includes(to) && !(order.isPickup && to === 'shipped');
    if (isUncovered || !(isNext || isHandedOver)) return 'move_not_allowed';
    order.orderStatus = to;
    return undefined;
  }

  pay(order: ModelOrder, to: string): Refused | undefined {
    const isTooLate = order.orderStatus === 'cancelled' && !['unpaid', 'rejected', 'paid'].includes(to);
    if (isTooLate || !PAYMENTS[order.paymentStatus]?.includes(to)) return 'move_not_allowed';
    order.paymentStatus = to;
    return undefined;
  }

  /** Returns the count and the page that a list must have, or undefined for a page after the last. */
  list(who: Who, filters: Filters): { count: number; page: ModelOrder[] } | undefined {
    const listed = this.orders.filter((order) => this.seen(order, who) && matchesFilters(order, filters));
    const terms = filters.ordering ?? ['-created_at'];
    listed.sort(
      (a, b) => terms.map((term) => compareOrders(a, b, term)).find((sign) => sign !== 0) ?? compareIds(a, b, terms),
    );
    const { page, limit } = filters;
    if (page > Math.max(1, Math.ceil(listed.length / limit))) return undefined;
    return { count: listed.length, page: listed.slice((page - 1) * limit, page * limit) };
  }

  /** Returns the number of orders that a user may see, by order status and payment status. */
  counts(who: Who): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const order of this.orders.filter((each) => this.seen(each, who))) {
      const pair = `${order.orderStatus} ${order.paymentStatus}`;
      counts[pair] = (counts[pair] ?? 0) + 1;
    }
    return counts;
  }
}

const WAITING = ['quoted', 'pending_approval', 'approved', 'shortage'];

const countPieces = (details: readonly Line[], product: number): number =>
  sum(details.filter((line) => line.product === product).map(({ quantity }) => quantity));

const answersFor = (order: ModelOrder, who: Who) => who === 'employee' || who === order.who;

const isPrescribed = ({ product, quantity }: Line) => quantity > 0 && PRODUCTS[product]?.refusal === 'prescription';

const isFree = (order: Parameters<typeof figuresOf>[0]) => figuresOf(order).total === '0.00';

const isBadBasket = (details: readonly Line[]) =>
  details.some(({ product }) => PRODUCTS[product]?.refusal === 'shortage') ||
  details.every(({ quantity }) => quantity === 0);

const calculateGross = ({ product, quantity }: Line) => (PRODUCTS[product]?.cents ?? 0) * quantity;
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
// Rounds half a cent up; all amounts are small enough for exact arithmetic in hundredths of a cent.
const roundPercent = (cents: number, percent: number) => Math.floor((cents * percent + 50) / 100);

function applicableCoupon(code: string | null, details: readonly Line[]): string | null {
  const coupon = code === null ? undefined : COUPONS[code];
  return coupon && sum(details.map(calculateGross)) >= (coupon.fromCents ?? 0) ? code : null;
}

/** Returns the amounts of an order as the service must answer them. */
export function figuresOf(
  order: Pick<ModelOrder, 'details' | 'coupon' | 'shippingCents' | 'rateDiscountCents' | 'ivaPercent'>,
) {
  const { details, coupon: code, shippingCents, rateDiscountCents, ivaPercent } = order;
  const coupon = code === null ? {} : (COUPONS[code] ?? {});
  const subtotal = sum(details.map(calculateGross));
  const discount = Math.min(roundPercent(subtotal, coupon.percent ?? 0) + (coupon.cents ?? 0), subtotal);
  const iva = roundPercent(netWithIva(details, discount, subtotal), ivaPercent);
  const shippingDiscount = coupon.isFreeShipping ? shippingCents : rateDiscountCents;
  const total = subtotal - discount + iva + shippingCents - shippingDiscount;
  const amounts = {
    subtotal,
    discount,
    iva,
    shipping_price: shippingCents,
    shipping_discount: shippingDiscount,
    total,
  };
  return Object.fromEntries(Object.entries(amounts).map(([name, cents]) => [name, (cents / 100).toFixed(2)]));
}

/**
 * Returns the cents of the lines with IVA after the discount. The discount is distributed by the largest remainder; on
 * a tie, lines with IVA come first, then lines with a higher amount.
 */
function netWithIva(details: readonly Line[], discount: number, subtotal: number): number {
  const lines = details.map((line) => {
    const exact = discount * calculateGross(line);
    const hasIva = PRODUCTS[line.product]?.hasIva === true;
    return { gross: calculateGross(line), hasIva, cents: Math.floor(exact / subtotal), rest: exact % subtotal };
  });
  const left = discount - sum(lines.map(({ cents }) => cents));
  const byRest = lines.toSorted((a, b) => b.rest - a.rest || Number(b.hasIva) - Number(a.hasIva) || b.gross - a.gross);
  for (const line of byRest.slice(0, left)) line.cents += 1;
  return sum(lines.filter(({ hasIva }) => hasIva).map(({ gross, cents }) => gross - cents));
}

export const nameOf = ({ person: { first, last, second } }: ModelOrder) =>
  second === null ? `${first} ${last}` : `${first} ${last} ${second}`;

const foldText = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();

function matchesFilters(order: ModelOrder, filters: Filters): boolean {
  const words = foldText(filters.search ?? '').split(/\s+/);
  // Delivery dates are at 17:00 in Mexico City, which is the same day in UTC.
  const [expected, max] = [order.expected.slice(0, 10), order.max.slice(0, 10)];
  return (
    (filters.patient === undefined || filters.patient === order.patientId) &&
    (filters.included?.includes(order.orderStatus) ?? true) &&
    !filters.excluded?.includes(order.orderStatus) &&
    (filters.payments?.includes(order.paymentStatus) ?? true) &&
    expected >= (filters.expectedFrom ?? '') &&
    expected <= (filters.expectedUntil ?? '9') &&
    max >= (filters.maxFrom ?? '') &&
    max <= (filters.maxUntil ?? '9') &&
    words.every((word) => foldText(nameOf(order)).includes(word))
  );
}

function compareOrders(a: ModelOrder, b: ModelOrder, term: string): number {
  const field = term.endsWith('created_at') ? 'createdAt' : 'expected';
  const sign = Date.parse(a[field]) - Date.parse(b[field]);
  return term.startsWith('-') ? -sign : sign;
}

const compareIds = (a: ModelOrder, b: ModelOrder, [first = '']: readonly string[]) =>
  first.startsWith('-') ? b.id - a.id : a.id - b.id;
