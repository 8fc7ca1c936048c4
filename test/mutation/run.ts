import { Stryker } from '@stryker-mutator/core';
import { type Mutated, mutated } from './mutated.ts';
import { isPart, PARTS, type Part } from './parts.ts';

/** Mutants that no test notices and nothing explains, and explanations that no mutant needs. */
type Report = { readonly unexplained: readonly Mutated[]; readonly needless: readonly string[] };

/**
 * Changes the code of a part in one place after another, and tells which changes no test notices. Those that are known
 * and explained (`survivors/`) may stay; any other is a failure, and so is an explanation that none needs.
 */
async function run(name: string, part: Part): Promise<boolean> {
  process.env.MUTATED_PART = name;
  const results = await strykerOf(name, part).runMutationTest();
  const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').map(mutated);
  const { unexplained, needless } = reportOf(survivors, part);
  for (const { file, line, was, becomes } of unexplained) console.log(`\n${file}:${line}\n- ${was}\n+ ${becomes}`);
  for (const key of needless) console.log(`\nexplained, and noticed by a test or gone: ${key}`);
  const noticed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const explained = survivors.length - unexplained.length;
  const all = noticed + survivors.length;
  console.log(`\n${name}: ${all} mutants, ${noticed} noticed, ${explained} explained, ${unexplained.length} neither`);
  return unexplained.length + needless.length === 0;
}

const strykerOf = (name: string, { mutate }: Part) =>
  new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    mutate: [...mutate],
    // It is read by TypeScript's old API, and nothing in it is needed to run.
    tsconfigFile: 'none',
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
    timeoutMS: 10_000,
    incremental: true,
    incrementalFile: `.local/mutation-${name}.json`,
    tempDirName: `.local/mutation-${name}`,
    ignorePatterns: ['cdk.out', 'dist', '.local'],
    reporters: ['progress'],
  });

function reportOf(survivors: readonly Mutated[], part: Part): Report {
  const known = new Set(
    Object.entries(part.survivors).flatMap(([file, places]) => Object.keys(places).map((place) => `${file}: ${place}`)),
  );
  const found = new Map(survivors.map((survivor, index) => [keyOf(survivor, survivors.slice(0, index)), survivor]));
  return {
    unexplained: [...found].filter(([key]) => !known.has(key)).map(([, survivor]) => survivor),
    needless: [...known].filter((key) => !found.has(key)),
  };
}

/** By file and line; a line that is the same as one before has its number among them: `return true; (2)`. */
function keyOf({ file, becomes }: Mutated, before: readonly Mutated[]): string {
  const nth = 1 + before.filter((other) => other.file === file && other.becomes === becomes).length;
  return `${file}: ${becomes}${nth === 1 ? '' : ` (${nth})`}`;
}

const names = process.argv.slice(2).filter((name) => name !== '--');
for (const name of names.length === 0 ? Object.keys(PARTS) : names) {
  if (!isPart(name)) throw new Error(`there is no part "${name}": ${Object.keys(PARTS).join(', ')}`);
  if (!(await run(name, PARTS[name]))) process.exitCode = 1;
}
