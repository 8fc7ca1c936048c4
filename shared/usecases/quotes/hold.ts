import { hash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import * as z from 'zod';
import type { SigningKey, SigningKeys } from '../../access/signing-keys.ts';
import { parseMicros } from '../../domain/money.ts';
import type { RequestedLine } from './basket.ts';
import type { Offer, OfferedCoupon } from './offer.ts';

/** An offer that holds for a while, with the basket and the delivery that it was made for. */
export type Hold = {
  /** The gateway's id of the API key that asked for it. */
  readonly gatewayKeyId: string;
  readonly validUntil: Date;
  readonly details: readonly RequestedLine[];
  /** The zip code that it is sent to, or the id of the store where it is picked up. */
  readonly destination: string | number;
  readonly shippingMethod: number;
  readonly offer: Offer;
};

const JWE = { alg: 'dir', enc: 'A256GCM' } as const;

/** Returns a hold as text that nobody else can read or alter, encrypted with the current key (a JWE, RFC 7516). */
export const sealHold = (hold: Hold, { current }: SigningKeys): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(toFields(hold))))
    .setProtectedHeader({ ...JWE, kid: current.kid })
    .encrypt(encryptionKey(current));

/** Returns the hold of a text; undefined if it was altered, is of another format, or its key is no longer known. */
export async function unsealHold(text: string, { current, previous }: SigningKeys): Promise<Hold | undefined> {
  const findKey = ({ kid }: { readonly kid?: string }) => {
    const key = [current, previous].find((one) => one?.kid === kid);
    if (!key) throw new errors.JWEInvalid('unknown key');
    return encryptionKey(key);
  };
  // Decoders ignore signs and bits that no encoder writes, so that one text would have many spellings.
  const isWritten = text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
  if (!isWritten) return undefined;
  const allowed = { keyManagementAlgorithms: [JWE.alg], contentEncryptionAlgorithms: [JWE.enc] };
  try {
    const { plaintext } = await compactDecrypt(text, findKey, allowed);
    return fields.safeParse(JSON.parse(Buffer.from(plaintext).toString())).data;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

// AES-256 takes a key of exactly 32 bytes; a secret has at least as many.
const encryptionKey = ({ secret }: SigningKey): Uint8Array => hash('sha256', secret, 'buffer');

// Changes with the meaning of the fields: a function of another release then refuses the hold.
const FORMAT = 1;

// Fields have no names and lines have no brackets, so that 50 lines fit into the bound of the token.
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
    const lines = toLines(numbers);
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

const toLines = (numbers: readonly number[]) =>
  Array.from({ length: numbers.length / FIELDS_OF_A_LINE }, (_, index) => {
    const [product = 0, quantity = 0, unitPriceCents = 0, ivaRateMicros = 0] = numbers.slice(index * FIELDS_OF_A_LINE);
    return { product, quantity, unitPriceCents, ivaRateMicros };
  });

function toCoupon([id, code, description, value, isFree, limit, patientLimit]: z.output<
  typeof couponFields
>): OfferedCoupon {
  const valueMicros = parseMicros(value) as number;
  const limits = { max_redemptions: limit, max_redemptions_per_patient: patientLimit };
  return { id, code, description, value, valueMicros, has_free_shipping: isFree, ...limits };
}
