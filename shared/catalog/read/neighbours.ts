/** Visits the index of each word that at most so many edits make of a text, in ascending order, with the fewest edits. */
type VisitNeighbours = (text: string, mostEdits: number, visit: (word: number, edits: number) => void) => void;

/**
 * Creates a function that finds the words that are like a text. An edit inserts, removes or replaces a character, or swaps
 * two neighbours that no other edit touches (optimal string alignment). The words ascend by code unit: a beginning that
 * several have in common is compared once, and if it differs too much, all of them are skipped.
 */
export function createNeighbourFinder(words: readonly string[]): VisitNeighbours {
  const common = countCommon(words);
  return (text, mostEdits, visit) => {
    const { compare, editsTo } = createComparison(text, mostEdits);
    let compared = 0;
    let deadEnd = Number.POSITIVE_INFINITY;
    for (let index = 0; index < words.length; index++) {
      const kept = common[index] ?? 0;
      if (kept >= deadEnd) continue;
      const word = words[index] ?? '';
      compared = Math.min(compared, kept);
      let fewest = 0;
      while (fewest <= mostEdits && compared < word.length) fewest = compare(word, ++compared);
      deadEnd = fewest > mostEdits ? compared : Number.POSITIVE_INFINITY;
      const edits = fewest > mostEdits ? fewest : editsTo(word.length);
      if (edits <= mostEdits) visit(index, edits);
    }
  };
}

/** Returns how many characters each word begins with in common with the word before it. */
function countCommon(words: readonly string[]): Uint16Array {
  return Uint16Array.from(words, (word, index) => {
    const before = words[index - 1] ?? '';
    let length = 0;
    while (length < word.length && word.charCodeAt(length) === before.charCodeAt(length)) length++;
    return length;
  });
}

/**
 * Compares words with a text character by character. A cell holds the edits that make the beginning of a word, which has
 * the length of its row, of a beginning of the text; cells whose lengths differ by more than `mostEdits` are never filled.
 */
function createComparison(text: string, mostEdits: number) {
  const width = text.length + 1;
  const tooMany = mostEdits + 1;
  const cells = new Uint8Array((text.length + mostEdits + 2) * width).fill(tooMany);
  for (let length = 0; length <= Math.min(mostEdits, text.length); length++) cells[length] = length;
  const at = (cell: number): number => cells[cell] ?? tooMany;

  /** Returns the edits of a cell, whose row and column are above 0. */
  function countEdits(word: string, row: number, column: number): number {
    const cell = row * width + column;
    const diagonal = cell - width - 1;
    const letter = word.charCodeAt(row - 1);
    if (letter === text.charCodeAt(column - 1)) return at(diagonal);
    const changed = Math.min(at(cell - 1), at(cell - width), at(diagonal)) + 1;
    const isSwapped =
      letter === text.charCodeAt(column - 2) && word.charCodeAt(row - 2) === text.charCodeAt(column - 1);
    return Math.min(changed, tooMany, isSwapped ? at(diagonal - width - 1) + 1 : tooMany);
  }

  return {
    /** Fills the row of a character of a word, and returns its fewest edits; the rows before it must be those of the word. */
    compare(word: string, row: number): number {
      const last = Math.min(text.length, row + mostEdits);
      let fewest = tooMany;
      for (let column = Math.max(0, row - mostEdits); column <= last; column++) {
        const edits = column === 0 ? row : countEdits(word, row, column);
        cells[row * width + column] = edits;
        if (edits < fewest) fewest = edits;
      }
      return fewest;
    },
    /** Returns the edits to a whole word of this length, whose rows are filled. */
    editsTo: (length: number): number => at(length * width + text.length),
  };
}
