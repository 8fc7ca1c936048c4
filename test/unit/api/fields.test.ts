import { describe, expect, it } from 'vitest';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';

describe('the length of a text', () => {
  it.each(['ab', '😀😀', 'n\u0303', ' 😀😀 '])('is counted in characters: %j has at most 2', (text) => {
    expect(requiredText(2).safeParse(text).success).toBe(true);
  });

  it.each(['abc', '😀😀😀', 'n\u0303o', '😀'.repeat(1_000)])('is counted in characters: %j has more than 2', (text) => {
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
