import type { SpellingColumns } from '../../shared/catalog/file/columns.ts';
import { createSpelling } from '../../shared/catalog/read/spelling.ts';
import { type Figure, medianMs } from './figures.ts';

const WORDS = 30_000;
const SYLLABLES = 'pa ra ce ta mol i bu pro fe no a mo xi ci li na dol zo pi ster me xe lo sar tan di clo va gli'.split(
  ' ',
);

/** Measures the correction of searches by more words than a catalog of 50,000 products has. */
export async function benchSpelling(): Promise<Figure[]> {
  const columns = generateWords();
  const correct = createSpelling(
    () => false,
    () => columns,
  );
  const time = async (what: string, search: string): Promise<Figure> => ({
    what: `spelling among ${WORDS} words: ${what}`,
    value: await medianMs(100, () => correct(search)),
    unit: 'ms',
    bar: 5,
  });
  return [await time('one word', 'paracetmolo'), await time('three words', 'paratalo motadina procetalo')];
}

// Multiplied by a number without a common divisor, the numbers of the words are all different.
function generateWords(): SpellingColumns {
  const total = SYLLABLES.length ** 4;
  const toWord = (index: number) => {
    const number = (index * 7_919) % total;
    return [0, 1, 2, 3]
      .map((place) => SYLLABLES[Math.floor(number / SYLLABLES.length ** place) % SYLLABLES.length])
      .join('');
  };
  const words = [...new Set(Array.from({ length: WORDS * 2 }, (_, index) => toWord(index)))].slice(0, WORDS).sort();
  return {
    spellingWords: new TextEncoder().encode(words.join('\n')),
    spellingCounts: new Uint32Array(words.length).fill(1),
    spellingKinds: new Uint8Array(words.length).fill(1),
  };
}
