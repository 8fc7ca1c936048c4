import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
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

/** Encrypts by hand as RFC 7516 says: header, no encrypted key, nonce, text and tag, each in base64url. */
function encrypt(content: string, header: object, secret: Uint8Array): string {
  const written = Buffer.from(JSON.stringify(header)).toString('base64url');
  const nonce = Buffer.from('twelve bytes');
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), nonce);
  cipher.setAAD(Buffer.from(written));
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return [written, '', ...[nonce, text, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))].join('.');
}

function decrypt(jwe: string, secret: Uint8Array): string {
  const [header = '', , ...parts] = jwe.split('.');
  const [nonce, text, tag] = parts.map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
  const decipher = createDecipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), nonce);
  decipher.setAAD(Buffer.from(header));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString();
}

const HEADER = { alg: 'dir', enc: 'A256GCM', kid: 'a' };

describe('a held price', () => {
  it('is encrypted with the current key, another time each', async () => {
    const sealed = await sealHold(HOLD, { current: second, previous: first });
    const [header = ''] = sealed.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"dir","enc":"A256GCM","kid":"b"}');
    expect(decrypt(sealed, second.secret)).toBe(CONTENT);
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
    const sealed = encrypt(CONTENT, HEADER, first.secret);
    expect(await unsealHold(sealed, { current: first })).toEqual(HOLD);
    expect(await unsealHold(sealed, { current: second, previous: first })).toEqual(HOLD);
  });

  const sealed = encrypt(CONTENT, HEADER, first.secret);
  it.each([
    ['of a key that was removed', encrypt(CONTENT, { ...HEADER, kid: 'b' }, second.secret)],
    ['of another secret', encrypt(CONTENT, HEADER, second.secret)],
    ['without the name of a key', encrypt(CONTENT, { alg: 'dir', enc: 'A256GCM' }, first.secret)],
    ['of another format', encrypt(CONTENT.replace('[1,"key1"', '[2,"key1"'), HEADER, first.secret)],
    ['of another algorithm', encrypt(CONTENT, { ...HEADER, enc: 'A128GCM' }, first.secret)],
    ['with another header', sealed.replace(/^[^.]+/, Buffer.from('{"alg":"none","kid":"a"}').toString('base64url'))],
    ['with an encrypted key', sealed.replace('..', '.AAAA.')],
    ['that is cut off', sealed.slice(0, -1)],
    ['with a sign that decoders ignore', `${sealed}=`],
    ['in another spelling', sealed.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
    ['that is empty', ''],
  ])('is none %s', async (_, text) => {
    expect(await unsealHold(text, { current: first })).toBeUndefined();
  });
});
