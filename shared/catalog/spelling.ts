import { distance } from 'fastest-levenshtein';
import { foldText } from '../domain/text.ts';
import { once } from '../runtime/async.ts';
import { SPELLING_KINDS, type SpellingColumns } from './file/columns.ts';

/** Returns a search with its unknown words corrected; undefined if there are none, or one resembles no known word. */
export type CorrectSearch = (search: string) => string | undefined;

// A search of 200 characters may have 40 unknown words, and each takes 1 ms among 30,000.
const MOST_CORRECTED = 3;
// Digits are left alone: guessing a strength would be dangerous.
const WORD = /\p{L}+/gu;

/** `stands` tells whether the searched text contains a word; the columns are read for the first correction. */
export function createSpelling(stands: (word: string) => boolean, readColumns: () => SpellingColumns): CorrectSearch {
  const findNearest = once(() => createNearest(readColumns()));
  return (search) => {
    const folded = foldText(search);
    const unknown = [...new Set(folded.match(WORD))].filter((word) => !stands(word));
    if (unknown.length === 0 || unknown.length > MOST_CORRECTED) return undefined;
    const corrections = new Map<string, string>();
    for (const word of unknown) {
      const nearest = findNearest()(word);
      if (nearest === undefined) return undefined;
      corrections.set(word, nearest);
    }
    return folded.replace(WORD, (word) => corrections.get(word) ?? word);
  };
}

const MOST_LETTERS = 40;

function allowedEdits({ length }: string): number {
  if (length < 4 || length > MOST_LETTERS) return 0;
  return length < 6 ? 1 : 2;
}

type Neighbour = { readonly word: number; readonly edits: number };

function createNearest({ spellingWords, spellingCounts, spellingKinds }: SpellingColumns) {
  const words = new TextDecoder().decode(spellingWords).split('\n');
  const letters = Uint32Array.from(words, markLetters);

  const isOfKind = ({ word }: Neighbour, kind: keyof typeof SPELLING_KINDS): boolean =>
    spellingKinds[word] === SPELLING_KINDS[kind];

  /** Sorts drug names first, then by fewer edits, then by more products. */
  function compare(one: Neighbour, other: Neighbour): number {
    const byKind = Number(isOfKind(other, 'drug')) - Number(isOfKind(one, 'drug'));
    const byCount = (spellingCounts[other.word] ?? 0) - (spellingCounts[one.word] ?? 0);
    return byKind || one.edits - other.edits || byCount;
  }

  return (word: string): string | undefined => {
    const mostEdits = allowedEdits(word);
    if (mostEdits === 0) return undefined;
    const neighbours: Neighbour[] = [];
    const own = markLetters(word);
    for (let index = 0; index < words.length; index++) {
      // Leaves some hundreds of 30,000 words, which takes 0.3 ms instead of 6.
      if (countBits(own ^ (letters[index] ?? 0)) > 2 * mostEdits) continue;
      const edits = countEdits(word, words[index] ?? '');
      if (edits <= mostEdits) neighbours.push({ word: index, edits });
    }
    const companies = neighbours.filter((item) => isOfKind(item, 'company')).map(({ edits }) => edits);
    // The words are in alphabetical order, which the sort keeps among equals.
    const [nearest] = neighbours.filter((item) => !isOfKind(item, 'company')).sort(compare);
    // A word as near to a company is that company's name, well or badly written, and no product's.
    return nearest && nearest.edits < Math.min(...companies, Number.POSITIVE_INFINITY)
      ? words[nearest.word]
      : undefined;
  };
}

/** Returns a bit for each letter, of 32 kinds, with an odd number of occurrences; an edit changes at most two bits. */
function markLetters(word: string): number {
  let mark = 0;
  for (let at = 0; at < word.length; at++) mark ^= 1 << (word.charCodeAt(at) & 31);
  return mark;
}

function countBits(number: number): number {
  const pairs = number - ((number >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns the number of inserted, removed and replaced characters between two texts; swapping two neighbours counts once. */
function countEdits(one: string, other: string): number {
  const edits = distance(one, other);
  return edits === 2 && isSwapped(one, other) ? 1 : edits;
}

function isSwapped(one: string, other: string): boolean {
  let at = 0;
  while (one[at] === other[at]) at++;
  const swapped = `${one[at + 1]}${one[at]}${one.slice(at + 2)}`;
  return other.slice(at) === swapped;
}
