import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMessageCode, preferredLanguage, say } from '../../../shared/messages/messages.ts';

describe('the language of an answer', () => {
  it.each([
    [undefined, 'es'],
    ['', 'es'],
    ['es', 'es'],
    ['en', 'en'],
    ['EN-us', 'en'],
    ['en-US,en;q=0.9', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en;q=0.4, es;q=0.5', 'es'],
    ['en;q=0.5, es;q=0.4', 'en'],
    ['fr, en;q=0.1', 'en'],
    ['fr, de', 'es'],
    ['*', 'es'],
    ['en;q=0', 'es'],
    ['en;q=banana', 'en'],
  ])('of Accept-Language %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('messages', () => {
  it('are filled with their values, in both languages', () => {
    const message = { code: 'product_unknown', values: { product: 99 } };
    expect(say(message, 'es')).toBe('El producto 99 no existe.');
    expect(say(message, 'en')).toBe('Product 99 does not exist.');
  });

  it('never turn a value into a pattern', () => {
    expect(say({ code: 'product_unknown', values: { product: '$& {product}' } }, 'en')).toBe(
      'Product $& {product} does not exist.',
    );
  });

  it('are known by their own codes only', () => {
    expect(isMessageCode('not_found')).toBe(true);
    expect(isMessageCode('toString')).toBe(false);
    expect(() => say({ code: 'toString' }, 'es')).toThrow('no message for toString');
  });

  it('exist for every code that the source names', () => {
    const root = join(import.meta.dirname, '../../../shared');
    const text = globSync('{api,domain,usecases,store}/**/*.ts', { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const codes = [...text.matchAll(/\bcode: '([a-z_0-9]+)'/g)].map(([, code]) => code as string);
    expect(codes.length).toBeGreaterThan(15);
    expect(codes.filter((code) => !isMessageCode(code))).toEqual([]);
  });
});
