const COMBINING_MARKS = /\p{Diacritic}/gu;

/**
 * Folds a text for searching and ordering: lower case, accents removed, blanks collapsed and trimmed. `'  Ácido  Fólico
 * '` becomes `'acido folico'`.
 */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(COMBINING_MARKS, '').toLowerCase().replace(/\s+/g, ' ').trim();
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
