import { describe, expect, it } from 'vitest';
import {
  email,
  fileName,
  lines,
  optionalText,
  plainText,
  requiredText,
  searchText,
} from '../../../shared/api/fields.ts';

describe('the length of a text', () => {
  it.each(['ab', '😀😀', 'n\u0303o', ' 😀😀 ', '\u200ba\u00adb', '\u1112\u1161\u11ab\u1112\u1161\u11ab'])(
    'is counted in characters: %j has at most 2',
    (text) => {
      expect(requiredText(2).safeParse(text).success).toBe(true);
    },
  );

  it.each(['abc', '😀😀😀', 'n\u0303oo'])('is counted in characters: %j has more than 2', (text) => {
    const { error } = requiredText(2).safeParse(text);
    expect(error?.issues).toMatchObject([{ code: 'too_big', origin: 'string', maximum: 2 }]);
  });

  it('is at least one where a text is required', () => {
    expect(requiredText(2).safeParse('  ').error?.issues).toMatchObject([{ code: 'too_small', minimum: 1 }]);
    expect(optionalText(2).safeParse('  ').data).toBe('');
  });

  it('is reported with other errors', () => {
    const { error } = requiredText(2).safeParse('a\u0000bc');
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big', 'custom']);
  });
});

describe('a text', () => {
  it.each([
    [' Jose\u0301\u200b ', 'José'],
    ['\ufeffO’Brien\u202c', 'O’Brien'],
    ['👨\u200d👩', '👨\u200d👩'],
    ['.', '.'],
  ])('is kept in one form: %j becomes %j', (sent, kept) => {
    for (const kind of [requiredText(30), optionalText(30), lines(30), plainText, searchText(30)])
      expect(kind.parse(sent)).toBe(kept);
  });

  it.each(['\u200b', ' \u3164\uffa0', '\u2800\u2800', '\u0301', '\ue000'])(
    'that is required shows something: %j',
    (sent) => {
      const missing = sent === '\u200b' ? { code: 'too_small' } : { code: 'custom', message: 'blank' };
      expect(requiredText(30).safeParse(sent).error?.issues).toMatchObject([missing]);
      expect(optionalText(30).safeParse(sent).success).toBe(true);
    },
  );

  it.each(['a\0b', '\x1b[31m', 'a\x7fb', 'a\x85b', 'a\ufffdb', 'a\ud83d'])(
    'has whole characters that are no controls: %j',
    (sent) => {
      for (const kind of [requiredText(30), optionalText(30), lines(30), plainText, searchText(30)])
        expect(kind.safeParse(sent).error?.issues).toMatchObject([{ message: 'invalid_value' }]);
    },
  );

  it('has line ends and tabs between lines and searched words only', () => {
    for (const kind of [requiredText(30), optionalText(30), plainText])
      expect(['a\nb', 'a\r\nb', 'a\tb'].map((sent) => kind.safeParse(sent).success)).toEqual([false, false, false]);
    for (const kind of [lines(30), searchText(30)]) expect(kind.parse('a\r\nb\tc')).toBe('a\r\nb\tc');
  });

  it('that names a file or an address is of one form too', () => {
    expect(fileName.parse('Nin\u0303o.pdf')).toBe('Niño.pdf');
    expect(email.parse('\u200bLuz@Example.mx ')).toBe('luz@example.mx');
  });
});
