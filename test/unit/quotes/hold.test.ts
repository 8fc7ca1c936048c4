import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Hold, sealHold, unsealHold } from '../../../shared/quotes/hold.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const first = { kid: 'a', secret: encode('local-only-not-a-secret-32-bytes') };
const second = { kid: 'b', secret: encode('another-one-that-has-more-than-32-bytes') };

const HOLD: Hold = {
  gatewayKeyId: 'key1',
  validUntil: new Date('2026-11-21T18:15:00.000Z'),
  details: [{ product: 1, quantity: 2 }],
  destination: '06700',
  shippingMethod: 3,
  offer: {
    lines: [{ quantity: 2, unitPriceCents: 2_850, ivaRateMicros: 0 }],
    coupon: null,
    shipping: { priceCents: 9_900, discountCents: 2_000, costCents: null, ivaRateMicros: 160_000 },
    expectedDeliveryDate: '2026-11-23T23:00:00.000Z',
    maxDeliveryDate: null,
  },
};
const CONTENT =
  '[1,"key1",1795284900000,"06700",3,[9900,2000,null,160000],["2026-11-23T23:00:00.000Z",null],null,[1,2,2850,0]]';

const keyOf = (secret: Uint8Array) => createHash('sha256').update(secret).digest();
const encrypt = (content: string, header: object, secret: Uint8Array): Promise<string> => {
  const jwe = new CompactEncrypt(encode(content)).setProtectedHeader(header as typeof HEADER);
  return jwe.encrypt(header === A128 ? keyOf(secret).subarray(16) : keyOf(secret));
};

const HEADER = { alg: 'dir', enc: 'A256GCM', kid: 'a' };
const A128 = { ...HEADER, enc: 'A128GCM' };

describe('a held price', () => {
  it('is encrypted with the current key, another time each', async () => {
    const sealed = await sealHold(HOLD, { current: second, previous: first });
    const [header = ''] = sealed.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"dir","enc":"A256GCM","kid":"b"}');
    const { plaintext } = await compactDecrypt(sealed, keyOf(second.secret));
    expect(Buffer.from(plaintext).toString()).toBe(CONTENT);
    expect(await sealHold(HOLD, { current: second })).not.toBe(sealed);
  });

  it('has less than 4,500 characters for 50 lines of the largest numbers', async () => {
    const line = { quantity: 32_767, unitPriceCents: 999_999_999, ivaRateMicros: 160_000 };
    const limits = { max_redemptions: 999_999_999, max_redemptions_per_patient: 999_999_999, has_free_shipping: true };
    const texts = { code: '€'.repeat(16), description: '€'.repeat(150), value: '9999999.999999' };
    const largest: Hold = {
      ...HOLD,
      details: Array(50).fill({ product: 999_999_999_999_999, quantity: 32_767 }),
      offer: {
        ...HOLD.offer,
        lines: Array(50).fill(line),
        coupon: { id: 999_999_999_999_998, ...texts, valueMicros: 9_999_999_999_999, ...limits },
      },
    };
    const sealed = await sealHold(largest, { current: first });
    expect(sealed.length).toBeLessThan(4_500);
    expect(await unsealHold(sealed, { current: first })).toEqual(largest);
  });

  it('is read with the current and the previous key', async () => {
    const sealed = await encrypt(CONTENT, HEADER, first.secret);
    expect(await unsealHold(sealed, { current: first })).toEqual(HOLD);
    expect(await unsealHold(sealed, { current: second, previous: first })).toEqual(HOLD);
  });

  it.each<[string, (sealed: string) => string | Promise<string>]>([
    ['of a key that was removed', () => encrypt(CONTENT, { ...HEADER, kid: 'b' }, second.secret)],
    ['of another secret', () => encrypt(CONTENT, HEADER, second.secret)],
    ['without the name of a key', () => encrypt(CONTENT, { alg: 'dir', enc: 'A256GCM' }, first.secret)],
    ['of another format', () => encrypt(CONTENT.replace('[1,"key1"', '[2,"key1"'), HEADER, first.secret)],
    ['of another algorithm', () => encrypt(CONTENT, A128, first.secret)],
    [
      'with another header',
      (sealed) => sealed.replace(/^[^.]+/, Buffer.from('{"alg":"none","kid":"a"}').toString('base64url')),
    ],
    ['with an encrypted key', (sealed) => sealed.replace('..', '.AAAA.')],
    ['that is cut off', (sealed) => sealed.slice(0, -1)],
    ['with a sign that decoders ignore', (sealed) => `${sealed}=`],
    ['in another spelling', (sealed) => sealed.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
    ['that is empty', () => ''],
  ])('is none %s', async (_, change) => {
    const text = await change(await encrypt(CONTENT, HEADER, first.secret));
    expect(await unsealHold(text, { current: first })).toBeUndefined();
  });
});
