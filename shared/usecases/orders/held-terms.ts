import type { SigningKeySource } from '../../access/signing-keys.ts';
import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { normalizeCouponCode } from '../../domain/pricing.ts';
import type { ValidationError } from '../../domain/refusal.ts';
import type { Message, PlainCode } from '../../messages/messages.ts';
import type { Client } from '../../store/access/clients.ts';
import type { BasketLine } from '../quotes/basket.ts';
import type { Delivery } from '../quotes/delivery.ts';
import { type Hold, unsealHold } from '../quotes/hold.ts';

type NewOrder = CreateOrderRequest['order'];

/** A hold that was sent: one that is valid, or the errors for which it is not; neither if none was sent. */
export type SentHold = { readonly hold: Hold | null; readonly errors: readonly ValidationError[] };

export type HoldDeps = {
  readonly sealKeys: SigningKeySource;
  readonly findClient: (gatewayKeyId: string) => Promise<Client | undefined>;
};

/** A valid hold with its delivery. */
export type HeldTerms = { readonly hold: Hold; readonly delivery: Delivery };

const NONE: SentHold = { hold: null, errors: [] };

/** Opens the hold of an order. It belongs to the client whose key asked for it, whichever key the order comes with. */
export async function openHold(
  { hold: token }: NewOrder,
  { client, now }: { readonly client: Client; readonly now: Date },
  { sealKeys, findClient }: HoldDeps,
): Promise<SentHold> {
  if (token === undefined) return NONE;
  const hold = await unsealHold(token, await sealKeys());
  if (!hold) return refused({ code: 'hold_invalid' });
  const owner = await findClient(hold.gatewayKeyId);
  if (owner?.id !== client.id) return refused({ code: 'hold_of_another_client' });
  const until = hold.validUntil.toISOString();
  return now > hold.validUntil ? refused({ code: 'hold_expired', values: { until } }) : { hold, errors: [] };
}

/** Returns an error at the hold of an order. */
export const holdError = (message: Message): ValidationError => ({ path: ['order', 'hold'], ...message });

const refused = (message: Message): SentHold => ({ hold: null, errors: [holdError(message)] });

/** Returns the differences between an order and its hold. What an order leaves out is as the hold has it. */
export function compareToHold(order: NewOrder, hold: Hold): ValidationError[] {
  const { destination, shippingMethod, offer } = hold;
  const sent = order.shipping?.zipcode ?? order.store ?? destination;
  const differences: Partial<Record<PlainCode, boolean>> = {
    hold_of_other_lines: !hasSameLines(order.details, hold.details),
    hold_of_other_destination: sent !== destination,
    hold_of_other_shipping_method: (order.shipping_method ?? shippingMethod) !== shippingMethod,
    hold_of_other_coupon: order.coupon !== undefined && !isCodeOf(offer.coupon, order.coupon),
  };
  const codes = Object.keys(differences) as PlainCode[];
  return codes.filter((one) => differences[one]).map((one) => holdError({ code: one }));
}

const isCodeOf = (coupon: Hold['offer']['coupon'], code: string): boolean =>
  coupon !== null && normalizeCouponCode(coupon.code) === normalizeCouponCode(code);

// The order of the lines decides which of two lines gets a spare cent.
function hasSameLines(sent: NewOrder['details'], held: Hold['details']): boolean {
  const isSame = ({ product, quantity }: NewOrder['details'][number], index: number) =>
    product === held[index]?.product && quantity === held[index]?.quantity;
  return sent.length === held.length && sent.every(isSame);
}

/** Returns the held delivery, with store and shipping method as published today; undefined if they no longer are. */
export function findHeldDelivery({ destination, shippingMethod, offer }: Hold, catalog: Catalog): Delivery | undefined {
  const isPickup = typeof destination === 'number';
  const store = isPickup ? catalog.store(destination) : null;
  const method = isPickup ? catalog.pickupMethod : catalog.deliveryMethods.get(shippingMethod);
  if (store === undefined || method === undefined) return undefined;
  const { priceCents, discountCents, costCents } = offer.shipping;
  const selected = { ...method, priceCents, discountCents, costCents };
  return { options: [selected], selected, store, zipcode: store?.zipcode ?? String(destination), problems: {} };
}

/** Returns the lines with the prices of a hold; all else about the products is today's. */
export const atHeldPrices = (lines: readonly BasketLine[], { offer }: Hold): BasketLine[] =>
  lines.map(({ product, quantity }, index) => {
    const priceCents = offer.lines[index]?.unitPriceCents ?? product.priceCents;
    return { product: { ...product, priceCents }, quantity };
  });
