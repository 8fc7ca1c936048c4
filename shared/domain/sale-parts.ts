import { allocate, type Cents, type Micros, sumCents, wholeNumber } from './money.ts';

/** All amounts include IVA. */
export type Sale = {
  readonly lines: readonly {
    readonly id: number;
    readonly quantity: number;
    readonly totalCents: Cents;
    readonly ivaRateMicros: Micros;
  }[];
  readonly shippingPriceCents: Cents;
  readonly shippingDiscountCents: Cents;
  /** Null for free shipping. */
  readonly shippingIvaRateMicros: Micros | null;
};

/** A refunded or credited part of a line, or of the shipment (`line` null). `quantity` is 0 for a share of an amount. */
export type SalePart = { readonly line: number | null; readonly quantity: number; readonly cents: Cents };

/** The amount at one rate, including IVA. */
export type ShareOfRate = { readonly rateMicros: Micros; readonly cents: Cents };

const listWhole = (sale: Sale): (SalePart & ShareOfRate)[] => [
  ...sale.lines.map(({ id: line, quantity, totalCents: cents, ivaRateMicros: rateMicros }) => {
    return { line, quantity, cents, rateMicros };
  }),
  {
    line: null,
    quantity: 0,
    cents: sale.shippingPriceCents - sale.shippingDiscountCents,
    rateMicros: sale.shippingIvaRateMicros ?? 0,
  },
];

/** Returns what earlier parts left of each line and the shipment. Throws RangeError if they exceed one of them. */
export const listOpenParts = (sale: Sale, taken: readonly SalePart[]): SalePart[] =>
  listWhole(sale).map(({ line, ...whole }) => {
    const earlier = taken.filter((part) => part.line === line);
    const [quantity, cents] = [whole.quantity - sumQuantities(earlier), whole.cents - sumParts(earlier)];
    if (quantity < 0 || cents < 0) throw new RangeError('parts do not exceed the lines that they are of');
    return { line, quantity, cents };
  });

/** Takes a quantity with its share of the cents; the last piece takes the rest. Throws RangeError for too many, and for 0. */
export function takeQuantity({ line, quantity: openQuantity, cents }: SalePart, quantity: number): SalePart {
  const [taken = 0] = allocate(cents, [quantity, openQuantity - quantity]);
  return { line, quantity, cents: taken };
}

/** Spreads an amount over open parts by largest remainder. Throws RangeError if they are less. */
export function spreadAmount(open: readonly SalePart[], amountCents: Cents): SalePart[] {
  wholeNumber(sumParts(open) - amountCents);
  const weights = open.map(({ cents }) => cents);
  const shares = allocate(amountCents, weights);
  return open.flatMap(({ line }, index) => {
    const cents = shares[index] ?? 0;
    return cents === 0 ? [] : [{ line, quantity: 0, cents }];
  });
}

/** Splits parts into those covered by `others` of the same lines (or the shipment) and the rest. */
export function splitParts(parts: readonly SalePart[], others: readonly SalePart[]) {
  const [within, beyond]: [SalePart[], SalePart[]] = [[], []];
  const rest = Map.groupBy(others, ({ line }) => line);
  const remaining = new Map(
    [...rest].map(([line, same]) => [line, { quantity: sumQuantities(same), cents: sumParts(same) }]),
  );
  for (const { line, ...part } of parts) {
    const most = remaining.get(line) ?? { quantity: 0, cents: 0 };
    const [quantity, cents] = [Math.min(part.quantity, most.quantity), Math.min(part.cents, most.cents)];
    remaining.set(line, { quantity: most.quantity - quantity, cents: most.cents - cents });
    if (cents > 0) within.push({ line, quantity, cents });
    if (part.cents > cents) beyond.push({ line, quantity: part.quantity - quantity, cents: part.cents - cents });
  }
  return { within, beyond };
}

/** Returns parts' quantities by line, or else their amount: the same quantity again may cost a cent more. */
export function describeParts(parts: readonly SalePart[]): ReadonlyMap<number | null, number> | Cents {
  if (parts.every(({ quantity }) => quantity === 0)) return sumParts(parts);
  return new Map([...Map.groupBy(parts, ({ line }) => line)].map(([line, same]) => [line, sumQuantities(same)]));
}

const sumQuantities = (parts: readonly SalePart[]): number => parts.reduce((sum, { quantity }) => sum + quantity, 0);

export const sumParts = (parts: readonly SalePart[]): Cents => sumCents(parts.map(({ cents }) => cents));

/** Sums parts by IVA rate, lowest first. Throws RangeError for an unknown line. */
export function sumByRate(sale: Sale, parts: readonly SalePart[]): ShareOfRate[] {
  const rates = new Map(listWhole(sale).map(({ line, rateMicros }) => [line, rateMicros]));
  const sums = new Map<Micros, Cents>();
  for (const { line, cents } of parts) {
    const rate = rates.get(line);
    if (rate === undefined) throw new RangeError('a part of a sale is of one of its lines');
    sums.set(rate, (sums.get(rate) ?? 0) + cents);
  }
  return [...sums]
    .map(([rateMicros, cents]) => ({ rateMicros, cents }))
    .filter(({ cents }) => cents > 0)
    .sort((a, b) => a.rateMicros - b.rateMicros);
}
