import { foldText } from '../../domain/text.ts';

/**
 * What a search reads of a list of rows. A word of a search has no blanks, so that it can only match within one word of
 * a name: each distinct word is looked at once, and leads to the rows that have it.
 */
export type SearchText = {
  /** Every distinct folded word, each ended by a line feed. */
  readonly vocabulary: string;
  /** Word number `i` of the vocabulary is in the rows `wordRows[wordStarts[i]]` up to `wordRows[wordStarts[i + 1]]`. */
  readonly wordStarts: Uint32Array;
  readonly wordRows: Uint32Array;
  /** The folded barcode of every row, each ended by a line feed. */
  readonly barcodes: string;
};

/** The search text of rows, in their order; a row without a barcode has ''. */
export function searchText(rows: readonly { readonly name: string; readonly barcode: string }[]): SearchText {
  const rowsByWord = new Map<string, number[]>();
  for (const [row, { name }] of rows.entries()) {
    for (const word of splitWords(name)) {
      const known = rowsByWord.get(word);
      if (known) known.push(row);
      else rowsByWord.set(word, [row]);
    }
  }
  const rowsOf = [...rowsByWord.values()];
  return {
    vocabulary: linesOf([...rowsByWord.keys()]),
    wordStarts: startsOf(rowsOf),
    wordRows: Uint32Array.from(rowsOf.flat()),
    barcodes: linesOf(rows.map(({ barcode }) => foldText(barcode))),
  };
}

function splitWords(text: string): Set<string> {
  const words = new Set(foldText(text).split(' '));
  words.delete('');
  return words;
}

function linesOf(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

/** Where each list starts when all are laid end to end, and at last where the last one ends. */
export function startsOf(lists: readonly { readonly length: number }[]): Uint32Array {
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach(({ length }, index) => {
    starts[index + 1] = (starts[index] ?? 0) + length;
  });
  return starts;
}

/**
 * Makes the search over these rows: it clears in the mask (1 for a row that is still in) every row that lacks one of the
 * words. A word matches anywhere in the name or in the barcode, without regard to case and accents.
 */
export function searcher({ vocabulary, wordStarts, wordRows, barcodes }: SearchText) {
  const eachWord = lineFinder(vocabulary);
  const eachBarcode = lineFinder(barcodes);
  const rowsHolding = (part: string, rows: number): Uint8Array => {
    const found = new Uint8Array(rows);
    eachBarcode(part, (row) => {
      found[row] = 1;
    });
    eachWord(part, (word) => {
      const end = wordStarts[word + 1] ?? 0;
      for (let at = wordStarts[word] ?? end; at < end; at++) found[wordRows[at] ?? 0] = 1;
    });
    return found;
  };
  return (mask: Uint8Array, search: string): void => {
    for (const part of splitWords(search)) {
      const found = rowsHolding(part, mask.length);
      for (let row = 0; row < mask.length; row++) if (found[row] === 0) mask[row] = 0;
    }
  };
}

// Visits the lines that hold a part, by their numbers. One long text is searched at the speed of memory, 0.01 ms for
// 50,000 barcodes; a hit costs 20 ns, so that a part which all of them hold takes 1 ms.
function lineFinder(text: string): (part: string, visit: (line: number) => void) => void {
  const ends = lineEnds(text);
  return (part, visit) => {
    let line = 0;
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, ends[line])) {
      while ((ends[line] ?? at) < at) line++;
      visit(line);
    }
  };
}

function lineEnds(text: string): Uint32Array {
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) ends.push(end);
  return Uint32Array.from(ends);
}
