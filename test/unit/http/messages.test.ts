import { describe, expect, it } from 'vitest';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { isMessageCode, MESSAGES, type Message } from '../../../shared/messages/messages.ts';
import { preferredLanguage, say } from '../../../shared/messages/say.ts';

describe('the language of an answer', () => {
  it.each([
    [undefined, 'es'],
    ['EN-us', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en;q=0.4, es;q=0.5', 'es'],
    ['*', 'es'],
    ['en;q=0', 'es'],
    ['en;q=banana', 'en'],
    ['en-GB;q=0.8, es-MX;q=0.8', 'en'],
    ['en ; q=0.5, es ;q=0.4', 'en'],
    ['en;q=0.5, *', 'es'],
    ['es;q=0, *', 'en'],
    ['en, *;q=0.5', 'en'],
    ['en;q=0.3, es;q=0.2, en;q=0.1', 'en'],
    ['en;q=0, es;q=0', 'es'],
    ['english, es;q=0.1', 'es'],
  ])('of Accept-Language %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('what operators are told', () => {
  it('is filled with the values of the language', () => {
    const left = { es: 'diez', en: 'ten' };
    expect(refusedToOperator('refund_too_large', { order: 7, left }).reason).toEqual({
      es: 'De la orden 7 quedan diez pesos por devolver.',
      en: 'Order 7 has ten left to refund.',
    });
  });

  it('never reaches a caller of the API', () => {
    const refusal = refusedToOperator('order_unknown', { order: 7 });
    expect([refusal.code, say(refusal, 'en')]).toEqual(['not_found', 'Not found.']);
  });
});

describe('messages', () => {
  it('are filled with their values, in both languages', () => {
    const message = { code: 'product_unknown', values: { product: 99 } } as const;
    expect(say(message, 'es')).toBe('El producto 99 no existe.');
    expect(say(message, 'en')).toBe('Product 99 does not exist.');
    const pattern = { code: 'product_unknown', values: { product: '$& {product}' } } as const;
    expect(say(pattern, 'en')).toBe('Product $& {product} does not exist.');
    expect([isMessageCode('not_a_phone'), isMessageCode('toString')]).toEqual([true, false]);
  });

  it('have the same values in both languages', () => {
    const names = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? [];
    for (const { es, en } of Object.values(MESSAGES)) expect(names(en)).toEqual(names(es));
  });

  it('do not compile without their texts or values', () => {
    // @ts-expect-error the code has no row
    const unknown: Message = { code: 'without_a_row' };
    // @ts-expect-error the text needs a product
    const incomplete: Message = { code: 'product_unknown' };
    // @ts-expect-error the code has no row
    const refusal = new Refusal('without_a_row');
    expect([unknown.code, incomplete.values, refusal.errors]).toEqual(['without_a_row', undefined, []]);
  });
});
