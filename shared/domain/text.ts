// Rules for all texts from clients and operators: decoding, measuring, comparing, storing, and what counts as blank.

/** Decodes UTF-8 strictly; undefined for other bytes, such as Latin-1 or half a letter. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** False for half of a surrogate pair, and for the replacement character that API Gateway writes for bytes that are not UTF-8. */
export const isWhole = (text: string): boolean => text.isWellFormed() && !text.includes('\uFFFD');

// Joiners (U+200C, U+200D) are letters of some scripts and hold emoji together; elsewhere they are invisible.
const JOINED = String.raw`[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
const STRAY_FORMAT = new RegExp(String.raw`(?!(?<=${JOINED})[\u200C\u200D](?=${JOINED}))\p{Cf}`, 'gu');

/** Returns NFC without format characters, except joiners in words and emoji: `'Jose\u0301\u200B'` becomes `'José'`. */
export const normalizeText = (text: string): string => text.replace(STRAY_FORMAT, '').normalize('NFC');

const CONTROLS = /\p{Cc}/u;
const CONTROLS_BUT_BREAKS = /[^\P{Cc}\n\r\t]/u;

/** Line ends and tabs are allowed in a text of several lines. */
export const hasControls = (text: string, lines: 'one' | 'several' = 'one'): boolean =>
  (lines === 'one' ? CONTROLS : CONTROLS_BUT_BREAKS).test(text);

// These letters, signs and symbols are blank: fillers, Braille's empty pattern, an object's placeholder, a silent note.
const SHOWN = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]]/v;

/** True if a text has a visible letter, digit, symbol or emoji. */
export const isReadable = (text: string): boolean => SHOWN.test(text);

// The bytes 80 to BF of UTF-8 as Latin-1 and Windows-1252 read them. One of the letters below is the first byte of Spanish and
// Greek letters, typographic signs and emoji; ├, ┬, √ and ¬ are the first two in the code pages of DOS and the Mac.
const LATER_BYTE = String.raw`[\u0080-\u00BF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]`;
const DOUBLY_ENCODED = new RegExp(
  String.raw`[ÂÃÄÅÎÏ]${LATER_BYTE}|[âï]${LATER_BYTE}{2}|ð${LATER_BYTE}{3}|[├┬√¬][^\x00-\x7F]`,
  'u',
);

/** True for UTF-8 that was decoded wrongly and encoded again: `SuspensiÃ³n` instead of `Suspensión`. */
export const isDoublyEncoded = (text: string): boolean => DOUBLY_ENCODED.test(text);

/** Returns the first format character outside of words and emoji, as `U+200B`. */
export function findStrayFormat(text: string): string | undefined {
  const stray = text.match(STRAY_FORMAT)?.[0];
  return stray && `U+${stray.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

// NFKC would turn this one into a blank with an accent.
const ACUTE = /\u00B4/g;
const APOSTROPHES = /[’‘ʼ`]/g;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const ACCENTS = /[\p{Diacritic}&&\p{M}]/gv;
const BLANKS = /\s+/g;

/** Unifies apostrophes and compatibility forms, and removes invisible characters. */
const toComparable = (text: string): string =>
  text.replace(ACUTE, "'").normalize('NFKC').replace(APOSTROPHES, "'").replace(IGNORED, '');

/** Folds a code, ignoring case but not accents: `' O’brien  1'` becomes `"O'BRIEN 1"`. */
export const foldCode = (code: string): string =>
  toComparable(code).toUpperCase().normalize('NFKC').replace(BLANKS, ' ').trim();

/** Folds a text for search and order: `'  Ácido  Fólico'` becomes `'acido folico'`, and `'Vitamina B₁₂'` `'vitamina b12'`. */
export const foldText = (text: string): string =>
  toComparable(text).normalize('NFD').replace(ACCENTS, '').toLowerCase().normalize('NFC').replace(BLANKS, ' ').trim();

// From the first letter or digit of a word to the last.
const WITHOUT_SIGNS = /[\p{L}\p{N}\p{M}](?:.*[\p{L}\p{N}\p{M}])?/u;

/**
 * Returns a search's distinct folded words without surrounding signs, the longest and so rarest first, leaving out words
 * contained in others. A blank search has no words; undefined for signs alone, which match nothing.
 */
export function splitSearch(search: string): string[] | undefined {
  if (search.trim() === '') return [];
  const terms = foldText(search).split(' ');
  const words = new Set(terms.flatMap((word) => WITHOUT_SIGNS.exec(word) ?? []));
  if (words.size === 0) return undefined;
  return withoutParts(words);
}

/** Returns distinct words, longest first, without those contained in others, which match whenever those do. */
export function withoutParts(words: Iterable<string>): string[] {
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length);
  return longestFirst.filter((word, index) => !longestFirst.slice(0, index).some((longer) => longer.includes(word)));
}

export const slugify = (text: string): string =>
  foldText(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

// `|` separates the fields of the text that SAT's stamp signs; half characters and controls are no XML.
const UNFIT_FOR_A_CFDI = /[|\p{C}\s]+/gu;

/** Cleans a text for a CFDI: NFC, one line, single blanks, no `|`, and the straight apostrophe of SAT's records (CFDI40145). */
export function fiscalText(text: string, maximum: number): string {
  const plain = text.normalize('NFC').replace(ACUTE, "'").replace(APOSTROPHES, "'");
  const clean = plain.replace(UNFIT_FOR_A_CFDI, ' ').trim();
  return [...clean].slice(0, maximum).join('').trim();
}
