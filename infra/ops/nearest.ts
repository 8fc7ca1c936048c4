import { createNeighbourFinder } from '../../shared/catalog/read/neighbours.ts';

const MOST_EDITS = 2;
const LETTERS_PER_EDIT = 3;

/** Returns the name that is most like a text; undefined if none is like it. */
export function findNearest(text: string, names: readonly string[]): string | undefined {
  const mostEdits = Math.min(MOST_EDITS, Math.floor(text.length / LETTERS_PER_EDIT));
  const ascending = [...new Set(names)].sort();
  const found: { readonly name: string | undefined; readonly edits: number }[] = [];
  createNeighbourFinder(ascending)(text, mostEdits, (index, edits) => found.push({ name: ascending[index], edits }));
  return found.sort((one, other) => one.edits - other.edits)[0]?.name;
}
