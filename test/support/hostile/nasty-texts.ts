/**
 * The nastiest texts that a caller may send, as text or as bytes that stand between the quotation marks of JSON, each with what
 * a line of text keeps of it: `null` where every text field refuses it, `''` where there is nothing to read.
 */
export const NASTY_TEXTS: readonly (readonly [name: string, sent: string | Buffer, kept: string | null])[] = [
  ['Latin-1', Buffer.from('4a6f73e9', 'hex'), null],
  ['half of a letter in UTF-8', Buffer.from('4a6f73c3', 'hex'), null],
  ['a slash in two bytes', Buffer.from('c0af', 'hex'), null],
  ['half of a pair in UTF-8', Buffer.from('eda080', 'hex'), null],
  ['a sign beyond Unicode', Buffer.from('f4908080', 'hex'), null],
  ['UTF-16', Buffer.from('fffe4c00', 'hex'), null],
  ['the first half of a pair', '\ud83d', null],
  ['the second half of a pair', 'Luz\udc8a', null],
  ['a pair the wrong way round', '\udc8a\ud83d', null],
  ['the sign for lost bytes', 'Jos\ufffd', null],
  ['the escape of that sign', Buffer.from('Jos\\ufffd'), null],
  ['a zero', 'Luz\0', null],
  ['a command to a terminal', '\x1b[31mLuz', null],
  ['a deletion', 'Luz\x7f', null],
  ['a next line', 'Luz\x85Mora', null],
  ['an accent of its own', 'Jose\u0301', 'José'],
  ['two accents of their own', 'Le\u0323\u0302', 'Lệ'],
  ['letters of Korean in parts', '\u1112\u1161\u11ab', '한'],
  ['an angstrom', '\u212bre', 'Åre'],
  ['a blank of no width', 'Luz\u200b', 'Luz'],
  ['nothing but a blank of no width', '\u200b', ''],
  ['the other direction', 'Luz\u202egpj.exe', 'Luzgpj.exe'],
  ['a byte order mark', '\ufeffLuz', 'Luz'],
  ['a soft hyphen', 'Lu\u00adz', 'Luz'],
  ['hidden letters', 'Luz\u{e0041}\u{e007f}', 'Luz'],
  ['joiners around a word', '\u200dLuz\u200c', 'Luz'],
  ['fillers of Korean', '\u3164\uffa0', ''],
  ['blanks of Braille', '\u2800\u2800', ''],
  ['an accent alone', '\u0301', ''],
  ['a sign of nobody', '\ue000', ''],
  ['blanks of every width', '\u00a0\u2003\u3000', ''],
  ['a line of Unicode', 'Luz\u2028Mora', 'Luz\u2028Mora'],
  ['a family', '👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧'],
  ['a joiner of Hindi', 'क्\u200dष', 'क्\u200dष'],
  ['forms of the same', 'µ ﬃ ₁ Ｌ', 'µ ﬃ ₁ Ｌ'],
  ['right to left', 'لوز', 'لوز'],
  ['no character at all', 'Luz\uffff', 'Luz\uffff'],
  ['a formula', "=cmd|'/C calc'!A0", "=cmd|'/C calc'!A0"],
  ['markup', '<b>"&amp;', '<b>"&amp;'],
  ['a name of objects', '__proto__', '__proto__'],
];

/** Returns JSON in which a text stands between the quotation marks of a marker. */
export function writeJson(body: object, marker: string, sent: string | Buffer): Buffer {
  const [before = '', after = ''] = JSON.stringify(body).split(marker);
  const bytes = typeof sent === 'string' ? Buffer.from(JSON.stringify(sent).slice(1, -1)) : sent;
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
}

/** Returns a text as a path or a query carries it; half of a pair as the bytes that some programs write for it. */
export const percentEncode = (sent: string | Buffer): string =>
  [...(typeof sent === 'string' ? encodeLeniently(sent) : sent)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('');

function encodeLeniently(text: string): Buffer {
  return Buffer.concat(
    [...text].map((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      const isHalf = code >= 0xd800 && code <= 0xdfff;
      return isHalf
        ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(sign);
    }),
  );
}
