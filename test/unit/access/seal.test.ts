import { describe, expect, it } from 'vitest';
import { seal, unseal } from '../../../shared/access/seal.ts';
import { bitFlips } from '../../support/hostile/hostile-tokens.ts';

const first = { kid: 'a', secret: new TextEncoder().encode('local-only-not-a-secret-32-bytes') };
const second = { kid: 'b', secret: new TextEncoder().encode('another-one-that-has-32-bytes...') };
const keys = { current: first };

const PAYLOAD = '["Aspirina",7]';
// HMAC-SHA-256 by Python's hmac, over "cursor." and the payload in base64url.
const SEALED = 'YQ.WyJBc3BpcmluYSIsN10.F9cVdTzS0LbePDfnrt87sxqZm67JqhCltPOUjVLMgYE';
const SEALED_BY_SECOND = 'Yg.WyJBc3BpcmluYSIsN10.diZIKa4sM9ncTFMCSO4qHaGmuoBUh9rV3yRbCUAbdPY';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('seal', () => {
  it('signs the payload with the current key', () => {
    expect(seal('cursor', PAYLOAD, keys)).toBe(SEALED);
    expect(seal('cursor', PAYLOAD, { current: second, previous: first })).toBe(SEALED_BY_SECOND);
  });

  it.each(['', 'ñandú 💊', 'x'.repeat(12_000)])('makes URL-safe text that unseals to the payload', (payload) => {
    const sealed = seal('hold', payload, { current: { ...first, kid: 'clave/é 2026' } });
    expect(sealed).toBe(encodeURIComponent(sealed));
    expect(unseal('hold', sealed, { current: { ...first, kid: 'clave/é 2026' } })).toBe(payload);
  });
});

describe('unseal', () => {
  it.each([
    ['the current key', keys],
    ['the previous key, after a rotation', { current: second, previous: first }],
  ])('returns what was sealed with %s', (_, known) => {
    expect(unseal('cursor', SEALED, known)).toBe(PAYLOAD);
  });

  it.each([
    ['a key that is no longer known', SEALED, { current: second }],
    ['another key of the same name', SEALED, { current: { ...second, kid: 'a' } }],
    ['the name of the other key', SEALED.replace('YQ.', 'Yg.'), { current: second, previous: first }],
    ['another signature', SEALED.replace(/[^.]*$/, SEALED_BY_SECOND.slice(-43)), keys],
    ['another payload', SEALED.replace('WyJBc3BpcmluYSIsN10', 'WyJBc3BpcmluYSIsOF0'), keys],
    ['nothing', '', keys],
    ['dots alone', '..', keys],
    ['no signature', SEALED.replace(/[^.]*$/, ''), keys],
    ['a cut one', SEALED.slice(0, -1), keys],
    ['one with padding', `${SEALED}=`, keys],
    ['one with a fourth part', `${SEALED}.`, keys],
    ['one with a line end', `${SEALED}\n`, keys],
    ['one with a blank before it', ` ${SEALED}`, keys],
    ['a property of objects for a key', SEALED.replace('YQ.', '__proto__.'), keys],
  ])('refuses %s', (_, text, known) => {
    expect(unseal('cursor', text, known)).toBeUndefined();
  });

  it('refuses what was sealed for another purpose', () => {
    expect(unseal('hold', SEALED, keys)).toBeUndefined();
    expect(unseal('cursor', seal('hold', PAYLOAD, keys), keys)).toBeUndefined();
  });

  it('refuses 1,000 texts with one bit changed', () => {
    const sealed = seal('hold', '{"total":"819.84","lines":[[1,2,"85.50"],[7,1,"249.99"],[9,3,"113.33"]]}', keys);
    const flipped = new Set(bitFlips(sealed, 1_000));
    expect(flipped.size).toBe(1_000);
    expect([...flipped].filter((text) => unseal('hold', text, keys) !== undefined)).toEqual([]);
  });

  it.each([
    ['the name of the key', 1],
    ['the payload', 21],
    ['the signature', 65],
  ])('refuses every other last character of %s, though some decode to the same bytes', (_, at) => {
    const others = [...ALPHABET].map((letter) => SEALED.slice(0, at) + letter + SEALED.slice(at + 1));
    expect(others.filter((text) => unseal('cursor', text, keys) !== undefined)).toEqual([SEALED]);
  });

  it('refuses more than 16,384 characters before it looks at them', () => {
    const keysAsked = {
      current: Object.freeze({
        ...first,
        get kid(): string {
          throw new Error('looked');
        },
      }),
    };
    expect(unseal('hold', 'a'.repeat(16_385), keysAsked)).toBeUndefined();
    const largest = seal('hold', 'x'.repeat(12_252), keys);
    expect(largest.length).toBe(16_383);
    expect(unseal('hold', largest, keys)).toHaveLength(12_252);
    expect(unseal('hold', seal('hold', 'x'.repeat(12_255), keys), keys)).toBeUndefined();
  });
});
