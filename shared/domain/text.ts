const COMBINING_MARKS = /\p{Diacritic}/gu;

/**
 * Text as searching and ordering see it: lower case, accents removed, blanks collapsed and trimmed.
 * `'  Ácido  Fólico '` becomes `'acido folico'`.
 */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(COMBINING_MARKS, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** A slug for addresses: folded text, everything but letters and digits turned into single hyphens. */
export function slugify(text: string): string {
  return foldText(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
