const COMBINING_MARKS = /\p{Diacritic}/gu;

/**
 * Folds a text for searching and ordering: lower case, accents removed, blanks collapsed and trimmed. `'  Ácido  Fólico
 * '` becomes `'acido folico'`.
 */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(COMBINING_MARKS, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/**
 * Returns the distinct folded words of a search, the longest first, since they are the rarest. A word that stands in
 * another one is left out: what contains the longer word contains it too.
 */
export function splitSearch(search: string): string[] {
  const words = [...new Set(foldText(search).split(' '))].filter((word) => word !== '');
  const longestFirst = words.sort((a, b) => b.length - a.length);
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

/** Returns a text as a CFDI takes it: in NFC, on one line, without `|`, at most that many characters. */
export function fiscalText(text: string, maximum: number): string {
  const clean = text.normalize('NFC').replace(UNFIT_FOR_A_CFDI, ' ').trim();
  return [...clean].slice(0, maximum).join('').trim();
}
