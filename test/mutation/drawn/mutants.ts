import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Outcome = 'killed' | 'survived';

/** A change of the code from `was` to `becomes`, in the place that the code before and after it makes unambiguous. */
export type Mutant = {
  readonly file: string;
  readonly before: string;
  readonly was: string;
  readonly becomes: string;
  readonly after: string;
  /** The outcome with the tests before they were reduced; undefined until it is recorded. */
  readonly outcome?: Outcome;
};

const LIST = join(import.meta.dirname, 'mutants.json');

export const readMutants = (): readonly Mutant[] => JSON.parse(readFileSync(LIST, 'utf8'));

export const writeMutants = (mutants: readonly Mutant[]): void =>
  writeFileSync(LIST, `${JSON.stringify(mutants, undefined, 2)}\n`);

/** Returns the mutated code, or undefined if the place of the mutant is not in the code, or there twice. */
export function mutate(code: string, { before, was, becomes, after }: Mutant): string | undefined {
  const { text, positions } = condense(code);
  const head = condense(before).text;
  const body = condense(was).text;
  const whole = head + body + condense(after).text;
  const at = text.indexOf(whole);
  if (at < 0 || text.includes(whole, at + 1)) return undefined;
  const start = positions[at + head.length] ?? code.length;
  const last = positions[at + head.length + body.length - 1] ?? code.length;
  return code.slice(0, start) + becomes + code.slice(last + 1);
}

/**
 * Returns the code without white space and without commas before closing brackets, which come and go when it is reformatted,
 * and the position in the code of each character that is left.
 */
function condense(code: string): { readonly text: string; readonly positions: readonly number[] } {
  const kept = [...code.matchAll(/(?!,\s*[)\]}])\S/g)];
  return { text: kept.map(([character]) => character).join(''), positions: kept.map(({ index }) => index) };
}
