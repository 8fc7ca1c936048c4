// The rules of every text that comes in, from clients and from operators: how its bytes are decoded, in which form it is
// measured, compared and stored, and what makes it none.

/** Decodes UTF-8 strictly; undefined for bytes that are none, such as those of Latin-1 or half of a letter. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * True unless a text has half of a surrogate pair, or the sign that lenient decoders write for bytes that are not UTF-8: API
 * Gateway hands bodies and queries over with that sign.
 */
export const isWhole = (text: string): boolean => text.isWellFormed() && !text.includes('\uFFFD');

// Joiners (U+200C, U+200D) are letters of some scripts, and hold emoji together; elsewhere they show nothing either.
const JOINED = String.raw`[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
const STRAY_FORMAT = new RegExp(String.raw`(?!(?<=${JOINED})[\u200C\u200D](?=${JOINED}))\p{Cf}`, 'gu');

/**
 * Returns a text as it is measured, compared and stored: in NFC, without format characters such as a zero-width space, except
 * joiners inside a word or an emoji. `'Jose\u0301\u200B'` becomes `'José'`.
 */
export const normalizeText = (text: string): string => text.replace(STRAY_FORMAT, '').normalize('NFC');

const CONTROLS = /\p{Cc}/u;
const CONTROLS_BUT_BREAKS = /[^\P{Cc}\n\r\t]/u;

/** True if a text has a control character; in a text of several lines, line ends and tabs are none. */
export const hasControls = (text: string, lines: 'one' | 'several' = 'one'): boolean =>
  (lines === 'one' ? CONTROLS : CONTROLS_BUT_BREAKS).test(text);

// Of letters, signs and symbols these are blank: fillers, the empty pattern of Braille, a place for an object, a silent note.
const SHOWN = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]]/v;

/** True if a text has something to read: a letter, a digit, a symbol or an emoji that shows. */
export const isReadable = (text: string): boolean => SHOWN.test(text);

// The bytes from 80 to BF of UTF-8, as Latin-1 and Windows-1252 read them. The first byte of the letters of Spanish, of Greek,
// of typographic signs and of emoji is one of those below; ├, ┬, √ and ¬ are the first two in the code pages of DOS and of the Mac.
const LATER_BYTE = String.raw`[\u0080-\u00BF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]`;
const DOUBLY_ENCODED = new RegExp(
  String.raw`[ÂÃÄÅÎÏ]${LATER_BYTE}|[âï]${LATER_BYTE}{2}|ð${LATER_BYTE}{3}|[├┬√¬][^\x00-\x7F]`,
  'u',
);

/** True for UTF-8 that was taken for another encoding and encoded again: `SuspensiÃ³n` instead of `Suspensión`. */
export const isDoublyEncoded = (text: string): boolean => DOUBLY_ENCODED.test(text);

/** Returns the first format character that does not belong to a word or an emoji, as `U+200B`. */
export function findStrayFormat(text: string): string | undefined {
  const stray = text.match(STRAY_FORMAT)?.[0];
  return stray && `U+${stray.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

// NFKC takes the first of these for a blank with an accent.
const ACUTE = /\u00B4/g;
const APOSTROPHES = /[’‘ʼ`]/g;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const ACCENTS = /[\p{Diacritic}&&\p{M}]/gv;
const BLANKS = /\s+/g;

/** Returns a text as all comparisons take it: one apostrophe for all, compatibility forms as plain ones, nothing that is never shown. */
const toComparable = (text: string): string =>
  text.replace(ACUTE, "'").normalize('NFKC').replace(APOSTROPHES, "'").replace(IGNORED, '');

/** Returns a code as it is compared, in which case does not matter and accents do: `' O’brien  1'` becomes `"O'BRIEN 1"`. */
export const foldCode = (code: string): string =>
  toComparable(code).toUpperCase().normalize('NFKC').replace(BLANKS, ' ').trim();

/**
 * Folds a text for searching and ordering: as comparisons take it, in lower case, accents removed, blanks collapsed and
 * trimmed. `'  Ácido  Fólico'` becomes `'acido folico'`, and `'Vitamina B₁₂'` `'vitamina b12'`.
 */
export const foldText = (text: string): string =>
  toComparable(text).normalize('NFD').replace(ACCENTS, '').toLowerCase().normalize('NFC').replace(BLANKS, ' ').trim();

// From the first letter or digit of a word to the last.
const WITHOUT_SIGNS = /[\p{L}\p{N}\p{M}](?:.*[\p{L}\p{N}\p{M}])?/u;

/**
 * Returns the distinct folded words of a search, without the signs beside them, the longest first, since they are the rarest.
 * A word that stands in another one is left out: what contains the longer word contains it too. A blank search has no words;
 * undefined for signs alone, which find nothing.
 */
export function splitSearch(search: string): string[] | undefined {
  if (search.trim() === '') return [];
  const written = foldText(search).split(' ');
  const words = new Set(written.flatMap((word) => WITHOUT_SIGNS.exec(word) ?? []));
  if (words.size === 0) return undefined;
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return longestFirst.filter((word, index) => !longestFirst.slice(0, index).some((longer) => longer.includes(word)));
}

/** Makes a slug: folded text, everything but letters and digits turned into single hyphens. */
export function slugify(text: string): string {
  return foldText(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

// `|` separates the fields of what SAT's stamp is computed from; half characters and controls are no XML.
const UNFIT_FOR_A_CFDI = /[|\p{C}\s]+/gu;

/**
 * Returns a text as a CFDI takes it: in NFC, on one line, with single blanks and the straight apostrophe of SAT's records (a
 * phone writes another, CFDI40145), without `|`, at most that many characters.
 */
export function fiscalText(text: string, maximum: number): string {
  const plain = text.normalize('NFC').replace(ACUTE, "'").replace(APOSTROPHES, "'");
  const clean = plain.replace(UNFIT_FOR_A_CFDI, ' ').trim();
  return [...clean].slice(0, maximum).join('').trim();
}
