import { describe, expect, it } from 'vitest';
import { fiscalText, foldText, slugify, splitSearch } from '../../../shared/domain/text.ts';

describe('foldText', () => {
  it.each([
    ['  Ácido  Fólico ', 'acido folico'],
    ['MUÑOZ', 'munoz'],
    ['Mun\u0303oz', 'munoz'],
    ['Pingüino', 'pinguino'],
    ['500 mg,\t20\n tabletas', '500 mg, 20 tabletas'],
    ['', ''],
  ])('folds %j to %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });
});

describe('splitSearch', () => {
  it.each<[string, string[]]>([
    ['  Ácido   acetil ', ['acetil', 'acido']],
    ['a ab abc b c', ['abc']],
    ['para Paracetamol 500 50 mg', ['paracetamol', '500', 'mg']],
    ['a a a a', ['a']],
    ['   ', []],
    ['\u0301', []],
  ])('returns the words of %j that are part of no other, the longest first', (search, words) => {
    expect(splitSearch(search)).toEqual(words);
  });
});

describe('slugify', () => {
  it.each([
    ['Paracetamol 500 mg, Caja con 20 tabletas', 'paracetamol-500-mg-caja-con-20-tabletas'],
    ['Ácido fólico', 'acido-folico'],
    ['  ¿Qué? (1) ', 'que-1'],
    ['a / b -- c', 'a-b-c'],
    ['¡!', ''],
  ])('turns %j into the slug %j', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });
});

describe('fiscalText', () => {
  it.each([
    ['  Muñoz  e   Hijos ', 'Muñoz e Hijos'],
    ['Mun\u0303oz', 'Muñoz'],
    ['a|b', 'a b'],
    ['a\u0000\u0007b\ud800c', 'a b c'],
    ['|||', ''],
  ])('cleans %j to %j', (text, clean) => {
    expect(fiscalText(text, 100)).toBe(clean);
  });

  it('keeps whole characters up to the maximum', () => {
    expect(fiscalText('😀😀😀', 2)).toBe('😀😀');
    expect(fiscalText('ab cd', 3)).toBe('ab');
    expect(fiscalText('  abc', 2)).toBe('ab');
  });
});
