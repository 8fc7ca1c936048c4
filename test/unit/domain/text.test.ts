import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeText,
  findStrayFormat,
  fiscalText,
  foldCode,
  foldText,
  hasControls,
  isDoublyEncoded,
  isReadable,
  isWhole,
  normalizeText,
  slugify,
  splitSearch,
} from '../../../shared/domain/text.ts';

describe('decodeText', () => {
  it('decodes UTF-8 and nothing else', () => {
    expect(decodeText(Buffer.from('José 💊'))).toBe('José 💊');
    expect(decodeText(Buffer.from('\ufeffa'))).toBe('\ufeffa');
    for (const hex of ['4a6f73e9', 'c3', 'e282', 'c0af', 'eda080', 'f4908080', 'fffe6100', '80'])
      expect([hex, decodeText(Buffer.from(hex, 'hex'))]).toEqual([hex, undefined]);
  });

  it('knows a text that was decoded without this care', () => {
    const texts = ['José', '💊', 'Jos\ufffd', 'a\ud83d', '\udc8aa', '\udc8a\ud83d'];
    expect(texts.map(isWhole)).toEqual([true, true, false, false, false, false]);
  });
});

describe('normalizeText', () => {
  it.each([
    ['Jose\u0301', 'José'],
    ['Jose\u200b\u0301', 'José'],
    ['\ufeffLuz\u00ad\u2060 \u202eMora\u202c', 'Luz Mora'],
    ['\u200dLuz\u200c \u200d', 'Luz '],
    ['\u0928\u092e\u0938\u094d\u200d\u0924\u0947', '\u0928\u092e\u0938\u094d\u200d\u0924\u0947'],
    ['👩🏽\u200d⚕\ufe0f 👨\u200d👩\u200d👧', '👩🏽\u200d⚕\ufe0f 👨\u200d👩\u200d👧'],
    ['😀\u200d', '😀'],
    ['µ ﬃ ₁', 'µ ﬃ ₁'],
  ])('makes %j %j', (text, normalized) => {
    expect(normalizeText(text)).toBe(normalized);
  });

  it('names the first format character that it would remove', () => {
    expect(findStrayFormat('Luz\u00ad\u200b')).toBe('U+00AD');
    expect(findStrayFormat('\u{e0041}')).toBe('U+E0041');
    expect(findStrayFormat('👨\u200d👩')).toBeUndefined();
  });
});

it.each([
  ...['\0', '\x7f', '\x85', '\x1b', 'a\vb'].map((text) => [text, true, true] as const),
  ...['\n', '\r\n', 'a\tb'].map((text) => [text, true, false] as const),
  ...['José', 'a b', '\u2028', '💊'].map((text) => [text, false, false] as const),
])('%j has controls in a line: %s, between lines: %s', (text, inLine, between) => {
  expect([hasControls(text), hasControls(text, 'several')]).toEqual([inLine, between]);
});

it.each([
  ...['a', 'ñ', '7', '٣', '💊', '-', '.', '$', '日', ' \u3164a'].map((text) => [text, true] as const),
  ...['', ' ', '\u00a0', '\u200b', '\u2800', '\ufe0f', '\u0301', '\ue000', '\ufffc', '\u3164\u115f\uffa0'].map(
    (text) => [text, false] as const,
  ),
])('%j has something to read: %s', (text, expected) => {
  expect(isReadable(text)).toBe(expected);
});

it.each([
  ...['SuspensiÃ³n', 'SUSPENSIÃ“N', 'JarabeÂ®', 'â€œForteâ€\x9d', 'Î²-lactÃ¡mico', 'ï»¿Gotas', 'ðŸ’Š', 'Suspensi√≥n'],
  ...['Suspensi├│n', 'ÃƒÂ³'],
])('%j is doubly encoded', (text) => {
  expect(isDoublyEncoded(text)).toBe(true);
});

it.each([
  ...['Suspensión', 'SUSPENSIÓN – “FORTE”', 'CAFÉ–BAR', 'NIÑ…', 'São João', 'NÃO', 'Âmbar', 'β-lactámico 5 µg ≥ ½'],
  ...['Jarabe®', '√2', '💊'],
])('%j is not doubly encoded', (text) => {
  expect(isDoublyEncoded(text)).toBe(false);
});

describe('foldCode', () => {
  it.each([
    ['  salud10\t', 'SALUD10'],
    ['Niño', 'NIÑO'],
    ['Nin\u0303o', 'NIÑO'],
    ['BUEN  FIN-26', 'BUEN FIN-26'],
    ['O’Brien´`ʼ‘', "O'BRIEN''''"],
    ['ＳＡＬＵＤ①⁰', 'SALUD10'],
    ['SA\u200dLUD\u3164', 'SALUD'],
    ['veranó', 'VERANÓ'],
  ])('compares %j as %j', (code, folded) => {
    expect(foldCode(code)).toBe(folded);
  });
});

describe('foldText', () => {
  it.each([
    ['  Ácido  Fólico ', 'acido folico'],
    ['MUÑOZ', 'munoz'],
    ['Mun\u0303oz', 'munoz'],
    ['Pingüino', 'pinguino'],
    ['500 mg,\t20\n tabletas', '500 mg, 20 tabletas'],
    ['O’Brien', "o'brien"],
    ['D´Angelo D`Angelo', "d'angelo d'angelo"],
    ['5 µg', '5 μg'],
    ['Vitamina B₁₂', 'vitamina b12'],
    ['ﬃ ½ ㎎', 'ffi 1⁄2 mg'],
    ['한국', '한국'],
    ['a\u200db\u00adc', 'abc'],
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
    ['"Paracetamol", (500 mg) 5%', ['paracetamol', '500', 'mg']],
    ["'O’Brien-Mora'", ["o'brien-mora"]],
    ['   ', []],
  ])('returns the words of %j that are part of no other, the longest first', (search, words) => {
    expect(splitSearch(search)).toEqual(words);
  });

  it.each(['´', "` '", '***', '-', '\u0301', '\u200b', '💊'])('finds nothing for signs alone: %j', (search) => {
    expect(splitSearch(search)).toBeUndefined();
  });
});

describe('every form of a text', () => {
  it.each([normalizeText, foldText, foldCode])(
    'is the same when it is made again, and of a text in parts: %o',
    (form) => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
          expect(form(form(text))).toBe(form(text));
          expect(form(text.normalize('NFD'))).toBe(form(text.normalize('NFC')));
        }),
      );
    },
  );
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
    ['D’Angelo\u00A0 O´Brien ‘Peña` ʼ', "D'Angelo O'Brien 'Peña' '"],
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
