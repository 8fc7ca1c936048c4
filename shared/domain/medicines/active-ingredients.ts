import { foldText } from '../text.ts';

/** True when a word of a text, folded, matches one of the names and none of the others. */
export function matchesWord(text: string, names: readonly RegExp[], others: readonly RegExp[] = []): boolean {
  const words = foldText(text).split(/[^a-z]+/);
  return words.some((word) => names.some((name) => name.test(word)) && !others.some((other) => other.test(word)));
}

// `e` stands for `y` before the sound of i, so that the E of `Vitamina E y zinc` is none.
const SEPARATORS = /[,;+/&]| (?:y|con) | e (?=h?i)/;
const NO_INGREDIENTS = /^(n\/?a|no aplica|ningun[oa]?|sin principio activo)$/;

/**
 * Splits a text such as `Clorfenamina, paracetamol y fenilefrina` or `Losartán + hidroclorotiazida` into its distinct
 * ingredients, folded and in alphabetical order. None for a blank text, or one that says that there are none.
 */
export function splitIngredients(text: string): string[] {
  const folded = foldText(text);
  if (NO_INGREDIENTS.test(folded)) return [];
  const named = folded.split(SEPARATORS).map((ingredient) => ingredient.trim());
  return [...new Set(named)].filter((ingredient) => /\p{L}/u.test(ingredient)).sort();
}
