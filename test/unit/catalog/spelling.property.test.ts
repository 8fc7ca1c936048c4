import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNeighbourFinder } from '../../../shared/catalog/read/neighbours.ts';
import { tries } from '../../support/proofs/proof.ts';

/** The textbook's optimal string alignment, over the whole table. */
function alignment(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => table[row]?.[column] ?? Number.NaN;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      let edits = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + cost);
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) edits = Math.min(edits, at(row - 2, column - 2) + 1);
      (table[row] ?? [])[column] = edits;
    }
  }
  return at(one.length, other.length);
}

it('counts edits as optimal string alignment does', () => {
  expect(['', 'abcd', 'bacd', 'acbd', 'ca', 'abc', 'kitten'].map((word) => alignment(word, 'abcd'))).toEqual([
    4, 0, 1, 1, 3, 1, 6,
  ]);
  // A swap that another edit touches does not count as one.
  expect(alignment('ca', 'abc')).toBe(3);
});

const letters = (maximum: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: maximum });

it('finds exactly the words of a vocabulary that a plain comparison with each of them finds', () => {
  const vocabulary = fc.uniqueArray(letters(7), { maxLength: 120 });
  fc.assert(
    fc.property(
      vocabulary,
      fc.array(letters(8), { minLength: 1, maxLength: 10 }),
      fc.nat(3),
      (unordered, texts, most) => {
        const words = unordered.sort();
        const visit = createNeighbourFinder(words);
        for (const text of texts) {
          const found: (readonly [number, number])[] = [];
          visit(text, most, (word, edits) => found.push([word, edits]));
          const expected = words.map((word, index) => [index, alignment(text, word)] as const);
          expect(found).toEqual(expected.filter(([, edits]) => edits <= most));
        }
      },
    ),
    { numRuns: tries(300, 20_000) },
  );
});
