import { hash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import * as z from 'zod';
import type { Client } from '../access/clients.ts';
import type { SigningKey, SigningKeySource, SigningKeys } from '../access/signing-keys.ts';
import type { CreateOrderRequest } from '../api/orders/orders.ts';
import type { Quotation } from '../api/orders/quotes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { parseMicros } from '../domain/money.ts';
import type { ValidationError } from '../domain/refusal.ts';
import { foldCode } from '../domain/text.ts';
import type { Message, PlainCode } from '../messages/messages.ts';
import type { BasketLine, Delivery, Offer, OfferedCoupon, Quote, RequestedLine } from './quote.ts';

export type Hold = {
  readonly gatewayKeyId: string;
  readonly validUntil: Date;
  readonly details: readonly RequestedLine[];
  /** The destination's zip code, or the id of the store for pickup. */
  readonly destination: string | number;
  readonly shippingMethod: number;
  readonly offer: Offer;
};

/** The valid hold of a request, or the errors of an invalid one; neither without one. */
export type SentHold = { readonly hold: Hold | null; readonly errors: readonly ValidationError[] };

export type HeldTerms = { readonly hold: Hold; readonly delivery: Delivery };

export type HoldDeps = {
  readonly sealKeys: SigningKeySource;
  readonly findClient: (gatewayKeyId: string) => Promise<Client | undefined>;
};

type Asking = { readonly gatewayKeyId: string; readonly now: Date };
type Deps = Pick<HoldDeps, 'sealKeys'> & { readonly lifetimeMinutes: number };
type NewOrder = CreateOrderRequest['order'];

const JWE = { alg: 'dir', enc: 'A256GCM' } as const;

/** Encrypts a hold with the current key (a JWE, RFC 7516), so that nobody can read or alter it. */
export const sealHold = (hold: Hold, { current }: SigningKeys): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(toFields(hold))))
    .setProtectedHeader({ ...JWE, kid: current.kid })
    .encrypt(encryptionKey(current));

/** Undefined if the text was altered or has another format, or its key is unknown. */
export async function unsealHold(text: string, { current, previous }: SigningKeys): Promise<Hold | undefined> {
  const findKey = ({ kid }: { readonly kid?: string }) => {
    const key = [current, previous].find((item) => item?.kid === kid);
    if (!key) throw new errors.JWEInvalid('unknown key');
    return encryptionKey(key);
  };
  // Node's base64url decoder accepts non-canonical input; reject it so that each hold has one spelling.
  const isCanonical = text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
  if (!isCanonical) return undefined;
  const allowed = { keyManagementAlgorithms: [JWE.alg], contentEncryptionAlgorithms: [JWE.enc] };
  try {
    const { plaintext } = await compactDecrypt(text, findKey, allowed);
    return fields.safeParse(JSON.parse(Buffer.from(plaintext).toString())).data;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

// AES-256 needs a key of exactly 32 bytes; a secret has at least as many.
const encryptionKey = ({ secret }: SigningKey): Uint8Array => hash('sha256', secret, 'buffer');

// Increase it when fields change: functions of another release then refuse the hold.
const FORMAT = 1;

// Without names of fields and brackets around lines, 50 lines fit into the bound of the token.
function toFields({ offer, ...hold }: Hold): z.input<typeof fields> {
  const { priceCents, discountCents, costCents, ivaRateMicros } = offer.shipping;
  return [
    FORMAT,
    hold.gatewayKeyId,
    hold.validUntil.getTime(),
    hold.destination,
    hold.shippingMethod,
    [priceCents, discountCents, costCents, ivaRateMicros],
    [offer.expectedDeliveryDate, offer.maxDeliveryDate],
    offer.coupon && toCouponFields(offer.coupon),
    hold.details.flatMap(({ product, quantity }, index) => {
      const { unitPriceCents = 0, ivaRateMicros = 0 } = offer.lines[index] ?? {};
      return [product, quantity, unitPriceCents, ivaRateMicros];
    }),
  ];
}

function toCouponFields(coupon: OfferedCoupon): z.input<typeof couponFields> {
  const { id, code, description, value, has_free_shipping: isFree, max_redemptions: limit } = coupon;
  return [id, code, description, value, isFree, limit, coupon.max_redemptions_per_patient];
}

const limit = z.number().nullable();
const couponFields = z.tuple([z.number(), z.string(), z.string(), z.string(), z.boolean(), limit, limit]);

const FIELDS_OF_A_LINE = 4;

const fields = z
  .tuple([
    z.literal(FORMAT),
    z.string(),
    z.number(),
    z.union([z.string(), z.number()]),
    z.number(),
    z.tuple([z.number(), z.number(), z.number().nullable(), z.number()]),
    z.tuple([z.string().nullable(), z.string().nullable()]),
    couponFields.nullable(),
    z.array(z.number()),
  ])
  .transform(([, gatewayKeyId, validUntil, destination, shippingMethod, shipping, dates, coupon, numbers]): Hold => {
    const lines = toHeldLines(numbers);
    const [priceCents, discountCents, costCents, ivaRateMicros] = shipping;
    const [expectedDeliveryDate, maxDeliveryDate] = dates;
    return {
      gatewayKeyId,
      validUntil: new Date(validUntil),
      destination,
      shippingMethod,
      details: lines.map(({ product, quantity }) => ({ product, quantity })),
      offer: {
        lines: lines.map(({ product: _, ...line }) => line),
        coupon: coupon && toCoupon(coupon),
        shipping: { priceCents, discountCents, costCents, ivaRateMicros },
        expectedDeliveryDate,
        maxDeliveryDate,
      },
    };
  });

const toHeldLines = (numbers: readonly number[]) =>
  Array.from({ length: numbers.length / FIELDS_OF_A_LINE }, (_, index) => {
    const [product = 0, quantity = 0, unitPriceCents = 0, ivaRateMicros = 0] = numbers.slice(index * FIELDS_OF_A_LINE);
    return { product, quantity, unitPriceCents, ivaRateMicros };
  });

function toCoupon(values: z.output<typeof couponFields>): OfferedCoupon {
  const [id, code, description, value, isFree, limit, patientLimit] = values;
  const valueMicros = parseMicros(value) as number;
  const limits = { max_redemptions: limit, max_redemptions_per_patient: patientLimit };
  return { id, code, description, value, valueMicros, has_free_shipping: isFree, ...limits };
}

/** Holds the offer of a quote that could be ordered as it is, prescriptions aside; otherwise `problems` say why it cannot. */
export async function holdQuote(
  quote: Quote,
  { gatewayKeyId, now }: Asking,
  { sealKeys, lifetimeMinutes }: Deps,
): Promise<Pick<Quote, 'problems'> & Pick<Quotation, 'hold'>> {
  const { lines, delivery, offer, problems } = quote;
  const { selected, store, zipcode } = delivery;
  const destination = store?.id ?? zipcode;
  if (Object.keys(problems).length > 0) return { problems, hold: null };
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

const NONE: SentHold = { hold: null, errors: [] };

/** Opens the hold of an order. It belongs to the client that requested it, whichever of its keys the order comes with. */
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

export const holdError = (message: Message): ValidationError => ({ path: ['order', 'hold'], ...message });

const refused = (message: Message): SentHold => ({ hold: null, errors: [holdError(message)] });

/** Fields that the order leaves out are those of the hold. */
export function compareToHold(order: NewOrder, hold: Hold): ValidationError[] {
  const { destination, shippingMethod, offer } = hold;
  const requested = order.shipping?.zipcode ?? order.store ?? destination;
  const differences: Partial<Record<PlainCode, boolean>> = {
    hold_of_other_lines: !hasSameLines(order.details, hold.details),
    hold_of_other_destination: requested !== destination,
    hold_of_other_shipping_method: (order.shipping_method ?? shippingMethod) !== shippingMethod,
    hold_of_other_coupon: order.coupon !== undefined && !isCodeOf(offer.coupon, order.coupon),
  };
  const codes = Object.keys(differences) as PlainCode[];
  return codes.filter((code) => differences[code]).map((code) => holdError({ code }));
}

const isCodeOf = (coupon: Hold['offer']['coupon'], code: string): boolean =>
  coupon !== null && foldCode(coupon.code) === foldCode(code);

// The order of the lines decides which of two lines gets a spare cent.
function hasSameLines(details: NewOrder['details'], held: Hold['details']): boolean {
  const isSame = ({ product, quantity }: NewOrder['details'][number], index: number) =>
    product === held[index]?.product && quantity === held[index]?.quantity;
  return details.length === held.length && details.every(isSame);
}

/** Returns the held delivery with today's store and shipping method; undefined if they are no longer published. */
export function findHeldDelivery({ destination, shippingMethod, offer }: Hold, catalog: Catalog): Delivery | undefined {
  const isPickup = typeof destination === 'number';
  const store = isPickup ? catalog.store(destination) : null;
  const method = isPickup ? catalog.pickupMethod : catalog.deliveryMethods.get(shippingMethod);
  if (store === undefined || method === undefined) return undefined;
  const { priceCents, discountCents, costCents } = offer.shipping;
  const selected = { ...method, priceCents, discountCents, costCents };
  return { options: [selected], selected, store, zipcode: store?.zipcode ?? String(destination), problems: {} };
}

/** Applies the held prices; all other data of the products is today's. */
export const atHeldPrices = (lines: readonly BasketLine[], { offer }: Hold): BasketLine[] =>
  lines.map(({ product, quantity }, index) => {
    const priceCents = offer.lines[index]?.unitPriceCents ?? product.priceCents;
    return { product: { ...product, priceCents }, quantity };
  });
