import { foldText } from '../../domain/text.ts';
import type { SpellingColumns } from '../file/columns.ts';
import type { ProductOfBase } from './product-columns.ts';

type Named = { readonly base: Pick<ProductOfBase['base'], 'name' | 'medical_information'> };

/**
 * Returns the words of the names of products, which searches are corrected by. The words of active ingredients, and each
 * word that a name begins with, are drug names; a word with digits is two words or none.
 */
export function toSpellingColumns(rows: readonly Named[]): SpellingColumns {
  const counts = new Map<string, number>();
  const drugs = new Set<string>();
  for (const { base } of rows) {
    const named = splitWords(base.name);
    for (const word of new Set(named)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const ingredients = splitWords(base.medical_information?.active_ingredient ?? '');
    for (const word of [...named.slice(0, 1), ...ingredients]) drugs.add(word);
  }
  const words = [...counts.keys()].sort();
  return {
    spellingWords: new TextEncoder().encode(words.join('\n')),
    spellingCounts: Uint32Array.from(words, (word) => counts.get(word) ?? 0),
    spellingDrugs: Uint8Array.from(words, (word) => Number(drugs.has(word))),
  };
}

const splitWords = (text: string): string[] => foldText(text).match(/\p{L}+/gu) ?? [];
