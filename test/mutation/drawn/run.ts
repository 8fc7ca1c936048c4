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

type Numbered = { readonly number: number; readonly mutant: Mutant };
/** A mutant is `gone` if its place is no longer in the code. */
type Tried = Numbered & { readonly outcome: Outcome | 'gone'; readonly killedBy?: string };

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Tries the drawn mutants, or those whose numbers are given, one after the other in a copy of the project. Fails if one that
 * was killed before survives or cannot be tried any more. With `--write`, records the outcomes in mutants.json instead.
 */
async function run(numbers: readonly number[], isRecorded: boolean): Promise<void> {
  const mutants = readMutants();
  const wanted = mutants
    .map((mutant, index) => ({ number: index + 1, mutant }))
    .filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  const copy = copyProject();
  try {
    await expectPassing(copy, wanted);
    const tried: Tried[] = [];
    for (const numbered of wanted) {
      tried.push(await report(() => tryMutant(copy, numbered)));
      if (isRecorded)
        writeMutants(
          mutants.map((mutant, index) => withOutcome(mutant, index + 1, tried)),
          'w',
        );
    }
    printTotals(tried);
    if (!isRecorded && tried.some(isLost)) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies what Git tracks and what it would add, so that no change is made in the folder where somebody works. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0')) {
    if (file && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, '.local'), { recursive: true });
  return copy;
}

/** Runs the related tests of all mutants on the code as it is, because a test that fails anyway would kill every mutant. */
async function expectPassing(copy: string, wanted: readonly Numbered[]): Promise<void> {
  const sets = wanted.flatMap(({ mutant }) => relatedTests(copy, mutant.file));
  for (const project of ['unit', 'component'] as const) {
    const files = [...new Set(sets.filter((set) => set.project === project).flatMap((set) => set.files))];
    console.log(`without a mutant: ${files.length} ${project} test files`);
    const failing = files.length === 0 ? undefined : await findFailure(copy, { project, files });
    if (failing !== undefined) throw new Error(`fails without a mutant: ${failing}`);
  }
}

async function tryMutant(copy: string, { number, mutant }: Numbered): Promise<Tried> {
  const place = findPlace(copy, mutant);
  if (!place) return { number, mutant, outcome: 'gone' };
  const path = join(copy, place.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, place.mutated);
  try {
    const killedBy = await findKiller(copy, relatedTests(copy, place.file));
    return { number, mutant, ...(killedBy === undefined ? { outcome: 'survived' } : { outcome: 'killed', killedBy }) };
  } finally {
    writeFileSync(path, original);
  }
}

/** Looks in all files if the code is not in the file where it was, because files move. */
function findPlace(copy: string, mutant: Mutant): { readonly file: string; readonly mutated: string } | undefined {
  for (const file of [mutant.file, ...globSync('shared/**/*.ts', { cwd: copy })]) {
    const path = join(copy, file);
    const mutated = existsSync(path) ? mutate(readFileSync(path, 'utf8'), mutant) : undefined;
    if (mutated !== undefined) return { file, mutated };
  }
  return undefined;
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

function withOutcome(mutant: Mutant, number: number, tried: readonly Tried[]): Mutant {
  const found = tried.find((each) => each.number === number);
  if (!found || found.outcome === 'gone') return mutant;
  const { outcome: _, killedBy: __, ...place } = mutant;
  const { outcome, killedBy } = found;
  return { ...place, outcome, ...(killedBy === undefined ? {} : { killedBy }) };
}

const isLost = ({ mutant, outcome }: Tried) => mutant.outcome === 'killed' && outcome !== 'killed';

function printTotals(tried: readonly Tried[]): void {
  const folders = Map.groupBy(tried, ({ mutant }) => mutant.file.split('/').slice(0, 2).join('/'));
  console.table(Object.fromEntries([...folders].map(([folder, some]) => [folder, countOutcomes(some)])));
  const lost = tried.filter(isLost);
  for (const { number, mutant, outcome } of lost)
    console.log(`${number} was killed by ${mutant.killedBy}, now ${outcome}`);
  const { killed, survived, gone } = countOutcomes(tried);
  console.log(`${tried.length} mutants: ${killed} killed, ${survived} survived, ${gone} gone; ${lost.length} lost`);
}

function countOutcomes(tried: readonly Tried[]) {
  const count = (wanted: Tried['outcome']) => tried.filter(({ outcome }) => outcome === wanted).length;
  const before = tried.filter(({ mutant }) => mutant.outcome === 'killed').length;
  return { 'killed before': before, killed: count('killed'), survived: count('survived'), gone: count('gone') };
}

const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true });
await run(positionals.map(Number), values.write === true);
