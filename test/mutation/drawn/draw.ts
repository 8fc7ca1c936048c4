import { globSync, readFileSync } from 'node:fs';
import type { Mutant as StrykerMutant } from '@stryker-mutator/api/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { transformSync } from 'esbuild';
import { type Mutant, mutate, writeMutants } from './mutants.ts';

/*
 * Draws the mutants of mutants.json: `node test/mutation/drawn/draw.ts`. It was run once, before the tests were reduced, and
 * does not replace a list that is there, because other code gives other mutants.
 */

const SEED = 20_261_127;
const FOLDERS = ['shared/domain', 'shared/store', 'shared/usecases', 'shared/http'];
const MUTANTS_PER_FOLDER = 15;

/** Kinds of small changes. Left out are those that empty a whole object, array or function, which any test notices. */
const MUTATORS = new Set([
  'ArithmeticOperator',
  'AssignmentOperator',
  'BooleanLiteral',
  'CallExpression',
  'ConditionalExpression',
  'EqualityOperator',
  'LogicalOperator',
  'MethodExpression',
  'StringLiteral',
  'UnaryOperator',
  'UpdateOperator',
]);

/** Lines of code whose texts only people read: descriptions, logs, measurements and errors of the program itself. */
const TEXTS_FOR_PEOPLE = /\.describe\(|\.meta\(|\blog\w*\(|\bmeasure\(|\bconsole\.|\bparseItem\(|new \w*Error\(/;

const nextRandom = createRandom(SEED);

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle<Item>(items: Iterable<Item>): Item[] {
  return [...items]
    .map((item) => ({ item, order: nextRandom() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

async function drawFrom(folder: string): Promise<Mutant[]> {
  const files = shuffle(globSync(`${folder}/**/*.ts`).sort());
  const waiting = await Promise.all(files.map(listMutants));
  const drawn: Mutant[] = [];
  // One of each file, and then a second one if the folder has few files.
  while (drawn.length < MUTANTS_PER_FOLDER) {
    for (const mutants of waiting) {
      if (drawn.length < MUTANTS_PER_FOLDER) drawn.push(...takeOne(mutants));
    }
  }
  return drawn.sort((one, other) => one.file.localeCompare(other.file));
}

/** Takes a mutant of a kind that is drawn first, because a file has five times as many changed conditions as others. */
function takeOne(mutants: Mutant[]): Mutant[] {
  const [kind] = shuffle(new Set(mutants.map(({ mutator }) => mutator)));
  const [drawn] = shuffle(mutants.filter(({ mutator }) => mutator === kind));
  return drawn ? mutants.splice(mutants.indexOf(drawn), 1) : [];
}

async function listMutants(file: string): Promise<Mutant[]> {
  const content = readFileSync(file, 'utf8');
  const found = await createInstrumenter().instrument([{ name: file, mutate: true, content }], {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return found.mutants
    .filter(({ mutatorName }) => MUTATORS.has(mutatorName))
    .flatMap((mutant) => toMutant(file, content, mutant) ?? [])
    .filter((mutant) => isParsed(mutate(content, mutant)));
}

const ignore = () => {};
const never = () => false;

const createInstrumenter = () =>
  new Instrumenter({
    isTraceEnabled: never,
    isDebugEnabled: never,
    isInfoEnabled: never,
    isWarnEnabled: never,
    isErrorEnabled: never,
    isFatalEnabled: never,
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  });

/** Returns undefined for a change of several lines, or of a text that only people read. */
function toMutant(file: string, content: string, { location, mutatorName, replacement }: StrykerMutant) {
  const { start, end } = location;
  const lines = content.split('\n');
  const line = lines[start.line] ?? '';
  if (start.line !== end.line || replacement.includes('\n') || TEXTS_FOR_PEOPLE.test(line)) return undefined;
  const change = { was: line.slice(start.column, end.column), becomes: replacement };
  const around = { before: line.slice(0, start.column), after: line.slice(end.column) };
  // Lines above are added until the place is unambiguous.
  for (let above = start.line; above >= 0; above--) {
    const before = onOneLine([...lines.slice(above, start.line), around.before].join('\n'));
    const mutant = {
      file,
      mutator: mutatorName,
      before,
      ...change,
      after: onOneLine(around.after).replace(/,\s*$/, ''),
    };
    if (mutate(content, mutant) !== undefined) return mutant;
  }
  return undefined;
}

const onOneLine = (code: string) => code.replace(/\s+/g, ' ').replace(/^ /, '');

function isParsed(code: string | undefined): boolean {
  try {
    return code !== undefined && transformSync(code, { loader: 'ts' }).code !== '';
  } catch {
    return false;
  }
}

const mutants: Mutant[] = [];
for (const folder of FOLDERS) mutants.push(...(await drawFrom(folder)));
writeMutants(mutants, 'wx');
