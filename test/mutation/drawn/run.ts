import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutate, type Outcome, readMutants, writeMutants } from './mutants.ts';
import { relatedTests } from './related.ts';
import { findFailure, type TestSet } from './tests.ts';

/** A mutant with its number in the list and the place in the copy where its code is now, if it is there. */
type Placed = {
  readonly number: number;
  readonly mutant: Mutant;
  readonly place: { readonly file: string; readonly mutated: string } | undefined;
};
/** A mutant is `gone` if it has no place any more. */
type Tried = Placed & { readonly outcome: Outcome | 'gone'; readonly killedBy?: string };

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Tries the drawn mutants, or those whose numbers are given, one after the other in a copy of the project. Fails if one that
 * was killed before survives or cannot be tried any more. With `--write`, records the outcomes in mutants.json instead.
 */
async function run(numbers: readonly number[], isRecorded: boolean): Promise<void> {
  const mutants = readMutants();
  const copy = copyProject();
  const wanted = mutants
    .map((mutant, index) => ({ number: index + 1, mutant, place: findPlace(copy, mutant) }))
    .filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  if (wanted.length === 0) throw new Error(`the mutants have the numbers 1 to ${mutants.length}`);
  await expectPassing(copy, wanted);
  const tried: Tried[] = [];
  for (const placed of wanted) {
    tried.push(await report(() => tryMutant(copy, placed)));
    if (isRecorded) recordOutcomes(mutants, tried);
  }
  printTotals(tried);
  if (!isRecorded && tried.some(isLost)) process.exitCode = 1;
}

/**
 * Copies what Git tracks and what it would add, so that no change is made in the folder where somebody works. The copy goes
 * when this process ends.
 */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0')) {
    if (file && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, '.local'), { recursive: true });
  return copy;
}

/** Looks in the other files too, because files move; undefined if the code is in none of them, or in two. */
function findPlace(copy: string, mutant: Mutant): Placed['place'] {
  const [place] = findPlaces(copy, [mutant.file], mutant);
  if (place) return place;
  const others = findPlaces(copy, globSync('shared/**/*.ts', { cwd: copy }), mutant);
  return others.length === 1 ? others[0] : undefined;
}

const findPlaces = (copy: string, files: readonly string[], mutant: Mutant) =>
  files.flatMap((file) => {
    const path = join(copy, file);
    const mutated = existsSync(path) ? mutate(readFileSync(path, 'utf8'), mutant) : undefined;
    return mutated === undefined ? [] : [{ file, mutated }];
  });

/** Runs the related tests of all mutants on the code as it is, because a test that fails anyway would kill every mutant. */
async function expectPassing(copy: string, wanted: readonly Placed[]): Promise<void> {
  const sets = wanted.flatMap(({ mutant, place }) => relatedTests(copy, mutant.file, place?.file));
  for (const project of ['unit', 'component'] as const) {
    const files = [...new Set(sets.filter((set) => set.project === project).flatMap((set) => set.files))];
    console.log(`without a mutant: ${files.length} ${project} test files`);
    const failing = await findKiller(copy, [{ project, files }]);
    if (failing !== undefined) throw new Error(`fails without a mutant: ${failing}`);
  }
}

async function tryMutant(copy: string, placed: Placed): Promise<Tried> {
  const { mutant, place } = placed;
  if (!place) return { ...placed, outcome: 'gone' };
  const path = join(copy, place.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, place.mutated);
  try {
    const killedBy = await findKiller(copy, relatedTests(copy, mutant.file, place.file));
    return killedBy === undefined ? { ...placed, outcome: 'survived' } : { ...placed, outcome: 'killed', killedBy };
  } finally {
    writeFileSync(path, original);
  }
}

async function findKiller(copy: string, sets: readonly TestSet[]): Promise<string | undefined> {
  for (const set of sets) {
    const failing = set.files.length === 0 ? undefined : await findFailure(copy, set);
    if (failing !== undefined) return failing;
  }
  return undefined;
}

async function report(attempt: () => Promise<Tried>): Promise<Tried> {
  const startedMs = performance.now();
  const tried = await attempt();
  const { number, mutant, outcome, killedBy = '' } = tried;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  const columns = [String(number).padStart(2), outcome.padEnd(8), `${seconds} s`.padStart(5)];
  console.log(`${columns.join('  ')}  ${mutant.file}: ${mutant.was} -> ${mutant.becomes}  ${killedBy}`);
  return tried;
}

function recordOutcomes(mutants: readonly Mutant[], tried: readonly Tried[]): void {
  const outcomes = new Map(tried.map((each) => [each.mutant, each]));
  const recorded = mutants.map((mutant) => {
    const { outcome } = outcomes.get(mutant) ?? mutant;
    return outcome === undefined || outcome === 'gone' ? mutant : { ...mutant, outcome };
  });
  writeMutants(recorded);
}

const isLost = ({ mutant, outcome }: Tried) => mutant.outcome === 'killed' && outcome !== 'killed';

function printTotals(tried: readonly Tried[]): void {
  const folders = Map.groupBy(tried, ({ mutant }) => mutant.file.split('/').slice(0, 2).join('/'));
  console.table(Object.fromEntries([...folders].map(([folder, some]) => [folder, countOutcomes(some)])));
  const lost = tried.filter(isLost);
  for (const { number, mutant, outcome } of lost) console.log(`${number} ${outcome}: ${mutant.file}`);
  const { killed, survived, gone } = countOutcomes(tried);
  console.log(`${tried.length} mutants: ${killed} killed, ${survived} survived, ${gone} gone; ${lost.length} lost`);
}

function countOutcomes(tried: readonly Tried[]) {
  const count = (wanted: Tried['outcome']) => tried.filter(({ outcome }) => outcome === wanted).length;
  const before = tried.filter(({ mutant }) => mutant.outcome === 'killed').length;
  return { 'killed before': before, killed: count('killed'), survived: count('survived'), gone: count('gone') };
}

// Without it, the listeners of `exit` would not be called.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true });
await run(positionals.map(Number), values.write === true);
