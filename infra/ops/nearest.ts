import { countEdits } from '../../shared/catalog/read/spelling.ts';

const MOST_EDITS = 2;
const LETTERS_PER_EDIT = 3;

/** Returns the name that is most like a text; undefined if none is like it. */
export function findNearest(text: string, names: readonly string[]): string | undefined {
  const mostEdits = Math.min(MOST_EDITS, Math.floor(text.length / LETTERS_PER_EDIT));
  const compared = [...new Set(names)].sort().map((name) => ({ name, edits: countEdits(text, name) }));
  const found = compared.filter(({ edits }) => edits <= mostEdits);
  return found.sort((one, other) => one.edits - other.edits)[0]?.name;
}
