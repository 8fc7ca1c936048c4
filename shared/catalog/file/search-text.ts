import { foldText, splitSearch } from '../../domain/text.ts';

/** A search term has no blanks, so it matches within a word: each distinct word is compared once, whatever its rows. */
export type SearchText = {
  /** All distinct folded words, each followed by a line feed. */
  readonly vocabulary: string;
  /** The word at index `i` of the vocabulary is in rows `wordRows[wordStarts[i]]` to `wordRows[wordStarts[i + 1]]`, exclusive. */
  readonly wordStarts: Uint32Array;
  readonly wordRows: Uint32Array;
};

export function buildSearchText(rows: Iterable<Iterable<string>>): SearchText {
  const rowsByWord = new Map<string, number[]>();
  let row = 0;
  for (const words of rows) {
    for (const word of words) {
      const others = rowsByWord.get(word);
      if (others) others.push(row);
      else rowsByWord.set(word, [row]);
    }
    row++;
  }
  const wordRows = [...rowsByWord.values()];
  return {
    vocabulary: [...rowsByWord.keys()].map((word) => `${word}\n`).join(''),
    wordStarts: toStarts(wordRows),
    wordRows: Uint32Array.from(wordRows.flat()),
  };
}

/** Returns the start of each list in the concatenation of all, followed by the total length. */
export function toStarts(lists: readonly { readonly length: number }[]): Uint32Array {
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach(({ length }, index) => {
    starts[index + 1] = (starts[index] ?? 0) + length;
  });
  return starts;
}

type Mark = (term: string, matches: Uint8Array) => void;

/** `markContaining` finds a term as a part of a word, `markEqual` as a whole word. */
export function createWordFinder({ vocabulary, wordStarts, wordRows }: SearchText): {
  readonly markContaining: Mark;
  readonly markEqual: Mark;
} {
  const ends = findLineEnds(vocabulary);
  const markRows = (word: number, matches: Uint8Array): void => {
    const end = wordStarts[word + 1] ?? 0;
    for (let at = wordStarts[word] ?? end; at < end; at++) matches[wordRows[at] ?? 0] = 1;
  };
  // A single long text is searched at the speed of memory.
  const markContaining: Mark = (part, matches) => {
    let word = 0;
    for (let at = vocabulary.indexOf(part); at >= 0; at = vocabulary.indexOf(part, ends[word])) {
      while ((ends[word] ?? at) < at) word++;
      markRows(word, matches);
    }
  };
  const markEqual: Mark = (word, matches) => {
    if (vocabulary.startsWith(`${word}\n`)) markRows(0, matches);
    const end = vocabulary.indexOf(`\n${word}\n`);
    if (end >= 0) markRows(ends.indexOf(end) + 1, matches);
  };
  return { markContaining, markEqual };
}

function findLineEnds(text: string): Uint32Array {
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) ends.push(end);
  return Uint32Array.from(ends);
}

/** Clears rows of the mask that do not match; false if none remains. */
export function keepFound(mask: Uint8Array, matches: Uint8Array): boolean {
  let hasMatches = false;
  for (let row = 0; row < mask.length; row++) {
    if (matches[row] === 0) mask[row] = 0;
    else if (mask[row] === 1) hasMatches = true;
  }
  return hasMatches;
}

/** Creates a search of names: a word matches anywhere, ignoring case and accents; punctuation alone matches nothing. */
export function createNameSearch(names: readonly string[]): (mask: Uint8Array, search: string) => void {
  const { markContaining } = createWordFinder(buildSearchText(names.map(splitName)));
  return (mask, search) => {
    const parts = splitSearch(search);
    if (!parts) mask.fill(0);
    for (const part of parts ?? []) {
      const matches = new Uint8Array(mask.length);
      markContaining(part, matches);
      if (!keepFound(mask, matches)) return;
    }
  };
}

function splitName(name: string): Set<string> {
  const words = new Set(foldText(name).split(' '));
  words.delete('');
  return words;
}
