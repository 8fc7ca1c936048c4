import type { Catalog, CatalogCoupon, CatalogProduct } from '../catalog/catalog.ts';
import type { Cents, Micros } from '../domain/money.ts';
import { couponPeriod, couponProblem } from '../domain/pricing.ts';
import type { ValidationError } from '../domain/refusal.ts';
import type { Message } from '../messages/messages.ts';
import { noteRequest } from '../runtime/log.ts';
import { sumQuantities } from '../stock/rules/reservation.ts';

export type RequestedLine = { readonly product: number; readonly quantity: number };
export type BasketLine = { readonly product: CatalogProduct; readonly quantity: number };

/** Lines keep their order and repetitions. Unknown or inactive products, and quantities above a maximum, are errors at `path`. */
export function findLines(
  details: readonly RequestedLine[],
  catalog: Catalog,
  path: ValidationError['path'],
): { lines: BasketLine[]; errors: ValidationError[] } {
  const lines: BasketLine[] = [];
  const errors: ValidationError[] = [];
  const totals = sumQuantities(details);
  for (const [index, { product: id, quantity }] of details.entries()) {
    const product = catalog.product(id);
    if (product?.is_active) lines.push({ product, quantity });
    else errors.push({ path: [...path, index, 'product'], ...explainMissing(id, product) });
    const maximum = product?.is_active ? product.maxQuantity : null;
    if (!product || maximum === null || quantity === 0 || (totals.get(id) ?? 0) <= maximum) continue;
    const values = { product: nameProduct(product), maximum };
    errors.push({ path: [...path, index, 'quantity'], code: 'quantity_above_maximum', values });
  }
  return { lines, errors };
}

const explainMissing = (id: number, product: CatalogProduct | undefined): Message =>
  product
    ? { code: 'product_not_sold', values: { product: nameProduct(product) } }
    : { code: 'product_unknown', values: { product: id } };

export function explainShortage(short: CatalogProduct, catalog: Catalog): Message {
  const product = nameProduct(short);
  const substitute = catalog.cheapestSubstitute(short.id);
  if (!substitute) return { code: 'product_in_shortage', values: { product } };
  return { code: 'product_in_shortage_substitute', values: { product, substitute: nameProduct(substitute) } };
}

/** Returns `Zinc 50 mg, Caja (id 103)`. */
export const nameProduct = ({ id, name, presentation }: CatalogProduct): string =>
  `${presentation === '' ? name : `${name}, ${presentation}`} (id ${id})`;

/** `ivaRateMicros`: the rate of products that have IVA. */
export const toPricedLines = (lines: readonly BasketLine[], ivaRateMicros: Micros) =>
  lines.map(({ product, quantity }) => ({
    unitPriceCents: product.priceCents,
    quantity,
    ivaRateMicros: product.has_iva ? ivaRateMicros : 0,
  }));

/** Notes an invalid coupon in the request's log, so that guessing shows. */
export function noteInvalidCoupon(problem: Message | null): void {
  if (problem?.code === 'coupon_invalid') noteRequest({ invalidCoupon: true });
}

export function findCoupon(
  code: string | null | undefined,
  catalog: Catalog,
  at: { subtotalCents: Cents; now: Date },
): { coupon: CatalogCoupon | null; problem: Message | null } {
  if (code === null || code === undefined) return { coupon: null, problem: null };
  const coupon = catalog.coupon(code);
  if (!coupon) return { coupon: null, problem: { code: 'coupon_invalid' } };
  const problem = couponProblem(coupon, at);
  if (problem === null) return { coupon, problem: null };
  if (problem === 'coupon_invalid') return { coupon: null, problem: { code: problem } };
  return { coupon: null, problem: { code: problem, values: { minimum: coupon.minimum_subtotal ?? '0.00' } } };
}

/** Returns why a coupon is invalid, which a quote does not tell, since any API key may ask for one. Null if it is valid. */
export function explainCoupon(
  problem: Message | null,
  code: string | undefined,
  { catalog, now }: { catalog: Catalog; now: Date },
): Message | null {
  if (problem?.code !== 'coupon_invalid') return problem;
  const coupon = catalog.coupon(code ?? '');
  if (!coupon) return { code: 'coupon_unknown' };
  return { code: couponPeriod(coupon, now) === 'ended' ? 'coupon_ended' : 'coupon_not_yet_valid' };
}
