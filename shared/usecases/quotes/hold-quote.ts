import type { SigningKeySource } from '../../access/signing-keys.ts';
import type { Quotation } from '../../api/orders/quotes.ts';
import type { PlainCode } from '../../messages/messages.ts';
import { sealHold } from './hold.ts';
import type { Quote } from './quote.ts';

type Asking = { readonly gatewayKeyId: string; readonly now: Date };
type Deps = { readonly sealKeys: SigningKeySource; readonly lifetimeMinutes: number };

/**
 * Holds the offer of a quote that an order could be made of, a prescription aside. Otherwise the hold is null, and the
 * problems of the quote say why.
 */
export async function holdQuote(
  quote: Quote,
  { gatewayKeyId, now }: Asking,
  { sealKeys, lifetimeMinutes }: Deps,
): Promise<Pick<Quote, 'problems'> & Pick<Quotation, 'hold'>> {
  const { lines, delivery, offer, problems } = quote;
  const { selected, store, zipcode } = delivery;
  const destination = store?.id ?? zipcode;
  const { prescriptions: _, ...obstacles } = problems;
  if (Object.keys(obstacles).length > 0) return { problems, hold: null };
  if (!selected || destination === null) return withoutHold(quote, 'hold_needs_destination');
  if (lines.every(({ quantity }) => quantity === 0)) return withoutHold(quote, 'nothing_ordered');

  const validUntil = new Date(now.getTime() + lifetimeMinutes * 60_000);
  const details = lines.map(({ product, quantity }) => ({ product: product.id, quantity }));
  const hold = { gatewayKeyId, validUntil, details, destination, shippingMethod: selected.id, offer };
  const token = await sealHold(hold, await sealKeys());
  return { problems, hold: { token, valid_until: validUntil.toISOString() } };
}

const withoutHold = ({ problems }: Quote, code: PlainCode) => ({
  problems: { ...problems, hold: { code } },
  hold: null,
});
