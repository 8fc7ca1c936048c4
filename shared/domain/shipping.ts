import type { Cents } from './money.ts';

/** Both ends of ranges are inclusive; null is unbounded. `costCents` is the shop's own cost; the discount is temporary. */
export type ShippingRate = {
  shipping_method: number;
  zip_from: string;
  zip_to: string;
  priceCents: Cents;
  costCents: Cents | null;
  discountCents: Cents | null;
  discount_from: string | null;
  discount_until: string | null;
};

/** The days are working days. */
export type ShippingMethodTerms = {
  id: number;
  company: string;
  method: 'standard' | 'express' | 'local' | 'default';
  min_delivery_days: number | null;
  max_delivery_days: number | null;
};

/** A method's price for one zip code at one moment; the discount may be 0. */
export type ShippingOption = ShippingMethodTerms & { priceCents: Cents; discountCents: Cents; costCents: Cents | null };

/** Exactly five digits, including leading zeros (SEPOMEX). */
export const isZipcode = (text: string): boolean => /^\d{5}$/.test(text);

/** Lists the options, cheapest first. Of a method's rates the narrowest wins, then the later start, then the first. */
export function shippingOptions(input: {
  zipcode: string;
  rates: readonly ShippingRate[];
  methods: ReadonlyMap<number, ShippingMethodTerms>;
  now: Date;
}): ShippingOption[] {
  if (!isZipcode(input.zipcode)) return [];
  const options: ShippingOption[] = [];
  for (const rate of narrowestRates(input.zipcode, input.rates)) {
    const method = input.methods.get(rate.shipping_method);
    if (method !== undefined) options.push(toOption(method, rate, input.now));
  }
  return options.sort((a, b) => a.priceCents - b.priceCents || a.id - b.id);
}

function narrowestRates(zipcode: string, rates: readonly ShippingRate[]): Iterable<ShippingRate> {
  const narrowest = new Map<number, ShippingRate>();
  for (const rate of rates) {
    // Strings of five digits compare like numbers.
    if (zipcode < rate.zip_from || zipcode > rate.zip_to) continue;
    const rival = narrowest.get(rate.shipping_method);
    if (rival === undefined || isNarrower(rate, rival)) narrowest.set(rate.shipping_method, rate);
  }
  return narrowest.values();
}

function isNarrower(rate: ShippingRate, rival: ShippingRate): boolean {
  const computeWidth = ({ zip_from: from, zip_to: to }: ShippingRate) => Number(to) - Number(from);
  const difference = computeWidth(rate) - computeWidth(rival);
  return difference < 0 || (difference === 0 && rate.zip_from > rival.zip_from);
}

function toOption(method: ShippingMethodTerms, rate: ShippingRate, now: Date): ShippingOption {
  const { priceCents, costCents } = rate;
  return { ...method, priceCents, costCents, discountCents: Math.min(discountAt(rate, now), priceCents) };
}

function discountAt({ discountCents, discount_from: from, discount_until: until }: ShippingRate, now: Date): Cents {
  const hasBegun = from === null || now.getTime() >= Date.parse(from);
  const isCurrent = until === null || now.getTime() <= Date.parse(until);
  return hasBegun && isCurrent ? (discountCents ?? 0) : 0;
}

/** Returns the cheapest `default` method, or else the cheapest option (rule of the API), by price less discount, ties by id. */
export function defaultShippingOption(options: readonly ShippingOption[]): ShippingOption | null {
  const byCharge = options.toSorted((a, b) => toCharge(a) - toCharge(b) || a.id - b.id);
  return byCharge.find((option) => option.method === 'default') ?? byCharge[0] ?? null;
}

const toCharge = ({ priceCents, discountCents }: ShippingOption): Cents => priceCents - discountCents;

export const pickupOption = (method: ShippingMethodTerms): ShippingOption => {
  return { ...method, priceCents: 0, discountCents: 0, costCents: null };
};
